"""Messages that are being written, with their documents; those that wait to be sent."""
