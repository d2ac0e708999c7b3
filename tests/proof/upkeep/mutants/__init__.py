"""Small bugs put into the app one at a time, to see whether a test notices each."""
