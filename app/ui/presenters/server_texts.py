"""What servers of tools have for people: prompts for the field, and resources to attach."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.core.errors import UserError
from app.services.drafts.offers import DocumentText, Offer, PictureBytes
from app.services.tools.servers import Contents, ToolServers
from app.tools.tool import Prompt, Resource
from app.ui.commands.palette_entries import Entry
from app.ui.composer.buttons import AttachButton
from app.ui.composer.mime_content import MimeContent
from app.ui.tools.prompt_dialog import PromptDialog
from app.ui.widgets.notices import Notices


class ServerTexts(QObject):
    """`window` owns it. Known are those of servers that have run."""

    taken = Signal(object)
    """MimeContent"""

    def __init__(self, servers: ToolServers, attach: AttachButton, notices: Notices, window: QWidget) -> None:
        super().__init__(window)
        self._servers = servers
        self._notices = notices
        self._window = window
        attach.choices.aboutToShow.connect(lambda: attach.show_resources(self._resources()))
        attach.resource_clicked.connect(self.attach)

    def entries(self) -> Iterator[Entry]:
        """For the command palette."""
        for server in self._servers.all:
            for prompt in server.prompts if server.entry.enabled else ():
                yield Entry(
                    f"prompt:{prompt.server}/{prompt.name}", prompt.title or prompt.name,
                    self.tr("Prompt of {server}").format(server=prompt.server),
                    partial(self.use, prompt), detail=prompt.description,
                )  # fmt: skip
        for each in self._resources():
            kind = self.tr("Attach from {server}").format(server=each.server)
            act = partial(self.attach, each)
            yield Entry(f"resource:{each.server}/{each.uri}", each.name, kind, act, detail=each.uri)

    def use(self, prompt: Prompt) -> None:
        """Put a prompt into the field, and ask for its arguments before."""
        if not prompt.arguments:
            self._fetch(prompt, {})
            return
        dialog = PromptDialog(prompt, self._window)
        dialog.filled.connect(partial(self._fetch, prompt))
        dialog.open()

    def attach(self, resource: Resource) -> None:
        self._servers.resource(resource, self._unless_failed(partial(self._take, resource)))

    def _resources(self) -> list[Resource]:
        return [each for server in self._servers.all if server.entry.enabled for each in server.resources]

    def _fetch(self, prompt: Prompt, arguments: Mapping[str, str]) -> None:
        take = self._unless_failed(lambda text: self.taken.emit(MimeContent(text=text)))
        self._servers.prompt(prompt, arguments, take)

    def _take(self, resource: Resource, contents: Contents) -> None:
        text, blobs = contents
        offers: list[Offer] = [DocumentText(text, resource.name)] if text else []
        offers += [PictureBytes(each.data, each.name) for each in blobs]
        if not offers:
            self._notices.show_notice(self.tr("{name} is empty.").format(name=resource.name))
        self.taken.emit(MimeContent(tuple(offers)))

    def _unless_failed(self, then: Callable[..., object]) -> Callable[[object], None]:
        def hear(told: object) -> None:
            if isinstance(told, UserError):
                self._notices.show_error(told)
            elif isinstance(told, Exception):
                raise told
            else:
                then(told)

        return hear
