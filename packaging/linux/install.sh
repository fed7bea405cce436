#!/bin/sh
# Puts the Hearth in this folder into the menu of this user's desktop, or takes it out again with --remove.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
data=${XDG_DATA_HOME:-$HOME/.local/share}
entry=$data/applications/hearth.desktop

each() { (cd "$here/share" && find icons mime -type f); }

refresh() {
    for command in "update-desktop-database $data/applications" "update-mime-database $data/mime" \
        "gtk-update-icon-cache -q -t $data/icons/hicolor"; do
        # shellcheck disable=SC2086
        if command -v ${command%% *} >/dev/null 2>&1; then $command >/dev/null 2>&1 || true; fi
    done
}

if [ "${1-}" = --remove ]; then
    rm -f -- "$entry"
    each | while read -r file; do rm -f -- "$data/$file"; done
    refresh
    echo "Hearth is out of the menu. This folder, and your conversations, are where they were."
    exit 0
fi

mkdir -p -- "$data/applications" "$data/mime/packages"
each | while read -r file; do
    mkdir -p -- "$data/$(dirname -- "$file")"
    cp -- "$here/share/$file" "$data/$file"
done
# The desktop entry's rules: quotes around the path, and a backslash before what is special inside them.
quoted=$(printf '%s' "$here/hearth" | sed -e 's/[\\"`$]/\\&/g' -e 's/%/%%/g' -e 's/\\/\\\\/g')
# awk, because a path may hold whatever sed would take for its own.
PROGRAM=$quoted awk '/^Exec=/ { print "Exec=\"" ENVIRON["PROGRAM"] "\" %F"; next } { print }' \
    "$here/share/applications/hearth.desktop" >"$entry.new"
mv -- "$entry.new" "$entry"
refresh
echo "Hearth is in the menu now. It runs from $here, so let this folder stay there."
