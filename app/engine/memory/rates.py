"""How fast this machine reads prompts and brings states back, as measured while it does."""


class Rate:
    """An amount a second: a guess at first, which measurements outweigh; late ones count more than early ones."""

    def __init__(self, guess: float, weight: float) -> None:
        """`guess` counts as much as having measured `weight`, in the same unit."""
        self._most = 8 * weight
        self._amount, self._seconds = weight, weight / guess

    @property
    def per_second(self) -> float:
        return self._amount / self._seconds

    def add(self, amount: float, seconds: float) -> None:
        self._amount += amount
        self._seconds += max(0.0, seconds)
        if self._amount > self._most:
            self._seconds *= self._most / self._amount
            self._amount = self._most


_MIB = 1 << 20


class Rates:
    """Those that decide what is brought back. The starting values are those of a slow laptop with a fast disk."""

    def __init__(self) -> None:
        self.reading = Rate(200, 64)
        """Entries of a prompt."""
        self.memory = Rate(2000 * _MIB, 64 * _MIB)
        """Bytes of a state in memory."""
        self.disk = Rate(400 * _MIB, 64 * _MIB)
        """Bytes of a state in a file: read, checked and unpacked into memory."""
