"""What the guide learns of pictures: drawn scenes and photo-like ones, what can be said of them, and its eye."""
