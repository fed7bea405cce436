"""The list of conversations: order, folders, search, titles."""
