"""The local HTTP front door: OpenAI's API over the engine that the window uses."""
