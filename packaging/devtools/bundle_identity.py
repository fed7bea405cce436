"""How a bundle introduces itself to Windows and macOS."""

import re
from typing import Any

from devtools.bundle_contents import APP_ID, GGUF_UTI, MINIMUM_MACOS, SUMMARY

MODEL_ICON = "hearth-model"
"""The icon of model files, without `.icns` and `.ico`; in a bundle it lies at the top of its contents."""
_COPYRIGHT = "MIT licence; Qt is used under the LGPL"


def info_plist(version: str) -> dict[str, Any]:
    """macOS's Info.plist, beside what PyInstaller writes itself. Untried, for want of a Mac."""
    # Three whole numbers, by which macOS tells the newer of two copies; it knows no "rc1".
    numbers = ".".join(str(number) for number in _numbers(version, 3))
    return {
        # The system's own dialogs speak the system's language, although ours speak English.
        "CFBundleAllowMixedLocalizations": True,
        "CFBundleDevelopmentRegion": "en",
        "CFBundleDisplayName": "Hearth",
        "CFBundleName": "Hearth",
        "CFBundleShortVersionString": numbers,
        "CFBundleVersion": numbers,
        "LSApplicationCategoryType": "public.app-category.productivity",
        "LSMinimumSystemVersion": MINIMUM_MACOS,
        # macOS asks people before a program looks around in their network.
        "NSBonjourServices": ["_hearth-pair._tcp"],
        "NSHighResolutionCapable": True,
        "NSHumanReadableCopyright": _COPYRIGHT,
        "NSLocalNetworkUsageDescription": "Hearth finds your other computers when you pair with one of them.",
        "NSPrincipalClass": "NSApplication",
        # Else Qt is given the light look whatever the system has.
        "NSRequiresAquaSystemAppearance": False,
        "CFBundleDocumentTypes": [
            {
                "CFBundleTypeIconFile": f"{MODEL_ICON}.icns",
                "CFBundleTypeName": "GGUF model",
                "CFBundleTypeRole": "Viewer",
                "LSHandlerRank": "Alternate",
                "LSItemContentTypes": [GGUF_UTI],
            }
        ],
        # Imported: the type is llama.cpp's, and another program may describe it better.
        "UTImportedTypeDeclarations": [
            {
                "UTTypeIdentifier": GGUF_UTI,
                "UTTypeDescription": "GGUF model",
                "UTTypeConformsTo": ["public.data"],
                "UTTypeIconFile": f"{MODEL_ICON}.icns",
                "UTTypeTagSpecification": {"public.filename-extension": ["gguf"]},
            }
        ],
    }


def windows_version(version: str) -> str:
    """The text of PyInstaller's version file, which Windows shows under Properties. Untried, for want of Windows."""
    numbers = _numbers(version, 4)
    strings = {
        "CompanyName": "The Hearth project",
        "FileDescription": SUMMARY,
        "FileVersion": version,
        "InternalName": APP_ID,
        "LegalCopyright": _COPYRIGHT,
        "OriginalFilename": "hearth.exe",
        "ProductName": "Hearth",
        "ProductVersion": version,
    }
    structs = ", ".join(f"StringStruct({name!r}, {text!r})" for name, text in strings.items())
    return (
        f"VSVersionInfo(ffi=FixedFileInfo(filevers={numbers}, prodvers={numbers}, mask=0x3F, flags=0x0, OS=0x40004, "
        "fileType=0x1, subtype=0x0, date=(0, 0)), "
        f"kids=[StringFileInfo([StringTable('040904B0', [{structs}])]), "
        "VarFileInfo([VarStruct('Translation', [0x0409, 1200])])])\n"
    )


def _numbers(version: str, count: int) -> tuple[int, ...]:
    """The first `count` numbers of a version; a release candidate's may be among them: 0.10.0rc2 is 0, 10, 0, 2."""
    return tuple(([int(part) for part in re.findall(r"\d+", version)] + [0] * count)[:count])
