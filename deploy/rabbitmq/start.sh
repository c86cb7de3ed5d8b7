#!/bin/sh
# start.sh PASSWORD_FILE: starts RabbitMQ in a container. The first start creates the virtual host and the user of
# broker.rabbitmq.
set -eu

RABBITMQ_DEFAULT_PASS=$(cat "$1")
export RABBITMQ_DEFAULT_PASS RABBITMQ_DEFAULT_USER=history RABBITMQ_DEFAULT_VHOST=history
exec docker-entrypoint.sh rabbitmq-server
