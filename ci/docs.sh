#!/bin/sh
# Builds the documentation as a site with search: docs/ and the pages and figures it links to.
#
#   ci/docs.sh FOLDER
#
# Needs mdbook (cargo install mdbook) and no network.
set -eu
site=${1:?"usage: ci/docs.sh FOLDER"}
case $site in
/*) ;;
*) site=$PWD/$site ;;
esac
cd "$(dirname "$0")/.."
# pages link to files of the repository by their places: the book is made of a copy with the same places
book=$(mktemp -d)
trap 'rm -rf "$book"' EXIT
mkdir "$book/src"
cp docs/book.toml "$book"
cp -R docs README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md ROADMAP.md CITATION.cff "$book/src"
mkdir -p "$book/src/results" "$book/src/plots"
cp results/*.md "$book/src/results"
cp -R plots/sacs10-paper plots/tournament-small "$book/src/plots"
cp -R examples "$book/src"
mv "$book/src/docs/SUMMARY.md" "$book/src/SUMMARY.md"
mdbook build "$book" --dest-dir "$site"
