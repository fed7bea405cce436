"""The page of the local API, and the chip that shows who uses it."""

from typing import cast

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.core.api_settings import ApiSettings
from app.core.settings import Theme
from app.services.local_api.switch import ApiOff, ApiOn
from app.services.runtime.settings_service import SettingsService
from app.ui.settings.api_page import ApiPage
from app.ui.theme.appearance import Appearance
from app.ui.window.header import ClientChip
from tests.services.local_api.test_visitors import Asked
from tests.ui.fakes import FakeSettings


def make_page(parent: QWidget, settings: FakeSettings) -> ApiPage:
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    appearance = Appearance(application, Theme.LIGHT)
    return ApiPage(appearance, ApiSettings, cast(SettingsService, settings), "Local API", parent)


def test_the_address_is_shown_and_copied(parent: QWidget) -> None:
    page = make_page(parent, FakeSettings())
    assert not page.copy_button.isEnabled()
    page.show_state(ApiOn("http://127.0.0.1:8080/v1"))
    assert "http://127.0.0.1:8080/v1" in page.told.text()
    page.copy_button.click()
    assert QGuiApplication.clipboard().text() == "http://127.0.0.1:8080/v1"
    page.show_state(ApiOff("Port 8080 is in use by another program."))
    assert page.told.text() == "Port 8080 is in use by another program."
    assert not page.copy_button.isEnabled()


def test_a_key_is_made_and_put_in_force_by_apply(parent: QWidget) -> None:
    settings = FakeSettings()
    page = make_page(parent, settings)
    page.key_button.click()
    assert page.is_changed()
    assert settings.settings.local_api.api_key == ""
    page.apply()
    first = settings.settings.local_api.api_key
    assert len(first) >= 32
    page.key_button.click()
    page.apply()
    assert settings.settings.local_api.api_key != first


def test_the_chip_says_who_is_there(qtbot: QtBot) -> None:
    chip = ClientChip()
    qtbot.addWidget(chip)
    assert chip.isHidden()
    chip.show_visitors((Asked(1, "curl/8"),))
    assert not chip.isHidden()
    assert chip.text() == "curl/8"
    chip.show_visitors((Asked(1, "curl/8"), Asked(2, "editor")))
    assert chip.text() == "2 programs"
    assert "curl/8, editor" in chip.accessibleName()
    chip.show_visitors(())
    assert chip.isHidden()
