#!/bin/bash
# Members of a replica set authenticate with a shared key. There is only one member here, so the key is derived from its password.
set -euo pipefail
key=/tmp/replica-set.key
umask 077
printf %s "$MONGO_INITDB_ROOT_PASSWORD" | sha256sum | cut -d ' ' -f 1 >"$key"
chown mongodb:mongodb "$key"
exec docker-entrypoint.sh mongod --replSet fanfare --keyFile "$key" --bind_ip_all
