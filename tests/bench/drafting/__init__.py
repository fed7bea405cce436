"""What drafting gains and costs: draft models, heads and n-grams."""
