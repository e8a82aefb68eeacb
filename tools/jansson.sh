#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/jansson.sh FOLDER: the source of jansson, the JSON library (MIT licence), into FOLDER. It is that of Debian's source
# package, which apt-get brings and whose signature it checks; the archive is compared with the SHA-256 below besides. Only lists
# of packages below FOLDER are read and written. Configured for wasm32 by its own settings for a host without ./configure.
set -eu
version=2.14
digest=c739578bf6b764aa0752db9a2fdadcfe921c78f1228c7ec0bb47fa804c55d17b
folder=$1

rm -rf "$folder"
mkdir -p "$folder/lists/partial" "$folder/sources"
folder=$(cd "$folder" && pwd)
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -e "$file" ] || sed -n 's/^deb /deb-src /p' "$file" > "$folder/sources/$(basename "$file" .list).list"
done
for file in /etc/apt/sources.list.d/*.sources; do
    [ ! -e "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" > "$folder/sources/$(basename "$file")"
done
apt() {
    apt-get -q -o Dir::Etc::SourceList="$folder/none" -o Dir::Etc::SourceParts="$folder/sources" -o Dir::State::Lists="$folder/lists" \
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root "$@"
}
: > "$folder/none"
apt update > "$folder/log" 2>&1 && (cd "$folder" && apt source --download-only "jansson=$version-*" >> log 2>&1) ||
    (cd "$folder" && apt source --download-only jansson >> log 2>&1) || { cat "$folder/log" >&2; exit 1; }
archive=$folder/jansson_$version.orig.tar.gz
echo "$digest  $archive" | sha256sum --quiet -c -
tar -xzf "$archive" -C "$folder" --strip-components=1
cp "$folder/android/jansson_config.h" "$folder/src"
: > "$folder/src/jansson_private_config.h"
rm -rf "$folder/lists" "$folder/sources" "$folder/none"
