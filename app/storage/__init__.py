"""What is kept on disk: conversations, settings, pictures, and the folders that they lie in. No Qt."""
