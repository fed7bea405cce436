"""The models on this machine: which there are, and which were used last. No Qt."""
