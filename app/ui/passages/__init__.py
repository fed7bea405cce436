"""The page beside the chat on which a cited passage stands."""
