#!/bin/sh
# Signs dist/Hearth.app, packs it into a .dmg, and has Apple notarise that: as far as there are secrets for it.
#
#   MACOS_CERTIFICATE, MACOS_CERTIFICATE_PASSWORD   a "Developer ID Application" certificate, .p12 in base64
#   MACOS_IDENTITY                                  its name
#   NOTARY_KEY, NOTARY_KEY_ID, NOTARY_ISSUER        a key of App Store Connect, .p8 in base64
#
# Nothing in here could be tried, for want of a Mac; shellcheck has read it.
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
    security import "$work/certificate.p12" -P "$MACOS_CERTIFICATE_PASSWORD" -k "$keychain" -T /usr/bin/codesign
    security set-key-partition-list -S apple-tool:,apple: -s -k "$password" "$keychain" >/dev/null
    # codesign looks only into keychains of the list.
    # shellcheck disable=SC2046
    security list-keychains -d user -s "$keychain" $(security list-keychains -d user | tr -d '"')
}

# Untried: from the inside out, for the signature of the whole covers those of its parts.
sign() {
    find "$app/Contents" -type f \( -name '*.dylib' -o -name '*.so' -o -perm -u+x \) \
        ! -path "$app/Contents/MacOS/hearth" -print0 |
        xargs -0 -n 20 codesign --force --timestamp --options runtime --sign "$MACOS_IDENTITY"
    codesign --force --timestamp --options runtime --entitlements "$here/entitlements.plist" \
        --sign "$MACOS_IDENTITY" "$app"
    codesign --verify --deep --strict --verbose=2 "$app"
}

# Untried: the image holds the program and a link to the folder where programs go.
pack() {
    mkdir "$work/image"
    cp -R "$app" "$work/image/"
    ln -s /Applications "$work/image/Applications"
    rm -f -- "$dmg"
    hdiutil create -volname Hearth -srcfolder "$work/image" -fs HFS+ -format UDZO "$dmg"
}

# Untried: Apple looks at the image; its ticket is then stapled to it, so that it opens without a network too.
notarise() {
    printf '%s' "$NOTARY_KEY" | base64 --decode >"$work/key.p8"
    xcrun notarytool submit "$dmg" --key "$work/key.p8" --key-id "$NOTARY_KEY_ID" --issuer "$NOTARY_ISSUER" \
        --wait --timeout 30m
    xcrun stapler staple "$dmg"
    xcrun stapler validate "$dmg"
    spctl --assess --type open --context context:primary-signature --verbose "$dmg"
}

signed=no
if [ -n "${MACOS_CERTIFICATE-}" ] && [ -n "${MACOS_IDENTITY-}" ]; then
    open_keychain
    sign
    signed=yes
else
    echo "Not signed: MACOS_CERTIFICATE and MACOS_IDENTITY are not set. macOS will open it only after a right click."
    # Apple's processors start nothing without a signature; this one names nobody. Untried.
    codesign --force --deep --sign - "$app"
fi
# The signature must not have cost the program anything. Untried.
"$app/Contents/MacOS/hearth" selftest
pack
if [ "$signed" = yes ]; then
    codesign --force --timestamp --sign "$MACOS_IDENTITY" "$dmg"
fi
if [ "$signed" = yes ] && [ -n "${NOTARY_KEY-}" ] && [ -n "${NOTARY_KEY_ID-}" ] && [ -n "${NOTARY_ISSUER-}" ]; then
    notarise
else
    echo "Not notarised: that takes a signature, and NOTARY_KEY, NOTARY_KEY_ID and NOTARY_ISSUER."
fi
echo "$dmg"
