#!/bin/sh
# Replaces the data by those of a backup, including the users of MongoDB and their passwords: restore.sh <file>
# Collections that the backup does not contain stay.
#
# RESTORE_CONFIG  a file with the line `uri: mongodb://...` of a user with the role `root`
set -eu
# A new server has given its users other internal ids. Replacing them ends open connections, so users come first.
mongorestore --config="$RESTORE_CONFIG" --stopOnError --drop --nsInclude='admin.*' --gzip --archive="$1"
mongorestore --config="$RESTORE_CONFIG" --stopOnError --drop --oplogReplay --gzip --archive="$1"
echo "Restored $1"
