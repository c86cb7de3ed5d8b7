#!/bin/sh
# start.sh PASSWORD_FILE: starts Redis in a container with the settings and the user beside this script. They go through
# standard input, so that neither the list of processes nor a file shows the password.
set -eu

here=$(dirname "$0")
password=$(cat "$1")
exec redis-server - <<END
$(cat "$here/redis.conf")
$(sed "s/CHANGE_ME/$password/" "$here/users.acl")
END
