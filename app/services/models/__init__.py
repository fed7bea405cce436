"""Models on this machine and on the hub, downloads among them."""
