"""How a bundle introduces itself to Windows and macOS."""

import re
from typing import Any

from devtools.bundle_contents import APP_ID, GGUF_UTI, MINIMUM_MACOS, SUMMARY

_COPYRIGHT = "MIT licence; Qt is used under the LGPL"


def info_plist(version: str) -> dict[str, Any]:
    """macOS's Info.plist, beside what PyInstaller writes itself. Untried, for want of a Mac."""
    return {
        "CFBundleDisplayName": "Hearth",
        "CFBundleShortVersionString": version,
        "CFBundleVersion": version,
        "LSApplicationCategoryType": "public.app-category.productivity",
        "LSMinimumSystemVersion": MINIMUM_MACOS,
        "NSHighResolutionCapable": True,
        "NSHumanReadableCopyright": _COPYRIGHT,
        # Else Qt is given the light look whatever the system has.
        "NSRequiresAquaSystemAppearance": False,
        "CFBundleDocumentTypes": [
            {
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
                "UTTypeTagSpecification": {"public.filename-extension": ["gguf"]},
            }
        ],
    }


def windows_version(version: str) -> str:
    """The text of PyInstaller's version file, which Windows shows under Properties. Untried, for want of Windows."""
    numbers = tuple(([int(part) for part in re.findall(r"\d+", version)] + [0] * 4)[:4])
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
