#!/bin/sh
# Creates the secrets of this deployment in the folder `secrets`. Existing ones stay, so it can be repeated.
set -eu
openssl version >/dev/null
cd "$(dirname "$0")"
hosts=mongodb-1:27017,mongodb-2:27017,mongodb-3:27017
# Only its owner enters the folder. The files themselves are readable, because containers have users of their own.
mkdir -p -m 700 secrets
umask 022

# Stores standard input as a secret.
secret() {
  if [ ! -e "secrets/$1" ]; then cat >"secrets/$1"; fi
}
uri() {
  echo "mongodb://$1:$(openssl rand -hex 24)@$hosts/${2:-}?replicaSet=rs0&authSource=admin"
}

openssl rand -base64 756 | secret mongodb-key
echo "uri: $(uri admin)" | secret mongodb-admin.yaml
echo "uri: $(uri backup)" | secret mongodb-backup.yaml
uri service integration | secret mongodb-service-uri
uri database integration | secret mongodb-database-uri
# Before 1.0.0 the key was in `.env`. The data needs the same key.
key=$(sed -n 's/^ENCRYPTION_KEYS=//p' .env 2>/dev/null || true)
if [ -n "$key" ]; then
  echo "$key" | secret encryption-keys
  echo 'secrets/encryption-keys has the key of .env. Remove ENCRYPTION_KEYS and MONGODB_URI from .env.'
else
  openssl rand -base64 32 | secret encryption-keys
fi
