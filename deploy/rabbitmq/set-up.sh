#!/bin/sh
# set-up.sh PASSWORD_FILE [VHOST [USER]]: makes the virtual host and the user that broker.rabbitmq names, with all
# permissions there and none elsewhere, and enables the management interface. As root or the server's user, on the server;
# may be run again, also to set another password. The apps make their queues themselves (definitions.json shows them).
set -eu

vhost=${2:-history}
user=${3:-history}

rabbitmq-plugins enable rabbitmq_management rabbitmq_prometheus

if ! rabbitmqctl --quiet list_vhosts name | grep -Fqx "$vhost"; then
  rabbitmqctl add_vhost "$vhost"
fi
# Through standard input, where no list of processes shows the password.
if rabbitmqctl --quiet list_users | cut -f1 | grep -Fqx "$user"; then
  rabbitmqctl change_password "$user" <"$1"
else
  rabbitmqctl add_user "$user" <"$1"
fi
rabbitmqctl set_permissions --vhost "$vhost" "$user" '.*' '.*' '.*'

echo "Done. Delete the user that everybody knows, if nothing else uses it: rabbitmqctl delete_user guest"
