#!/usr/bin/env bash
# Sends requests with curl, over one connection where possible: see `clients.ts`.
set -euo pipefail
url=$1 mode=$2
shift 2

folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

# curl itself expects `100 Continue` before a large body, so the plain mode turns that off.
case $mode in
  plain) options=(--header 'Expect:') ;;
  chunked) options=(--header 'Expect:' --header 'Transfer-Encoding: chunked') ;;
  expect) options=(--header 'Expect: 100-continue' --expect100-timeout 60) ;;
  http1.0) options=(--http1.0 --header 'Expect:') ;;
esac

transfers=()
for request in "$@"; do
  key=${request%:*} bytes=${request#*:} file=$folder/${#transfers[@]}
  transfers+=(--next --silent --show-error --dump-header "$file.head" --output "$file.body")
  transfers+=(--write-out "$file %{http_code} %{local_port} %header{x-error-code}\n")
  transfers+=("${options[@]}" --header "api-key: $key")
  if [ "$bytes" = 0 ]; then
    transfers+=("$url/compounds")
  else
    { printf '{"name":"' && head -c $((bytes - 11)) /dev/zero | tr '\0' x && printf '"}'; } >"$file.sent"
    transfers+=(--header 'Content-Type: application/json' --data-binary "@$file.sent" "$url/leads")
  fi
done

curl "${transfers[@]:1}" | while read -r file status port code; do
  # curl gives up a connection when an error precedes the end of the body, so the port would prove nothing.
  [ "$mode" != plain ] || port=null
  continued=$(grep --quiet '^HTTP/1.1 100' "$file.head" && echo true || echo false)
  printf '{"status":%s,"errorCode":"%s","port":%s,"continued":%s,"body":%s}\n' \
    "$status" "$code" "$port" "$continued" "$(cat "$file.body")"
done
