#!/bin/sh
# create-users.sh URL ADMIN_PASSWORD_FILE WRITER_PASSWORD_FILE READER_PASSWORD_FILE: creates the two roles beside this script
# and a user for each: history_writer of the indexing side and history_reader of the API side. Run it again to change the
# passwords. The administrator is `elastic`. CURL_CA_BUNDLE is the file of a private certificate authority.
set -eu

url=$1
admin_password=$(cat "$2")
here=$(dirname "$0")

# Passwords go through standard input and files: arguments would be visible in the process list.
put() {
  printf 'user = "elastic:%s"\n' "$admin_password" |
    curl --silent --show-error --fail --config - --header 'content-type: application/json' \
      --request PUT "$url/_security/$1" --data-binary "@$2"
  echo
}

create_user() {
  body=$(mktemp)
  trap 'rm -f "$body"' EXIT
  printf '{"password":"%s","roles":["%s"]}' "$(cat "$2")" "$1" >"$body"
  put "user/$1" "$body"
  rm -f "$body"
}

put role/history_writer "$here/history-writer-role.json"
put role/history_reader "$here/history-reader-role.json"
create_user history_writer "$3"
create_user history_reader "$4"
