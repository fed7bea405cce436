"""What is set for one model of a server alone, as far as its server understands it."""

from PySide6.QtCore import QSize
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from app.core.model_ref import ModelRef
from app.core.sampling import Sampling
from app.remote.shapes import SHAPES
from app.services.models.options import OptionsOfModels
from app.services.remote.model_servers import ModelServers
from app.services.runtime.debounce import Debounce
from app.ui.settings.form import SettingsForm
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import scaled
from app.ui.widgets.buttons import push_button
from app.ui.widgets.layouts import FILL, grow, hbox, scroll, vbox
from app.ui.widgets.plain_text import plain_label
from app.ui.widgets.tab_order import TabOrderDialog
from app.ui.widgets.window_geometry import size_dialog

_CALM_MS = 400
"""After the last key, before what was typed is kept."""


class ServerSettingsDialog(TabOrderDialog):
    """What is edited is kept at once; what can't be taken says so, and is not kept. Fields that the server would leave
    unread can't be edited, and say why.
    """

    def __init__(
        self, appearance: Appearance, options: OptionsOfModels, servers: ModelServers, model: ModelRef, parent: QWidget
    ) -> None:
        super().__init__(self.tr("Settings of {model}").format(model=servers.called(model)), parent)
        self._options = options
        self._model = model
        inside = QWidget(self)
        inside.setObjectName("settings")
        self.form = SettingsForm(appearance, Sampling, inside, overrides=True)
        told = self.tr("Set for this model alone. What is not set here is as for all models.")
        vbox(plain_label("small", inside, told, wraps=True), self.form, on=inside, gap=14, margins=(0, 0, 12, 0))
        area = QScrollArea(self)
        area.setObjectName("settings")
        scroll(area, inside)
        self.reset_button = push_button(self.tr("As for all models"), self, self._reset, tone="reset")
        self.close_button = push_button(self.tr("Close"), self, self.accept)
        foot = hbox(self.reset_button, FILL, self.close_button, gap=8)
        vbox(grow(area), foot, on=self, gap=12, margins=(20, 18, 16, 16))
        size_dialog(self, QSize(420, 360), QSize(scaled(560), scaled(600)))
        self._calm = Debounce(_CALM_MS, self._keep, self)
        self._close_what_is_not_read(servers)
        self._fill()
        self.form.changed.connect(self._edited)
        self.close_button.setFocus()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._calm.flush()

    def _close_what_is_not_read(self, servers: ModelServers) -> None:
        server = servers.get(self._model.server)
        if server is None:
            return
        told = self.tr("{server} does not take this.").format(server=server.saved.kind.maker)
        understood = SHAPES[server.saved.kind].understood
        self.form.show_outcomes({name: told for name in self.form.fields if name not in understood})
        for name, field in self.form.fields.items():
            field.editor.setEnabled(name in understood)

    def _fill(self) -> None:
        own = self._options.of(self._model).of(Sampling)
        self.form.show_overrides(own, self._options.inherited(Sampling, {}))
        self.reset_button.setEnabled(bool(own))

    def _edited(self) -> None:
        if self.form.overrides() != dict(self._options.of(self._model).of(Sampling)):
            self._calm.start()

    def _keep(self) -> None:
        before, problems = self._options.of(self._model).of(Sampling), self.form.problems()
        taken = {name: value for name, value in self.form.overrides().items() if name not in problems}
        kept = {name: before[name] for name in problems if name in before}
        self._options.set_section(self._model, Sampling, taken | kept)
        self.reset_button.setEnabled(bool(taken or kept))

    def _reset(self) -> None:
        self._calm.stop()
        self._options.clear_settings(self._model)
        self.close_button.setFocus()
        self._fill()
