"""Computers that may use this one's model, for the window: who they are, and the code that lets one more in."""

import importlib
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.core.errors import UserError
from app.remote.pairing.peers import Peer
from app.services.local_api.switch import ApiOn, ApiSwitch
from app.services.remote.paired_computers import PairedComputers, own_address
from app.services.runtime.detached_thread import DetachedThread
from app.services.runtime.worker_thread import Work

if TYPE_CHECKING:
    from app.remote.pairing.host import PairingHost


@dataclass(frozen=True, slots=True)
class Invitation:
    """What the other computer has to be told."""

    address: str
    code: str


class PairedSharing(QObject):
    """GUI thread."""

    changed = Signal()
    """Whether they are served, who they are, or what is shown to one more"""
    failed = Signal(object)
    """UserError"""

    def __init__(
        self, computers: PairedComputers, switch: ApiSwitch, parent: QObject | None = None, *, announces: bool = True
    ) -> None:
        """`switch` serves them. While a code is shown the network is told of it, unless nothing `announces` it."""
        super().__init__(parent)
        self._computers = computers
        self._switch = switch
        self._announces = announces
        self._thread = DetachedThread(self, name="pairing")
        self._pairing: PairingHost | None = None
        self._work: Work | None = None
        """Its waiting."""
        self.invitation: Invitation | None = None
        switch.changed.connect(self._follow)
        switch.failed.connect(self.failed)

    @property
    def computers(self) -> tuple[Peer, ...]:
        return self._computers.all

    @property
    def is_on(self) -> bool:
        return isinstance(self._switch.state, ApiOn)

    def prepare(self) -> None:
        """Load what `invite` needs, which would hold up the window then."""
        self._thread.submit(_import, lambda _: None)

    def invite(self) -> None:
        """Make a code, which holds for minutes; nothing where nobody is served."""
        state = self._switch.state
        self.take_back()
        if not isinstance(state, ApiOn):
            return
        try:
            pairing = self._computers.pairing(state.port)
        except UserError as error:
            self.failed.emit(error)
            return
        self._pairing = pairing
        self.invitation = Invitation(f"{own_address()}:{pairing.port}", f"{pairing.code[:3]} {pairing.code[3:]}")
        self._work = self._thread.submit(
            partial(_wait, pairing, announced=self._announces), partial(self._hear, pairing)
        )
        self.changed.emit()

    def take_back(self) -> None:
        """The code is of no use any more."""
        if self._pairing is not None and self._work is not None:
            self._pairing.stop()
            self._thread.cancel(self._work)
            self._pairing = self.invitation = self._work = None
            self.changed.emit()

    def remove(self, fingerprint: str) -> None:
        """It may not ask any more, from its next request on."""
        self._change(partial(self._computers.remove, fingerprint))

    def close(self) -> None:
        """Takes back what is shown. May be called twice."""
        if self._pairing is not None:
            self._pairing.stop()
        self._thread.close()

    def _hear(self, pairing: "PairingHost", said: Peer | Exception | None) -> None:
        if pairing is not self._pairing:
            return
        self._pairing = self.invitation = None
        match said:
            case UserError():
                self.failed.emit(said)
            case Exception():
                self.failed.emit(UserError("Nobody could be paired because of a fault in Hearth.", detail=repr(said)))
            case Peer():
                self._change(partial(self._computers.add, said))
                return
        self.changed.emit()

    def _change(self, act: "partial[None]") -> None:
        try:
            act()
        except UserError as error:
            self.failed.emit(error)
        self.changed.emit()

    def _follow(self) -> None:
        if not self.is_on:
            self.take_back()
        self.changed.emit()


def _import() -> None:
    """In the pairing's thread."""
    importlib.import_module("app.remote.pairing.host")


def _wait(pairing: "PairingHost", *, announced: bool) -> Peer | None:
    """In the pairing's thread."""
    if not announced:
        return pairing.wait()
    # Imported here: nobody else needs it.
    from app.remote.pairing.discovery import wait_announced

    return wait_announced(pairing, own_address())
