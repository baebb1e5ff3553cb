#!/bin/sh
# Replaces all data by those of a backup, including the users of MongoDB and their passwords: restore.sh <file>
#
# RESTORE_CONFIG  a file with the line `uri: mongodb://...` of a user with the role `root`
set -eu
mongorestore --config="$RESTORE_CONFIG" --stopOnError --drop --oplogReplay --gzip --archive="$1"
echo "Restored $1"
