"""The list of conversations and its folders."""
