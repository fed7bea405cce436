"""Models on other machines: the servers that people added, and answers that they write."""
