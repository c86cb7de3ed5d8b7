#!/bin/sh
# set-up.sh PASSWORD_FILE [VHOST [USER]]: creates the virtual host and the user of broker.rabbitmq, with all permissions in
# that virtual host and none elsewhere, and enables the management interface. Run it on the server as root or as the server's
# user; run it again to change the password. The apps declare their queues themselves (definitions.json lists them).
set -eu

vhost=${2:-history}
user=${3:-history}

rabbitmq-plugins enable rabbitmq_management rabbitmq_prometheus

if ! rabbitmqctl --quiet list_vhosts name | grep -Fqx "$vhost"; then
  rabbitmqctl add_vhost "$vhost"
fi
# The password goes through standard input: an argument would be visible in the process list.
if rabbitmqctl --quiet list_users | cut -f1 | grep -Fqx "$user"; then
  rabbitmqctl change_password "$user" <"$1"
else
  rabbitmqctl add_user "$user" <"$1"
fi
rabbitmqctl set_permissions --vhost "$vhost" "$user" '.*' '.*' '.*'

echo "Done. If nothing else uses the well-known user guest, delete it: rabbitmqctl delete_user guest"
