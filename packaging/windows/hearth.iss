; Inno Setup's recipe for the installer: iscc /DVersion=0.1.0 packaging\windows\hearth.iss
; Untried, for want of Windows.

#ifndef Version
  #error Say which version: /DVersion=...
#endif

[Setup]
; Names the program to Windows for ever: with another one an update would become a second program.
AppId={{6B0E4C0B-2D1E-4C6B-9B0C-5A1F5E0C7D21}
AppName=Hearth
AppVersion={#Version}
AppPublisher=The Hearth project
DefaultDirName={autopf}\Hearth
DefaultGroupName=Hearth
DisableProgramGroupPage=yes
; For this user alone, without asking for an administrator; /ALLUSERS asks.
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=commandline
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
MinVersion=10.0.17763
LicenseFile=..\..\LICENSE
OutputDir=..\..\dist
OutputBaseFilename=hearth-{#Version}-windows-setup
SetupIconFile=..\..\build\bundle\hearth.ico
UninstallDisplayIcon={app}\hearth.exe
Compression=lzma2/max
SolidCompression=yes
WizardStyle=modern
ChangesAssociations=yes
; A Hearth that is open is asked to close, so that its files can be replaced.
CloseApplications=yes

[Tasks]
Name: "desktopicon"; Description: "{cm:CreateDesktopIcon}"; Flags: unchecked
Name: "association"; Description: "Open model files (.gguf) with Hearth"

[InstallDelete]
; Parts of an older version must not stay among those of this one. Conversations lie elsewhere.
Type: filesandordirs; Name: "{app}\_internal"

[Files]
Source: "..\..\dist\hearth\*"; DestDir: "{app}"; Flags: recursesubdirs ignoreversion

[Icons]
Name: "{group}\Hearth"; Filename: "{app}\hearth.exe"
Name: "{autodesktop}\Hearth"; Filename: "{app}\hearth.exe"; Tasks: desktopicon

[Registry]
; HKA is the user's part, or the machine's where it is installed for all.
Root: HKA; Subkey: "Software\Classes\.gguf\OpenWithProgids"; ValueType: string; ValueName: "Hearth.gguf"; ValueData: ""; Flags: uninsdeletevalue; Tasks: association
Root: HKA; Subkey: "Software\Classes\Hearth.gguf"; ValueType: string; ValueData: "GGUF model"; Flags: uninsdeletekey; Tasks: association
Root: HKA; Subkey: "Software\Classes\Hearth.gguf\DefaultIcon"; ValueType: string; ValueData: "{app}\hearth.exe,0"; Tasks: association
Root: HKA; Subkey: "Software\Classes\Hearth.gguf\shell\open\command"; ValueType: string; ValueData: """{app}\hearth.exe"" ""%1"""; Tasks: association

[Run]
Filename: "{app}\hearth.exe"; Description: "{cm:LaunchProgram,Hearth}"; Flags: nowait postinstall skipifsilent
