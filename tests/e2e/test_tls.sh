#!/bin/bash
# Who may speak to the service: TLS, client certificates and bearer tokens on
# every listener, and replacing each of them while requests go on.
. "$(dirname "$0")/lib.sh"
npm_ready
pki=$work/pki
mkdir -p "$pki"

# authority NAME
authority() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
        -keyout "$pki/$1.key" -out "$pki/$1.pem" -subj "/CN=$1" 2>/dev/null
}

# certificate NAME AUTHORITY SAN: replaced in one step, as a tool would
certificate() {
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$pki/$1.key.new" \
        -out "$pki/$1.csr" -subj "/CN=$1" 2>/dev/null
    openssl x509 -req -in "$pki/$1.csr" -CA "$pki/$2.pem" -CAkey "$pki/$2.key" -CAcreateserial \
        -days 2 -extfile <(echo "subjectAltName=$3") -out "$pki/$1.pem.new" 2>/dev/null
    mv "$pki/$1.key.new" "$pki/$1.key"
    mv "$pki/$1.pem.new" "$pki/$1.pem"
}

authority good
authority other
certificate server good DNS:localhost,IP:127.0.0.1
certificate shop good DNS:shop
certificate thief good DNS:thief
certificate stranger other DNS:shop

# tls RELOAD [MORE]: the three listeners under the server's certificate
tls() {
    local tls="tls: {cert_file: $pki/server.pem, key_file: $pki/server.key, reload_interval: $1${2:+, $2}}"
    echo "receivers: {otlp: {protocols: {grpc: {$tls}, http: {$tls}}}}
query: {$tls}
pairing: {wait: 500ms}
store: {flush_interval: 100ms}"
}

# status [curl options]: the status code, 000 when there is no answer
status() { curl -s -m 10 -o "$work/body" -w '%{http_code}' "$@"; }
traces=(-H 'Content-Type: application/json' -d '{}')
as() { printf '%s\n' --cert "$pki/$1.pem" --key "$pki/$1.key"; }
good=(--cacert "$pki/good.pem")

# serial ADDRESS: of the certificate shown there
serial() { openssl s_client -connect "$1" </dev/null 2>/dev/null | openssl x509 -noout -serial; }

# --- TLS
start_service "$work/data" "$(tls 1s)"
same "HTTP under TLS" 200 "$(status "${good[@]}" "${traces[@]}" "https://$http/v1/traces")"
same "by HTTP/2, too" "200 2" "$(curl -s -m 10 -o /dev/null --http2 "${good[@]}" "${traces[@]}" -w '%{http_code} %{http_version}' "https://$http/v1/traces")"
same "metrics under TLS" 200 "$(status "${good[@]}" "https://$query/metrics")"
for try in 1 2 3; do
    same "no plain HTTP there" 000 "$(status "${traces[@]}" "http://$http/v1/traces")"
    same "nor questions" 000 "$(status "http://$query/metrics")"
    same "nor by HTTP/2" 000 "$(status --http2-prior-knowledge "http://$query/metrics")"
    same "nor HTTP/1.1 on gRPC's port" 000 "$(status "${traces[@]}" "http://$grpc/v1/traces")"
done
same "another authority does not vouch for it" 000 "$(status --cacert "$pki/other.pem" "${traces[@]}" "https://$http/v1/traces")"
same "no TLS 1.1" 000 "$(status "${good[@]}" --tls-max 1.1 "${traces[@]}" "https://$http/v1/traces")"
has "gRPC under TLS" '"code":"OK"' "$(call "$grpc" export --ca "$pki/good.pem")"
has "gRPC with another authority" '"code":"UNAVAILABLE"' "$(call "$grpc" export --ca "$pki/other.pem" --timeout 2000)"
has "no plain gRPC there" '"code":"UNAVAILABLE"' "$(call "$grpc" export --timeout 2000)"
has "gRPC on the HTTP port under TLS" '"code":"OK"' "$(call "$http" export --ca "$pki/good.pem")"
logged() { has "the log has: $1" "$1" "$(cat "$work/service.log")"; }
plain='a client speaks to a port of TLS without it; let it send to https://" port='
for port in "${http##*:}" "${query##*:}" "gRPC's"; do
    same "one line a minute says what to do of port $port" 1 "$(grep -cF "$plain\"$port\"" "$work/service.log")"
done
same "and no other does" "" "$(grep -E 'http request|wrong version number|no HTTP' "$work/service.log")"
logged "port ${http##*:}: tlsv1 alert unknown ca"
logged "port ${http##*:}: unsupported protocol"

# --- reload: by SIGHUP, and by itself, under load

for address in "$grpc" "$http"; do
    call "$address" loop 8 4 --ca "$pki/good.pem" >"$work/loop.${address##*:}" &
    loops="${loops:-} $!"
done
(
    until [ -e "$work/stop" ]; do
        curl -s -m 5 "${good[@]}" "${traces[@]}" -o /dev/null -w '%{http_code}\n' "https://$http/v1/traces"
    done >"$work/loop.curl"
) &
curls=$!
before=$(serial "$grpc")
for i in 1 2 3 4 5; do
    certificate server good DNS:localhost,IP:127.0.0.1
    kill -HUP "$service_pid"
    sleep 0.5
done
now=$(openssl x509 -noout -serial -in "$pki/server.pem")
for address in "$grpc" "$http" "$query"; do
    same "SIGHUP: a new certificate on ${address##*:}" "$now" "$(serial "$address")"
done
check "it is another one" test "$before" != "$now"
certificate server good DNS:localhost,IP:127.0.0.1
now=$(openssl x509 -noout -serial -in "$pki/server.pem")
sleep 2.5
for address in "$grpc" "$http" "$query"; do
    same "by itself: a new certificate on ${address##*:}" "$now" "$(serial "$address")"
done
echo nonsense >"$pki/server.pem"
kill -HUP "$service_pid"
sleep 1
same "a broken certificate does not replace a good one" "$now" "$(serial "$grpc")"
has "and is said" "server.pem" "$(grep 'level=error' "$work/service.log")"
for pid in $loops; do wait "$pid"; done
touch "$work/stop"
wait $curls
for address in "$grpc" "$http"; do
    has "no request lost on ${address##*:}" '"failed":0' "$(cat "$work/loop.${address##*:}")"
done
same "nor over HTTP/1.1" "" "$(grep -v '^200$' "$work/loop.curl")"
check "it stops cleanly" stop_service
certificate server good DNS:localhost,IP:127.0.0.1

# --- client certificates
start_service "$work/mtls" "$(tls 1m "client_ca_file: $pki/good.pem, allowed_names: [shop]")"
same "HTTP with a client certificate" 200 "$(status "${good[@]}" $(as shop) "${traces[@]}" "https://$http/v1/traces")"
same "queries with one" 200 "$(status "${good[@]}" $(as shop) "https://$query/healthz")"
same "without one" 000 "$(status "${good[@]}" "${traces[@]}" "https://$http/v1/traces")"
same "queries without one" 000 "$(status "${good[@]}" "https://$query/healthz")"
same "of another authority" 000 "$(status "${good[@]}" $(as stranger) "${traces[@]}" "https://$http/v1/traces")"
same "with a name that is not allowed" 000 "$(status "${good[@]}" $(as thief) "${traces[@]}" "https://$http/v1/traces")"
grpc_as() { call "$grpc" export --ca "$pki/good.pem" --cert "$pki/$1.pem" --key "$pki/$1.key" --timeout 2000; }
has "gRPC with one" '"code":"OK"' "$(grpc_as shop)"
has "gRPC without one" '"code":"UNAVAILABLE"' "$(call "$grpc" export --ca "$pki/good.pem" --timeout 2000)"
has "gRPC of another authority" '"code":"UNAVAILABLE"' "$(grpc_as stranger)"
out=$(grpc_as thief)
check "gRPC with a name that is not allowed" grep -qE 'UNAVAILABLE|PERMISSION_DENIED|UNAUTHENTICATED' <<<"$out"
logged "port ${http##*:}: peer did not return a certificate"
logged "port ${http##*:}: certificate verify failed"
logged "gRPC's port: Handshake failed with fatal error SSL_ERROR_SSL"
check "it stops cleanly" stop_service

# --- what has no TLS
start_service "$work/plain"
same "no TLS without a certificate" 000 "$(status "${good[@]}" "${traces[@]}" "https://$http/v1/traces")"
has "nor of gRPC" '"code":"UNAVAILABLE"' "$(call "$grpc" export --ca "$pki/good.pem" --timeout 2000)"
same "no HTTP/1.1 on gRPC's port" 000 "$(status "${traces[@]}" "http://$grpc/v1/traces")"
same "nor of questions" 000 "$(status "${good[@]}" "https://$query/metrics")"
for port in "${http##*:}" "${query##*:}" "gRPC's"; do
    logged "a client speaks TLS to a port without it; let it send to http://, or give the port a certificate\" port=\"$port\""
done
logged "a client speaks HTTP/1.1, or no HTTP, to gRPC's port"
check "it stops cleanly" stop_service

# --- what would leave a door open is refused
refused() { timeout 10 "$spangraph" serve --data "$work/none" --config <(echo "$1") 2>&1; }
out=$(refused "receivers: {otlp: {protocols: {http: {endpoint: \"localhost:0\", tls: {client_ca_file: $pki/good.pem}}, grpc: {enabled: false}}}}
query: {enabled: false}")
same "client certificates without TLS are refused" 2 $?
has "and it is said why" "cert_file" "$out"
out=$(refused "receivers: {otlp: {protocols: {http: {endpoint: \"localhost:0\", tls: {cert_file: $pki/server.pem, key_file: $pki/server.key, allowed_names: [shop]}}, grpc: {enabled: false}}}}
query: {enabled: false}")
same "allowed names without an authority are refused" 2 $?
has "and it is said why" "client_ca_file" "$out"
echo '# none yet' >"$work/empty"
out=$(refused "receivers: {otlp: {auth: {tokens_file: $work/empty}, protocols: {http: {endpoint: \"localhost:0\"}, grpc: {enabled: false}}}}
query: {enabled: false}")
same "a file of tokens without any is refused" 4 $?
has "and is named" "$work/empty" "$out"
out=$(refused "receivers: {otlp: {auth: {tokens: ['']}, protocols: {http: {endpoint: \"localhost:0\"}, grpc: {enabled: false}}}}
query: {enabled: false}")
same "an empty token is refused" 2 $?
has "and it is said why" "token" "$out"

# --- bearer tokens
printf 'first \n# a comment\n' >"$work/tokens"
echo reader >"$work/readers"
start_service "$work/tokens-data" "$(tls 1m)
receivers: {otlp: {auth: {tokens: [fixed], tokens_file: $work/tokens}}}
query: {auth: {tokens_file: $work/readers}}"
post() { status --http1.1 "${good[@]}" -H "Authorization: Bearer $1" "${traces[@]}" "https://$http/v1/traces"; }
same "a token of the configuration" 200 "$(post fixed)"
same "a token of the file" 200 "$(post first)"
same "no token" 401 "$(status "${good[@]}" "${traces[@]}" "https://$http/v1/traces")"
same "with a Status" 16 "$(jq .code "$work/body")"
same "a wrong token" 401 "$(post firs)"
same "an empty token" 401 "$(post '')"
same "another scheme" 401 "$(status "${good[@]}" -H 'Authorization: Basic Zmlyc3Q=' "${traces[@]}" "https://$http/v1/traces")"
same "two tokens" 401 "$(status "${good[@]}" -H 'Authorization: Bearer wrong' -H 'Authorization: Bearer first' "${traces[@]}" "https://$http/v1/traces")"
has "gRPC with a token" '"code":"OK"' "$(call "$grpc" export --ca "$pki/good.pem" --token first)"
has "gRPC without one" '"code":"UNAUTHENTICATED"' "$(call "$grpc" export --ca "$pki/good.pem")"
has "gRPC with a wrong one" '"code":"UNAUTHENTICATED"' "$(call "$grpc" export --ca "$pki/good.pem" --token x)"
has "the health check needs none" '"code":"OK"' "$(call "$grpc" health --ca "$pki/good.pem")"
ask() {
    status --http1.1 "${good[@]}" -H "Authorization: Bearer $1" -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
        -d '{"jsonrpc":"2.0","id":1,"method":"ping"}' "https://$query/mcp"
}
same "MCP with its token" 200 "$(ask reader)"
same "MCP with another's" 401 "$(ask first)"
echo second >"$work/tokens"
echo auditor >"$work/readers"
kill -HUP "$service_pid"
sleep 0.5
same "SIGHUP: the new token" 200 "$(post second)"
same "SIGHUP: not the old one" 401 "$(post first)"
same "SIGHUP: the configuration's stays" 200 "$(post fixed)"
same "SIGHUP: MCP's new token" 200 "$(ask auditor)"
same "SIGHUP: not MCP's old one" 401 "$(ask reader)"
: >"$work/readers"
rm "$work/tokens"
kill -HUP "$service_pid"
sleep 0.5
same "without the file the tokens stay" 200 "$(post second)"
same "and none is still none" 401 "$(status "${good[@]}" "${traces[@]}" "https://$http/v1/traces")"
same "an empty file opens no door" 200 "$(ask auditor)"
same "nor to strangers" 401 "$(ask '')"
check "no token in the log" bash -c "! grep -qE 'second|auditor|fixed' '$work/service.log'"

# --- the SDK's own exporters
for protocol in grpc http/protobuf http/json; do
    endpoint=https://localhost:${http##*:}
    [ $protocol != grpc ] || endpoint=https://localhost:${grpc##*:}
    check "$protocol: the shop runs" env SHOP_PROTOCOL=$protocol OTEL_EXPORTER_OTLP_ENDPOINT="$endpoint" \
        OTEL_EXPORTER_OTLP_CERTIFICATE="$pki/good.pem" NODE_EXTRA_CA_CERTS="$pki/good.pem" \
        OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20second timeout 30 node build/npm/shop/run.js
done
sleep 1.5
same "three rounds of edges" "$(sed 's/ 6\/0/ 18\/0/; s/ 3\/0/ 9\/0/' <<<"$shop_edges")" "$(edges "$work/tokens-data" service | grep -v load)"
check "it stops cleanly" stop_service

# --- the least version
start_service "$work/least-data" "$(tls 1s "min_version: 1.3")"
for at in "$grpc" "$http" "$query"; do
    check "$at speaks TLS 1.3" openssl s_client -connect "$at" -tls1_3 -alpn h2 </dev/null
    check "$at speaks no TLS 1.2" bash -c "! openssl s_client -connect $at -tls1_2 -alpn h2 </dev/null"
done
has "gRPC by it" '"code":"OK"' "$(call "$grpc" export --ca "$pki/good.pem")"
check "it stops cleanly" stop_service

# --- the suites
suites=(ECDHE-ECDSA-AES256-GCM-SHA384 ECDHE-RSA-AES256-GCM-SHA384)
start_service "$work/suites-data" "$(tls 1s "cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384]")"
for at in "$grpc" "$http" "$query"; do
    has "$at takes the suites that are listed" "Cipher is ECDHE-" \
        "$(openssl s_client -connect "$at" -tls1_2 -alpn h2 -cipher "$(IFS=:; echo "${suites[*]}")" </dev/null 2>&1 | tr -d '\0')"
    check "$at takes no other" bash -c "! openssl s_client -connect $at -tls1_2 -alpn h2 -cipher ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256 </dev/null"
    check "$at still speaks TLS 1.3" openssl s_client -connect "$at" -tls1_3 -alpn h2 </dev/null
done
check "it stops cleanly" stop_service

done_testing
