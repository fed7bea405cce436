"""Pictures of drafts and messages: read, shown, kept."""
