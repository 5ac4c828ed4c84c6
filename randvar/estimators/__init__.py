"""Functions from laws to laws, one file a subject."""
