#!/bin/sh
# start.sh PASSWORD_FILE: starts Redis in a container with the settings and the user beside this script. They go through
# standard input, the password as its hash: neither the process list nor a file contains it, and any characters are allowed.
set -eu

here=$(dirname "$0")
hash=$(printf %s "$(cat "$1")" | sha256sum | cut -c 1-64)
exec redis-server - <<END
$(cat "$here/redis.conf")
$(sed "s/>CHANGE_ME/#$hash/" "$here/users.acl")
END
