"""Pictures of messages, small and in full size."""
