#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/jansson.sh FOLDER: the source of jansson, the JSON library (MIT licence), into FOLDER. It is that of Debian's source
# package: apt-get brings it and checks its signature, with lists of packages below FOLDER, so the machine's own stay as they are.
# The archive has the SHA-256 below, or nothing is unpacked. FOLDER/src has the settings that jansson has for hosts without its
# ./configure. Exit status 77: apt-get cannot bring it.
set -eu
version=2.14
digest=c739578bf6b764aa0752db9a2fdadcfe921c78f1228c7ec0bb47fa804c55d17b

rm -rf "$1"
mkdir -p "$1/lists/partial" "$1/sources"
folder=$(cd "$1" && pwd)
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -e "$file" ] || sed -n 's/^deb /deb-src /p' "$file" > "$folder/sources/$(basename "$file")"
done
for file in /etc/apt/sources.list.d/*.sources; do
    [ ! -e "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" > "$folder/sources/$(basename "$file")"
done
apt() {
    apt-get -q -o Dir::Etc::SourceList="$folder/none" -o Dir::Etc::SourceParts="$folder/sources" -o Dir::State::Lists="$folder/lists" \
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= "$@" 2>&1
}
download() { apt update && cd "$folder" && apt source --download-only jansson; }
: > "$folder/none"
(download) > "$folder/lists/log" || { cat "$folder/lists/log"; echo "apt-get does not bring the source of jansson"; exit 77; } >&2
archive=$folder/jansson_$version.orig.tar.gz
[ -e "$archive" ] || { echo "the source of jansson here is not version $version; JANSSON=FOLDER names one" >&2; exit 77; }
echo "$digest  $archive" | sha256sum --quiet -c -
tar -xzf "$archive" -C "$folder" --strip-components=1
cp "$folder/android/jansson_config.h" "$folder/src"
: > "$folder/src/jansson_private_config.h"
rm -rf "$folder/lists" "$folder/sources" "$folder/none"
