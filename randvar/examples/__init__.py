"""What the articles assume and do not print, so that their cells run as written."""
