#!/bin/bash
# start.sh: starts Elasticsearch in a container with a read-only file system. The server writes a keystore beside its settings
# at each start: they are copied to ES_PATH_CONF, which is writable and not persistent.
set -eu

find "$ES_PATH_CONF" -mindepth 1 -delete
cp -R config/. "$ES_PATH_CONF"
exec tini -- docker-entrypoint.sh eswrapper
