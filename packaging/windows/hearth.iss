; Inno Setup's recipe for the installer: iscc /DVersion=0.1.0 packaging\windows\hearth.iss
; With /Shearth=COMMAND and /DSigned, COMMAND signs the installer and what it leaves for uninstalling.
; Untried, for want of Windows: written for Inno Setup 6.3 or newer.

#ifndef Version
  #error Say which version: /DVersion=...
#endif
#define Built AddBackslash(SourcePath) + "..\..\dist\hearth"

[Setup]
; Names the program to Windows for ever: with another one an update would become a second program.
AppId={{6B0E4C0B-2D1E-4C6B-9B0C-5A1F5E0C7D21}
AppName=Hearth
AppVersion={#Version}
AppPublisher=The Hearth project
; Of the installer's own file, in numbers: those of the program, for a version may have words.
VersionInfoVersion={#GetVersionNumbersString(Built + "\hearth.exe")}
DefaultDirName={autopf}\Hearth
DefaultGroupName=Hearth
DisableProgramGroupPage=yes
; For this user alone, without asking for an administrator; /ALLUSERS asks.
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=commandline
; The program is for x86-64; Windows 11 on ARM runs it too.
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
; What Qt asks for.
MinVersion=10.0.17763
LicenseFile=..\..\LICENSE
OutputDir=..\..\dist
OutputBaseFilename=hearth-{#Version}-windows-setup
SetupIconFile=..\..\build\bundle\hearth.ico
UninstallDisplayName=Hearth
UninstallDisplayIcon={app}\hearth.exe
Compression=lzma2/max
SolidCompression=yes
WizardStyle=modern
ChangesAssociations=yes
; A Hearth that is open is asked to close, so that its files can be replaced; `hearth serve` in a terminal, too.
CloseApplications=yes
CloseApplicationsFilter=*.exe,*.com,*.dll,*.pyd
#ifdef Signed
SignTool=hearth
SignedUninstaller=yes
#endif

[Tasks]
Name: "desktopicon"; Description: "{cm:CreateDesktopIcon}"; Flags: unchecked
Name: "association"; Description: "Open model files (.gguf) with Hearth"

[InstallDelete]
; Parts of an older version must not stay among those of this one. Conversations lie elsewhere.
Type: filesandordirs; Name: "{app}\_internal"

[Files]
Source: "{#Built}\*"; DestDir: "{app}"; Flags: recursesubdirs ignoreversion

[Icons]
Name: "{group}\Hearth"; Filename: "{app}\hearth.exe"
Name: "{autodesktop}\Hearth"; Filename: "{app}\hearth.exe"; Tasks: desktopicon

[Registry]
; HKA is the user's part, or the machine's where it is installed for all. Offered beside other programs, and never set as
; the one that opens: since Windows 8 only people may choose that, at the first double-click or in Settings, Default apps.
Root: HKA; Subkey: "Software\Classes\.gguf\OpenWithProgids"; ValueType: string; ValueName: "Hearth.gguf"; ValueData: ""; Flags: uninsdeletevalue uninsdeletekeyifempty; Tasks: association
Root: HKA; Subkey: "Software\Classes\Hearth.gguf"; ValueType: string; ValueData: "GGUF model"; Flags: uninsdeletekey; Tasks: association
Root: HKA; Subkey: "Software\Classes\Hearth.gguf\DefaultIcon"; ValueType: string; ValueData: "{app}\_internal\hearth-model.ico"; Tasks: association
Root: HKA; Subkey: "Software\Classes\Hearth.gguf\shell\open\command"; ValueType: string; ValueData: """{app}\hearth.exe"" ""%1"""; Tasks: association
; For "Open with" on files of any kind, which go with a question, and for Default apps.
Root: HKA; Subkey: "Software\Classes\Applications\hearth.exe"; ValueType: string; ValueName: "FriendlyAppName"; ValueData: "Hearth"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\Applications\hearth.exe\shell\open\command"; ValueType: string; ValueData: """{app}\hearth.exe"" ""%1"""
Root: HKA; Subkey: "Software\Classes\Applications\hearth.exe\SupportedTypes"; ValueType: string; ValueName: ".gguf"; ValueData: ""; Tasks: association
Root: HKA; Subkey: "Software\Hearth"; Flags: uninsdeletekeyifempty
Root: HKA; Subkey: "Software\Hearth\Capabilities"; ValueType: string; ValueName: "ApplicationName"; ValueData: "Hearth"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Hearth\Capabilities"; ValueType: string; ValueName: "ApplicationDescription"; ValueData: "Talk to language models that run on your own computer"
Root: HKA; Subkey: "Software\Hearth\Capabilities\FileAssociations"; ValueType: string; ValueName: ".gguf"; ValueData: "Hearth.gguf"; Tasks: association
Root: HKA; Subkey: "Software\RegisteredApplications"; ValueType: string; ValueName: "Hearth"; ValueData: "Software\Hearth\Capabilities"; Flags: uninsdeletevalue

[Run]
Filename: "{app}\hearth.exe"; Description: "{cm:LaunchProgram,Hearth}"; Flags: nowait postinstall skipifsilent
