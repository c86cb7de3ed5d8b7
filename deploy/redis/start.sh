#!/bin/sh
# start.sh PASSWORD_FILE: starts Redis in a container with the settings and the user beside this script. They go through
# standard input, the password by its hash: neither the list of processes nor a file shows it, and it may have any
# characters.
set -eu

here=$(dirname "$0")
hash=$(printf %s "$(cat "$1")" | sha256sum | cut -c 1-64)
exec redis-server - <<END
$(cat "$here/redis.conf")
$(sed "s/>CHANGE_ME/#$hash/" "$here/users.acl")
END
