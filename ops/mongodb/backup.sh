#!/bin/sh
# Writes a backup of the whole replica set, consistent at one point in time, and deletes old ones.
#
# BACKUP_CONFIG     a file with the line `uri: mongodb://...`; in an argument, other users could read the password
# BACKUP_FOLDER     the folder of the backups
# BACKUP_KEEP_DAYS  the age after which a backup is deleted
set -eu
umask 077
file="$BACKUP_FOLDER/integration-$(date -u +%Y%m%dT%H%M%SZ).gz"
# An interrupted backup keeps this name.
mongodump --config="$BACKUP_CONFIG" --oplog --gzip --archive="$file.partial"
mv "$file.partial" "$file"
find "$BACKUP_FOLDER" -name 'integration-*.gz*' -mtime "+$BACKUP_KEEP_DAYS" -delete
echo "Stored $file"
