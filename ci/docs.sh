#!/bin/sh
# Builds the documentation as a site with search: docs/ and the pages, figures and files it links to.
#
#   ci/docs.sh FOLDER             the site
#   ci/docs.sh --sources FOLDER   only what mdbook makes it of
#
# It needs no network but for mdbook itself, which cargo builds into target/tools (a minute) where it is not installed; without one
# it ends with 69.
set -eu
only_sources=
if [ "${1:-}" = --sources ]; then
    only_sources=yes
    shift
fi
target=${1:?"usage: ci/docs.sh [--sources] FOLDER"}
case $target in
/*) ;;
*) target=$PWD/$target ;;
esac
cd "$(dirname "$0")/.."

# pages link to files of the repository by their places: the book is made of a copy with the same places
copy() {
    mkdir -p "$1/src"
    cp docs/book.toml "$1"
    for part in docs README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md ROADMAP.md CITATION.cff \
        results/README.md results/tournament-small/tournament.tex plots/sacs10-paper plots/tournament-small \
        examples ci/github-release.yml backends/adapters/requirements.txt python/examples/snakes_nets.py; do
        mkdir -p "$1/src/$(dirname "$part")"
        cp -R "$part" "$1/src/$part"
    done
    mv "$1/src/docs/SUMMARY.md" "$1/src/SUMMARY.md"
}

if [ -n "$only_sources" ]; then
    copy "$target"
    exit
fi
PATH=$PATH:$PWD/target/tools/bin
if ! command -v mdbook > /dev/null; then
    cargo install mdbook --version 0.5.4 --locked --no-default-features --features search \
        --root target/tools --target-dir target/tools/build || {
        echo "SKIPPED: mdbook can be neither found nor installed; the site is not built" >&2
        exit 69
    }
    rm -rf target/tools/build
fi
book=$(mktemp -d)
trap 'rm -rf "$book"' EXIT
copy "$book"
mdbook build "$book" --dest-dir "$target"
