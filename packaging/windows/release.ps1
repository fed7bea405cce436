# Signs dist\hearth, packs it into a .zip again, and makes the installer: as far as there are secrets and tools for it.
#
#   WINDOWS_CERTIFICATE, WINDOWS_CERTIFICATE_PASSWORD   a certificate for signing code, .pfx in base64
#   WINDOWS_SIGNING                                     or what signtool is to be told instead of /f and /p: authorities
#                                                       hand out no such files since 2023, but keep the keys themselves,
#                                                       and give signtool a /dlib that asks them
#
# -Flavour names what the bundle computes with beside the processor, as dev.py was told.
#
# Nothing in here could be tried, for want of Windows.
param([string] $Flavour = '')
$ErrorActionPreference = 'Stop'
Set-StrictMode -Version Latest

$root = (Resolve-Path "$PSScriptRoot\..\..").Path
$folder = Join-Path $root 'dist\hearth'
if (-not (Test-Path $folder)) {
    throw "There is no ${folder}: run 'python packaging/dev.py bundle' first."
}
$line = Select-String -Path (Join-Path $root 'app\__init__.py') -Pattern '^__version__ = "(.+)"$'
$version = $line.Matches[0].Groups[1].Value
if ($Flavour) { $version = "$version+$Flavour" }

function Find-Tool([string] $name, [string] $pattern) {
    $command = Get-Command $name -ErrorAction SilentlyContinue
    if ($command) { return $command.Source }
    $found = Get-ChildItem -Path $pattern -ErrorAction SilentlyContinue | Sort-Object FullName | Select-Object -Last 1
    if ($found) { return $found.FullName }
    return $null
}

# Programs report failure by their exit code, which PowerShell does not take for an error.
function Invoke-Program([string] $program, [string[]] $arguments) {
    & $program @arguments
    if ($LASTEXITCODE -ne 0) { throw "$program ended with code $LASTEXITCODE." }
}

$signtool = Find-Tool 'signtool.exe' "${env:ProgramFiles(x86)}\Windows Kits\10\bin\10.*\x64\signtool.exe"
$signs = ($env:WINDOWS_CERTIFICATE -or $env:WINDOWS_SIGNING) -and $signtool
$signing = @('sign', '/fd', 'SHA256', '/td', 'SHA256', '/tr', 'http://timestamp.digicert.com')
$certificate = $null

try {
    # Untried: signs what is ours; the libraries of others keep their makers' signatures.
    if ($signs) {
        if ($env:WINDOWS_SIGNING) {
            $signing += -split $env:WINDOWS_SIGNING
        } else {
            $certificate = Join-Path ([System.IO.Path]::GetTempPath()) ([System.IO.Path]::GetRandomFileName() + '.pfx')
            [System.IO.File]::WriteAllBytes($certificate, [System.Convert]::FromBase64String($env:WINDOWS_CERTIFICATE))
            $signing += @('/f', $certificate)
            if ($env:WINDOWS_CERTIFICATE_PASSWORD) { $signing += @('/p', $env:WINDOWS_CERTIFICATE_PASSWORD) }
        }
        $own = @((Join-Path $folder 'hearth.exe'), (Join-Path $folder 'hearth.com'))
        Invoke-Program $signtool ($signing + $own)
        Invoke-Program $signtool (@('verify', '/pa') + $own)
    } else {
        Write-Output 'Not signed: no certificate is set, or there is no signtool. Windows will warn about it.'
    }

    # The signature must not have cost the program anything. Untried.
    Invoke-Program (Join-Path $folder 'hearth.com') @('selftest')

    # dev.py has made this one already, without signatures. Untried.
    $zip = Join-Path $root "dist\hearth-$version-windows.zip"
    Compress-Archive -Path $folder -DestinationPath $zip -Force
    Write-Output $zip

    # Untried: GitHub's runners have Inno Setup.
    $iscc = Find-Tool 'iscc.exe' "${env:ProgramFiles(x86)}\Inno Setup 6\ISCC.exe"
    if ($iscc) {
        $arguments = @("/DVersion=$version")
        if ($signs) {
            # Inno Setup signs by itself, for what it leaves to uninstall with is packed inside. In its language $q is a
            # quotation mark and $f the file.
            $words = @($signtool) + $signing | ForEach-Object { '$q' + $_.Replace('$', '$$') + '$q' }
            $arguments += @('/DSigned', ('/Shearth=' + ($words -join ' ') + ' $f'))
        }
        Invoke-Program $iscc ($arguments + (Join-Path $PSScriptRoot 'hearth.iss'))
        $setup = Join-Path $root "dist\hearth-$version-windows-setup.exe"
        Write-Output $setup
    } else {
        Write-Output 'No installer: Inno Setup is not here.'
    }
} finally {
    if ($certificate) { Remove-Item $certificate -ErrorAction SilentlyContinue }
}
