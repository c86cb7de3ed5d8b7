#!/bin/bash
# start.sh: starts Elasticsearch in a container whose file system is read-only. Its start writes a keystore beside its
# settings, so that they are copied to ES_PATH_CONF, which is writable, and not kept.
set -eu

find "$ES_PATH_CONF" -mindepth 1 -delete
cp -R config/. "$ES_PATH_CONF"
exec tini -- docker-entrypoint.sh eswrapper
