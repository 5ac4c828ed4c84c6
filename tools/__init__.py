"""What the project does with itself: environment, notebooks, pages. Not part of the installed package."""
