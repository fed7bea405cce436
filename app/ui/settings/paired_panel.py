"""Computers that may use this one's model: who they are, and the code for one more."""

from functools import partial

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from app.core.errors import UserError
from app.remote.pairing.peers import Peer
from app.services.local_api.paired_sharing import PairedSharing
from app.ui.formatting.dates import short_moment
from app.ui.formatting.sentences import translated
from app.ui.widgets.buttons import push_button, rename
from app.ui.widgets.discard import discard
from app.ui.widgets.layouts import FILL, hbox, lead, vbox
from app.ui.widgets.plain_text import plain_label, tell


class PairedPanel(QWidget):
    """Changes are in force at once, for they are no settings."""

    code_shown = Signal()

    def __init__(self, sharing: PairedSharing, parent: QWidget) -> None:
        super().__init__(parent)
        self._sharing = sharing
        heading = plain_label("heading", self, self.tr("Paired computers"))
        self.told = plain_label("muted", self, wraps=True)
        self.code = plain_label("title", self)
        self.problem = plain_label("danger", self, wraps=True)
        self.pair_button = push_button(self.tr("Pair a computer…"), self, self._toggle)
        self.rows: list[QWidget] = []
        self._list = vbox(gap=4)
        vbox(heading, self._list, self.told, self.code, self.problem, lead(self.pair_button), on=self, gap=8)
        sharing.changed.connect(self.refresh)
        sharing.failed.connect(self._tell)
        tell(self.problem, "")
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        invitation = self._sharing.invitation
        discard(*self.rows)
        self.rows = [self._row(each) for each in self._sharing.computers]
        for row in self.rows:
            self._list.addWidget(row)
            row.show()
        rename(self.pair_button, self.tr("Pair a computer…") if invitation is None else self.tr("Stop"))
        self.pair_button.setEnabled(self._sharing.is_on)
        tell(self.code, invitation.code if invitation is not None else "")
        if invitation is not None:
            told = self.tr(
                "On the other computer open Models, Servers, press “Pair with another Hearth…”, and enter the address "
                "{address} and this code. It holds for three minutes, and for one try."
            ).format(address=invitation.address)
        elif not self._sharing.is_on:
            told = self.tr("Switch on “Computers that you paired” above and press “Apply”, to pair one.")
        elif not self.rows:
            told = self.tr("None yet.")
        else:
            told = ""
        tell(self.told, told)

    def showEvent(self, event: QShowEvent) -> None:
        self._sharing.prepare()
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._sharing.take_back()

    def _toggle(self) -> None:
        tell(self.problem, "")
        if self._sharing.invitation is None:
            self._sharing.invite()
            self.code_shown.emit()
        else:
            self._sharing.take_back()

    def _row(self, peer: Peer) -> QWidget:
        row = QWidget(self)
        name = plain_label("", row, peer.name)
        since = plain_label("small", row, self._told_of(peer))
        remove = push_button(
            self.tr("Remove"), row, partial(self._sharing.remove, peer.fingerprint),
            name=self.tr("Remove {name}").format(name=peer.name), tip=self.tr("It can't ask this computer any more"),
            tone="link",
        )  # fmt: skip
        hbox(name, since, FILL, remove, on=row, gap=8)
        return row

    def _told_of(self, peer: Peer) -> str:
        since = self.tr("since {day}").format(day=short_moment(peer.since))
        if not peer.used:
            return since
        return f"{since} · " + self.tr("last used {day}").format(day=short_moment(peer.used))

    @Slot(object)
    def _tell(self, error: UserError) -> None:
        tell(self.problem, translated(error.sentence))
