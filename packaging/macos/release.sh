#!/bin/sh
# Signs dist/Hearth.app, packs it into a .dmg, and has Apple notarise that: as far as there are secrets for it.
#
#   MACOS_CERTIFICATE, MACOS_CERTIFICATE_PASSWORD   a "Developer ID Application" certificate, .p12 in base64
#   MACOS_IDENTITY                                  its name
#   NOTARY_KEY, NOTARY_KEY_ID, NOTARY_ISSUER        a key of App Store Connect, .p8 in base64
#
# Nothing in here could be tried, for want of a Mac; shellcheck has read it, and a test has run it with stand-ins for
# Apple's tools.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
root=$(dirname -- "$(dirname -- "$here")")
app=$root/dist/Hearth.app
version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' "$root/app/__init__.py")
dmg=$root/dist/hearth-$version-macos-$(uname -m).dmg
work=$(mktemp -d)
keychain=$work/hearth.keychain-db

[ -d "$app" ] || { echo "There is no $app: run \`python3 packaging/dev.py bundle\` first." >&2; exit 1; }

tidy() {
    if [ -e "$keychain" ]; then security delete-keychain "$keychain" || true; fi
    rm -rf -- "$work"
}
trap tidy EXIT

# Untried: a keychain of its own, so that the user's stays as it is.
open_keychain() {
    password=$(uuidgen)
    printf '%s' "$MACOS_CERTIFICATE" | base64 --decode >"$work/certificate.p12"
    security create-keychain -p "$password" "$keychain"
    security set-keychain-settings -lut 3600 "$keychain"
    security unlock-keychain -p "$password" "$keychain"
    security import "$work/certificate.p12" -P "${MACOS_CERTIFICATE_PASSWORD-}" -k "$keychain" -T /usr/bin/codesign
    security set-key-partition-list -S apple-tool:,apple: -s -k "$password" "$keychain" >/dev/null
    # codesign looks only into keychains of the list.
    # shellcheck disable=SC2046
    security list-keychains -d user -s "$keychain" $(security list-keychains -d user | tr -d '"')
}

# Libraries by what they are, not by name: those of frameworks have no ending, and what is no code needs no signature.
code() {
    find "$app/Contents" -type f ! -path "$app/Contents/MacOS/hearth" | while IFS= read -r part; do
        case $(file -b "$part") in
            Mach-O*) printf '%s\0' "$part" ;;
        esac
    done
}

# Untried: from the inside out, for the signature of the whole covers those of its parts: libraries, frameworks, program.
# Apple advises against --deep, which would give the program's entitlements to all of them.
sign() {
    set -- codesign --force --timestamp --options runtime --sign "$MACOS_IDENTITY"
    code | xargs -0 -n 20 "$@"
    find "$app/Contents/Frameworks" -type d -path '*.framework/Versions/*' -prune -print0 | xargs -0 -n 20 "$@"
    "$@" --entitlements "$here/entitlements.plist" "$app"
    codesign --verify --deep --strict --verbose=2 "$app"
}

# Untried: the image holds the program and a link to the folder where programs go. ditto, because it keeps all that a
# signature may lie in.
pack() {
    mkdir "$work/image"
    ditto "$app" "$work/image/Hearth.app"
    ln -s /Applications "$work/image/Applications"
    # A virus scanner may still hold what was just written, and hdiutil then says that the resource is busy.
    for pause in 10 30 0; do
        if hdiutil create -volname Hearth -srcfolder "$work/image" -fs HFS+ -format UDZO -ov "$dmg"; then return; fi
        sleep "$pause"
    done
    echo "hdiutil could not make $dmg." >&2
    exit 1
}

# Untried: Apple looks at a file. notarytool ends with 0 for a refusal too, so what it told is read.
submit() {
    file=$1
    set -- --key "$work/key.p8" --key-id "$NOTARY_KEY_ID" --issuer "$NOTARY_ISSUER"
    xcrun notarytool submit "$file" "$@" --wait --timeout 30m --output-format plist >"$work/told.plist"
    if [ "$(plutil -extract status raw "$work/told.plist")" = Accepted ]; then return; fi
    xcrun notarytool log "$(plutil -extract id raw "$work/told.plist")" "$@" >&2 || true
    echo "Apple refused $file." >&2
    exit 1
}

# Untried: the ticket is stapled to the program, which people take out of the image, so that it opens without a network.
notarise_app() {
    printf '%s' "$NOTARY_KEY" | base64 --decode >"$work/key.p8"
    ditto -c -k --keepParent "$app" "$work/app.zip"
    submit "$work/app.zip"
    xcrun stapler staple "$app"
    spctl --assess --type execute --verbose "$app"
}

# Untried: the image has a ticket of its own.
notarise_image() {
    submit "$dmg"
    xcrun stapler staple "$dmg"
    xcrun stapler validate "$dmg"
    spctl --assess --type open --context context:primary-signature --verbose "$dmg"
}

signed=no notarised=no
if [ -n "${MACOS_CERTIFICATE-}" ] && [ -n "${MACOS_IDENTITY-}" ]; then
    open_keychain
    sign
    signed=yes
else
    echo "Not signed: MACOS_CERTIFICATE and MACOS_IDENTITY are not set. macOS will refuse to open it until its owner"
    echo "allows it in System Settings, Privacy & Security."
    # Apple's processors start nothing without a signature, and the build has put files into the program since PyInstaller
    # signed it; this one names nobody. Untried.
    codesign --force --deep --sign - "$app"
fi
# The signature must not have cost the program anything. It is told none of the secrets. Untried.
env -i HOME="$HOME" HEARTH_HOME="$work/home" "$app/Contents/MacOS/hearth" selftest
if [ "$signed" = yes ] && [ -n "${NOTARY_KEY-}" ] && [ -n "${NOTARY_KEY_ID-}" ] && [ -n "${NOTARY_ISSUER-}" ]; then
    notarise_app
    notarised=yes
else
    echo "Not notarised: that takes a signature, and NOTARY_KEY, NOTARY_KEY_ID and NOTARY_ISSUER."
fi
pack
if [ "$signed" = yes ]; then
    codesign --force --timestamp --sign "$MACOS_IDENTITY" "$dmg"
fi
if [ "$notarised" = yes ]; then
    notarise_image
fi
echo "$dmg"
