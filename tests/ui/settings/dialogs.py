"""Parts of the settings dialog, by their types."""

from app.core.loading import Loading
from app.ui.settings.dialog import SettingsDialog
from app.ui.settings.pages import ModelPage


def model_page(dialog: SettingsDialog) -> ModelPage:
    page = dialog.page(Loading)
    assert isinstance(page, ModelPage)
    return page
