"""A small stream to play with: its query turned by knobs, its events moved, redrawn by the model at once."""
