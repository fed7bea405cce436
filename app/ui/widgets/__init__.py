"""Controls of no subject or of several. They know nothing of conversations and models."""
