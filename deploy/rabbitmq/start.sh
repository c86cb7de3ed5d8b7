#!/bin/sh
# start.sh PASSWORD_FILE: starts RabbitMQ in a container, with the virtual host and the user that broker.rabbitmq names
# made at the first start.
set -eu

RABBITMQ_DEFAULT_PASS=$(cat "$1")
export RABBITMQ_DEFAULT_PASS RABBITMQ_DEFAULT_USER=history RABBITMQ_DEFAULT_VHOST=history
exec docker-entrypoint.sh rabbitmq-server
