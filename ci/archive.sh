#!/bin/sh
# Builds the program and packs it with man pages, completions and licences: dist/pidlab-VERSION-NAME.tar.gz
#
#   ci/archive.sh NAME [options of cargo build]
#
# PIDLAB=path takes that program instead of building one
set -eu
name=${1:?"usage: ci/archive.sh NAME, such as linux-x86_64"}
shift
if [ -z "${PIDLAB:-}" ]; then
    cargo build --release --bin pidlab "$@"
    PIDLAB=target/release/pidlab
    [ ! -e "$PIDLAB.exe" ] || PIDLAB=$PIDLAB.exe
fi
version=$("$PIDLAB" --version | cut -d ' ' -f 2 | tr -d '\r')
# what does not work is not packed; a program without experiments has no selftest
"$PIDLAB" check examples/q3.json examples/q3-prime.json --check > /dev/null
"$PIDLAB" cover models/rockall.bp > /dev/null
if "$PIDLAB" --help | grep -q selftest; then
    "$PIDLAB" selftest --seconds 1 > /dev/null
fi

whole=pidlab-$version-$name
folder=dist/$whole
rm -rf "$folder"
mkdir -p "$folder/completions"
cp "$PIDLAB" "$folder"
cp README.md CHANGELOG.md CITATION.cff LICENSE-MIT LICENSE-APACHE "$folder"
"$PIDLAB" man "$folder/man/man1" > /dev/null
for shell in bash zsh fish powershell elvish; do
    "$PIDLAB" completions "$shell" > "$folder/completions/pidlab.$shell"
done
tar -C dist -czf "dist/$whole.tar.gz" "$whole"
rm -rf "$folder"
echo "dist/$whole.tar.gz"
