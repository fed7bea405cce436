"""The sidebar beside the conversation; in a narrow window folded away, and laid over it while it is asked for."""

from PySide6.QtCore import QEasingCurve, QEvent, QObject, Qt, QVariantAnimation, Signal, Slot
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.ui.sidebar.actions import ChatAction, OpenMessage
from app.ui.sidebar.sidebar import Sidebar
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import half_scaled
from app.ui.theme.measures import NARROW
from app.ui.widgets.focus_return import FocusReturn
from app.ui.widgets.layouts import grow, hbox

_SLIDE_MS = 160
_SHADE = 90
"""Of 255: how dark the conversation gets behind it."""


class SideDrawer(QObject):
    """Lays out `area`, whose only other part is `page`. Owned by `area`."""

    changed = Signal()
    """What `is_beside` says, or whether the sidebar is in sight."""

    def __init__(
        self, appearance: Appearance, area: QWidget, sidebar: Sidebar, page: QWidget, *, wanted: bool = True
    ) -> None:
        super().__init__(area)
        self._appearance = appearance
        self._area = area
        self._sidebar = sidebar
        self.is_wanted = wanted
        """What was chosen for a window that has room."""
        self._is_narrow = False
        self.is_over = False
        """Whether it lies over the conversation now."""
        self._came_from = FocusReturn()
        self._shade = _Shade(area)
        self._slide = QVariantAnimation(self)
        self._slide.setDuration(_SLIDE_MS)
        self._slide.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._slide.setStartValue(0.0)
        self._slide.setEndValue(1.0)
        self._slide.valueChanged.connect(self._place)
        self._slide.finished.connect(self._come_to_rest)
        self._row = hbox(sidebar, grow(page), on=area, gap=0)
        sidebar.setHidden(not wanted)
        area.installEventFilter(self)
        sidebar.installEventFilter(self)
        appearance.changed.connect(self._fit)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._follow_focus)
        self._shade.clicked.connect(self.close)
        # What was asked for stands in the conversation, or in a dialog.
        sidebar.chats.open_requested.connect(self.close)
        sidebar.new_button.clicked.connect(self.close)
        sidebar.settings_button.clicked.connect(self.close)
        sidebar.chats.wished.connect(self._see_wish)

    @property
    def is_beside(self) -> bool:
        """Whether the sidebar has a place of its own now."""
        return self.is_wanted and not self._is_narrow

    def show_sidebar(self, shown: bool) -> None:
        if self._is_narrow:
            self._lay_over() if shown else self.close()
            return
        self.is_wanted = shown
        self._sidebar.setHidden(not shown)
        self.changed.emit()

    def toggle(self) -> None:
        self.show_sidebar(not (self.is_over if self._is_narrow else self.is_wanted))

    @Slot()
    def close(self) -> None:
        """Fold it away again where it lies over the conversation; the focus goes back."""
        if not self.is_over:
            return
        has_focus = self._holds(QApplication.focusWidget())
        self.is_over = False
        if has_focus:
            self._came_from.go_back()
        self._move(forth=False)
        self.changed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._area and event.type() == QEvent.Type.Resize:
            self._fit()
        elif watched is self._sidebar and self.is_over and isinstance(event, QKeyEvent):
            # The window's shortcuts are told first, hence the override.
            if event.key() == Qt.Key.Key_Escape and event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.key() == Qt.Key.Key_Escape and event.type() == QEvent.Type.KeyPress:
                self.close()
                return True
        return super().eventFilter(watched, event)

    @Slot()
    def _fit(self) -> None:
        is_narrow = self._area.width() < half_scaled(NARROW)
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            self._slide.stop()
            self.is_over = False
            self._shade.hide()
            if is_narrow:
                self._row.removeWidget(self._sidebar)
            else:
                self._row.insertWidget(0, self._sidebar)
            self._sidebar.setHidden(is_narrow or not self.is_wanted)
            self.changed.emit()
        elif self.is_over:
            self._place(1.0)

    def _lay_over(self) -> None:
        if self.is_over:
            return
        self.is_over = True
        self._came_from.remember(self._area.window())
        self._shade.show()
        self._shade.raise_()
        self._sidebar.raise_()
        self._place(0.0)
        self._sidebar.show()
        at = self._sidebar.list_view if self._sidebar.list_view.isVisible() else self._sidebar.new_button
        at.setFocus(Qt.FocusReason.PopupFocusReason)
        self._move(forth=True)
        self.changed.emit()

    def _move(self, *, forth: bool) -> None:
        self._slide.setDirection(QVariantAnimation.Direction.Forward if forth else QVariantAnimation.Direction.Backward)
        if self._appearance.reduced_motion:
            self._place(1.0 if forth else 0.0)
            self._come_to_rest()
        elif self._slide.state() != QVariantAnimation.State.Running:
            self._slide.start()

    @Slot(object)
    def _place(self, share: float) -> None:
        """Show that much of it."""
        if not self._is_narrow:
            return
        width = self._sidebar.width()
        shown = round(width * share)
        mirrored = self._area.layoutDirection() == Qt.LayoutDirection.RightToLeft
        left = self._area.width() - shown if mirrored else shown - width
        self._sidebar.setGeometry(left, 0, width, self._area.height())
        self._shade.setGeometry(self._area.rect())
        self._shade.darken(share)

    @Slot()
    def _come_to_rest(self) -> None:
        if self._is_narrow and not self.is_over:
            self._sidebar.hide()
            self._shade.hide()

    @Slot(QWidget, QWidget)
    def _follow_focus(self, _: QWidget | None, now: QWidget | None) -> None:
        """Somebody went elsewhere by key. Another window, or a menu, may only borrow the keyboard."""
        if self.is_over and now is not None and now.window() is self._area.window() and not self._holds(now):
            self.close()

    @Slot(object)
    def _see_wish(self, wish: ChatAction) -> None:
        if isinstance(wish, OpenMessage):
            self.close()

    def _holds(self, widget: QWidget | None) -> bool:
        return widget is not None and (widget is self._sidebar or self._sidebar.isAncestorOf(widget))


class _Shade(QWidget):
    clicked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._share = 0.0
        self.hide()

    def darken(self, share: float) -> None:
        self._share = share
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.clicked.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(0, 0, 0, round(_SHADE * self._share)))
        painter.end()
