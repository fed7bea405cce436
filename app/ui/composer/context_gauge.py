"""How full the context is: a ring and a share beside the composer; it opens `ContextPopover`."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QSizePolicy, QStyle, QStyleOptionToolButton, QStylePainter, QToolButton, QWidget

from app.services.engine.states import Activity, EngineState, Generating, Idle, ModelOnServer, Prefilling, known_model
from app.services.engine.token_counts import TokenCount
from app.ui.formatting.numbers import compact, count, isolated
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import half_scaled
from app.ui.widgets.dynamic_property import set_property

NEARLY_FULL = 0.9
_RING = 16
_WIDTH = 2.5
_GAP = 5


class ContextGauge(QToolButton):
    """Shows; whoever owns it opens the popover on `clicked`. Hidden while no model is loaded or nothing is in it."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.n_ctx = 0
        """0 where no model is, or its server does not tell."""
        self._is_elsewhere = False
        self._size = TokenCount(0, exact=True)
        """Of the conversation on screen, while nothing is being done with it."""
        self._activity: Activity = Idle()
        self._drawn: tuple[object, ...] = ()
        self.setObjectName("gauge")
        self.setProperty("tone", "small")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        appearance.changed.connect(self._recolour)
        self._refresh()

    @property
    def used(self) -> int:
        """Entries of the conversation on screen, as far as they are known."""
        match self._activity:
            case Prefilling(progress):
                return progress.reused + progress.read
            case Generating(_, int(n_past)):
                return n_past
        return self._size.n

    @property
    def is_exact(self) -> bool:
        """Whether `used` was counted, and not reckoned."""
        match self._activity:
            case Prefilling() | Generating(n_past=int()):
                return True
        return self._size.exact

    @property
    def is_nearly_full(self) -> bool:
        return bool(self.n_ctx) and self.used >= NEARLY_FULL * self.n_ctx

    def show_engine(self, state: EngineState) -> None:
        info = known_model(state)
        self.n_ctx = info.n_ctx if info is not None else 0
        self._is_elsewhere = isinstance(state, ModelOnServer)
        self._refresh()

    def show_size(self, size: TokenCount) -> None:
        """Of the conversation on screen."""
        self._size = size
        self._refresh()

    def show_activity(self, activity: Activity) -> None:
        self._activity = activity
        self._refresh()

    def sentence(self) -> str:
        """What the ring says, in words."""
        told = self._told().format(used=count(self.used), size=count(self.n_ctx))
        if not self.n_ctx:
            return told
        if self.used > self.n_ctx:
            return told
        if self.used == self.n_ctx:
            return told + " " + self.tr("The context is full.")
        return told + " " + self.tr("The context is nearly full.") if self.is_nearly_full else told

    def _told(self) -> str:
        if not self.n_ctx and self.is_exact:
            return self.tr("{used} tokens are used. The server does not tell how many its model takes.")
        if not self.n_ctx:
            return self.tr("About {used} tokens are used. The server does not tell how many its model takes.")
        if self.used > self.n_ctx:
            if self.is_exact:
                return self.tr("This conversation has {used} tokens, and the context holds {size}.")
            return self.tr("This conversation has about {used} tokens, and the context holds {size}.")
        if self.is_exact:
            return self.tr("{used} of {size} tokens are used.")
        return self.tr("About {used} of {size} tokens are used.")

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        # Qt adds four pixels between an icon and a text.
        return QSize(hint.width() - self.fontMetrics().horizontalAdvance(self.text()) - 4, hint.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Where there is no room for all of the numbers the ring stands alone."""
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        if self.width() < self.sizeHint().width():
            option.toolButtonStyle = Qt.ToolButtonStyle.ToolButtonIconOnly
        QStylePainter(self).drawComplexControl(QStyle.ComplexControl.CC_ToolButton, option)

    def _refresh(self) -> None:
        tells = bool(self.used and (self.n_ctx or self._is_elsewhere))
        self.setVisible(tells)
        if not tells:
            return
        share, role = self._share()
        wanted = (self._text(), round(share * 100), role, self.sentence())
        if wanted == self._drawn:
            return
        self._drawn = wanted
        self.setText(self._text())
        self.setIcon(self._ring(share, role))
        self.setToolTip(self.sentence())
        self.setAccessibleName(self.tr("Context: {told}").format(told=self.sentence()))
        set_property(self, "level", role if role in ("warning", "danger") else "")

    def _text(self) -> str:
        if not self.n_ctx:
            return isolated(compact(self.used) if self.is_exact else f"≈ {compact(self.used)}")
        if self.used >= self.n_ctx:
            return self.tr("Full")
        # What is there is never nothing, and what is not full never all.
        percent = min(99, max(1, round(self._share()[0] * 100)))
        share = isolated(f"{percent} %" if self.is_exact else f"≈ {percent} %")
        told = self.tr("{share}, nearly full") if self.is_nearly_full else self.tr("{share} full")
        return told.format(share=share)

    def _share(self) -> tuple[float, str]:
        """How much of the ring is drawn, and in which colour."""
        share = min(1.0, self.used / self.n_ctx) if self.n_ctx else 0.0
        return share, "danger" if share >= 1 else "warning" if self.is_nearly_full else "accent"

    def _recolour(self) -> None:
        self._drawn = ()
        self._refresh()

    def _ring(self, share: float, role: str) -> QIcon:
        density, size, width = self.devicePixelRatioF(), half_scaled(_RING), _WIDTH * half_scaled(_RING) / _RING
        self.setIconSize(QSize(size + _GAP, size))
        pixmap = QPixmap(self.iconSize() * density)
        pixmap.setDevicePixelRatio(density)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        place = QRectF(0, 0, size, size).adjusted(width / 2, width / 2, -width / 2, -width / 2)
        if self.layoutDirection() == Qt.LayoutDirection.RightToLeft:
            painter.translate(_GAP, 0)
        painter.setPen(QPen(QColor(self._appearance.tokens.scroll), width))
        painter.drawEllipse(place)
        pen = QPen(QColor(getattr(self._appearance.tokens, role)), width)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        # From the top, clockwise, in sixteenths of a degree.
        painter.drawArc(place, 90 * 16, -round(share * 360 * 16))
        painter.end()
        return QIcon(pixmap)
