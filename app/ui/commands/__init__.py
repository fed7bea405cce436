"""What can be done, its keys, and the palette; small dialogs."""
