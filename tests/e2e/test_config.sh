#!/bin/bash
# A configuration in which every key is another than by default; and the demo
# on a terminal.
. "$(dirname "$0")/lib.sh"
echo secret-token >"$work/tokens"
echo ai-key >"$work/ai-key"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -keyout "$work/key.pem" \
    -out "$work/cert.pem" -subj /CN=localhost -addext 'subjectAltName=DNS:localhost,IP:127.0.0.1' 2>/dev/null

# listener: every key of one, with TLS both ways
listener() {
    echo "{enabled: true, endpoint: \"localhost:0\", transport: tcp, max_request_body_size: 2MiB, max_connections: 50, max_connections_per_address: 40, max_connection_age: 1h, tls: {cert_file: $work/cert.pem, key_file: $work/key.pem, client_ca_file: $work/cert.pem, allowed_names: [localhost, \"other\"], min_version: 1.3, max_version: 1.3, cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256], reload_interval: 10s}${1:-}}"
}
cat >"$work/every.yaml" <<YAML
receivers:
  otlp:
    protocols:
      grpc: $(listener)
      http: $(listener ", traces_url_path: /otlp/traces, response_headers: {X-Team: shop, X-Part: \"\${env:SHOP_PART:-orders}\"}, cors: {allowed_origins: [\"https://*.example\"], allowed_headers: [Authorization], exposed_headers: [X-Team], max_age: 7200}")
    other_signals: discard
    auth: {tokens: ["\${env:SHOP_TOKEN:-from-env}", second], tokens_file: "$work/tokens"}
query: $(listener ", response_headers: [\"X-Team: second\"], auth: {tokens: [ask], tokens_file: $work/tokens, insecure: true}, toolsets: all, tools: who_calls, exclude_tools: add, read_only: true, index_paths: [/srv/code], allowed_hosts: [spangraph.example], allowed_origins: [\"https://ui.example\"], service_graph_metrics: false, sse_idle_timeout: 5m, search_timeout: 10s, timeout: 45s, temporal_curve: efold, kept_answers: 1MiB")
admin: $(listener ", auth: {tokens: [ask], tokens_file: $work/tokens}")
pairing: {wait: 500ms, horizon: 2m, link_horizon: 1h, max_spans: 10000, max_producers: 2000}
intake:
  accepted_past: 24h
  accepted_future: 5m
  external_by_address: true
  environment_by_k8s_namespace: true
  sample_rate_key: SampleRate
  exclude: {routes: ["GET /health*"], user_agents: ["probe/*"]}
graph: {max_nodes: 5000, max_routes: 100, max_symbols: 40, max_edges: 4000, exemplars: true}
store: {dir: "$work/elsewhere", durability: os, group_interval: 10ms, flush_interval: 200ms, queue_spans: 5000, request_memory: 32MiB, keep_hours: 24, keep_days: 90}
gc: {interval: 10m, active: 2d, stale: 10d, eligible: 20d, grace: 1d, sweep: true}
ai: {base_url: "http://localhost:9/v1", api_key_env: NO_KEY, api_key_file: "$work/ai-key", ca_file: "$work/cert.pem", embed_model: m, dim: 256, worlds: [knowledge], timeout: 5s, query_timeout: 1s, batch: 8, pause: 1s, max_text: 1KiB, max_memory: 16MiB}
service: {drain: 2s, reload_interval: 2m, sandbox: off, log: {level: debug, format: json}, self_trace: {enabled: true, endpoint: "http://collector:4318", service_name: itself, one_in: 3}}
knowledge:
  strict_workflow: true
  roots: [/srv/docs]
  refresh: false
  crawl: {enabled: false, allow: [docs.example], delay: 1s, page_timeout: 5s, max_time: 1m, max_page_size: 1MiB, ca_file: "$work/cert.pem"}
forward:
  headers: ["X-Team: second"]
  auth: {tokens: [second], tokens_file: "$work/tokens"}
  tls: {ca_file: "$work/cert.pem", cert_file: "$work/cert.pem", key_file: "$work/key.pem", server_name: gateway.example}
  timeout: 5s
  batch: {max_bytes: 64KiB, max_age: 2s}
  retry: {initial_interval: 2s, max_interval: 10s}
  spool: {max_bytes: 1MiB}
YAML
# Without an endpoint to forward to: with one it would have no graph.
sed 's|^forward:$|&\n  endpoint: "https://gateway.example:4318"|' "$work/every.yaml" >"$work/sidecar.yaml"
out=$("$spangraph" check-config "$work/sidecar.yaml")
same "it is a configuration" 0 $?
# By default every key is another: no line of it is the same.
same "every key of it is another than by default" "" "$(diff --unchanged-line-format='%L' --old-line-format= --new-line-format= \
    <("$spangraph" check-config | grep '#') <(grep '#' <<<"$out") | grep -v -E ' (enabled|transport|max_version): ')"
check "sections without content are left as they are" "$spangraph" check-config <(printf 'receivers:\n  otlp:\n    protocols:\n      grpc:\n      http:\nstore:\n')
same "tokens are not shown" "" "$(grep -wE 'from-env|second|"ask"|secret-token' <<<"$out")"
"$spangraph" check-config "$work/sidecar.yaml" | sed -E 's/\["\*{4}"(, "\*{4}")*\]/["x: y"]/' >"$work/again.yaml"
same "what it prints is a configuration, the same" "$(sed -E 's/(tokens|headers): \[[^]]*\]/\1: [x]/' <<<"$out")" \
    "$("$spangraph" check-config "$work/again.yaml" | sed -E 's/(tokens|headers): \[[^]]*\]/\1: [x]/')"

# What `serve` could not open is told before it is started.
refused() { has "refused: $1" "$2" "$("$spangraph" check-config <(echo "$1") 2>&1 >/dev/null && echo accepted)"; }
refused 'pairing: 5' 'pairing holds keys, and takes no value'
refused 'pairing: {wait: 1s, wait: 2s}' 'pairing.wait is said twice'
refused 'query: {auth: {tokens: [a], tokens: [b]}}' 'query.auth.tokens is said twice'
refused 'querry: {endpoint: "localhost:1"}' 'unknown key querry; did you mean query?'
refused 'receivers: {oltp: {}}' 'unknown key receivers.oltp; did you mean receivers.otlp?'
refused 'query: {toolsets: "runtime,grph"}' 'query.toolsets: no toolset "grph"'
refused 'query: {tools: "who_call"}' 'query.tools: no tool "who_call"; closest: "who_calls"'
refused 'query: {exclude_tools: "add,adds"}' 'query.exclude_tools: no tool "adds"'
refused 'receivers: {otlp: {protocols: {http: {traces_url_path: v1/traces}}}}' 'traces_url_path: "v1/traces" does not begin with /'
refused 'store: {dir: "${env:SPANGRAPH_NONE:-}"}' 'store.dir must not be empty'
refused 'query: {endpoint: "localhost:65536"}' 'query: endpoint "localhost:65536": write address:port'
refused 'receivers: {otlp: {protocols: {http: {endpoint: "localhost:4317"}}}}' 'receivers.otlp.protocols.http: endpoint "localhost:4317" is that of receivers.otlp.protocols.grpc, too'
refused '{receivers: {otlp: {protocols: {http: {endpoint: "unix:/run/s"}}}}, query: {endpoint: "unix:/run/s"}}' 'query: endpoint "unix:/run/s" is that of receivers.otlp.protocols.http, too'
check "one that is off has no place" "$spangraph" check-config <(echo 'receivers: {otlp: {protocols: {http: {endpoint: "localhost:4317"}, grpc: {enabled: false}}}}')
refused 'receivers: {otlp: {protocols: {grpc: {endpoint: "spans.example:4317"}}}}' 'receivers.otlp.protocols.grpc: endpoint "spans.example:4317": write address:port'
refused 'query: {response_headers: {Content-Length: 3}}' 'query.response_headers: Content-Length is what the service says by itself'
refused 'receivers: {otlp: {protocols: {http: {response_headers: ["X-A b"]}}}}' 'http.response_headers: number 1 is not "Name: value"'
refused 'query: {response_headers: {X-A: {b: c}}}' ':1: a mapping or list does not fit here'
refused 'query: {response_headers: {X-A: b}, response_headers: {X-B: c}}' 'query.response_headers is said twice'
refused 'forward: {headers: ["X-A b"]}' 'forward.headers: number 1 is not "Name: value"'
refused 'receivers: {otlp: {protocols: {http: {cors: {exposed_headers: ["X A"]}}}}}' 'cors.exposed_headers: number 1 is not the name of a header'
for same_headers in '{X-A: b, X-C: d}' '["X-A: b", "X-C: d"]'; do
    check "accepted: headers as $same_headers" "$spangraph" check-config <(echo "{query: {response_headers: $same_headers}, forward: {headers: $same_headers}, gc: {interval: 10m}}")
    has "what follows them is read" 'interval: "10m"' "$("$spangraph" check-config <(echo "{query: {response_headers: $same_headers}, gc: {interval: 10m}}"))"
done
refused 'query: {transport: unix}' 'query: with transport unix the endpoint is'
refused 'receivers: {otlp: {protocols: {http: {tls: {min_version: 1.1}}}}}' 'http.tls.min_version takes one of: 1.2 1.3, not "1.1"'
refused 'query: {tls: {min_version: 1.3, max_version: 1.2}}' 'query: endpoint "localhost:8080": tls.max_version is less than tls.min_version'
refused 'query: {tls: {cipher_suites: [TLS_RSA_WITH_RC4_128_SHA]}}' 'query: endpoint "localhost:8080": tls.cipher_suites: no cipher suite "TLS_RSA_WITH_RC4_128_SHA"'
check "accepted: TLS 1.2 alone, and one suite" "$spangraph" check-config <(echo 'query: {tls: {max_version: 1.2, cipher_suites: [TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384]}}')
if [ "${GRPC:-core}" != nghttp2 ]; then
    refused 'receivers: {otlp: {protocols: {grpc: {tls: {max_version: 1.2}}}}}' 'grpc: endpoint "localhost:4317": gRPC core speaks TLS 1.3'
    refused 'receivers: {otlp: {protocols: {grpc: {tls: {cipher_suites: [TLS_AES_256_GCM_SHA384]}}}}}' 'gRPC core has one list of suites for TLS 1.3'
fi
refused 'receivers: {otlp: {protocols: {http: {tls: {client_ca_file: ca.pem}}}}}' 'tls.client_ca_file needs cert_file'
refused 'knowledge: {crawl: {allow: ["http://docs.example"]}}' 'knowledge.crawl.allow: "http://docs.example" is no host and no network'
refused 'query: {endpoint: "0.0.0.0:8080"}' 'query.endpoint 0.0.0.0:8080 answers other machines'
for open in 'query: {endpoint: "0.0.0.0:8080", auth: {tokens_file: /none}}' 'query: {endpoint: "0.0.0.0:8080", auth: {insecure: true}}' \
    'query: {endpoint: "0.0.0.0:8080", enabled: false}' '{query: {endpoint: "0.0.0.0:8080"}, forward: {endpoint: "https://gateway.example:4318"}}'; do
    check "accepted: $open" "$spangraph" check-config <(echo "$open")
done
refused 'forward: {endpoint: "gateway:4318"}' 'forward.endpoint "gateway:4318": write http://host:port'
refused "query: {endpoint: \"unix:/$(printf 'a%.0s' {1..107})\"}" "a socket's path has at most 107 bytes"
if [ "${GRPC:-core}" != nghttp2 ]; then
    refused 'receivers: {otlp: {protocols: {grpc: {endpoint: "[fe80::1%lo]:4317"}}}}' 'gRPC takes no address with a zone'
fi
check "HTTP does" "$spangraph" check-config <(echo 'receivers: {otlp: {protocols: {http: {endpoint: "[fe80::1%lo]:4318"}}}}')
# forwards LISTENS GATEWAY: a sidecar's configuration
forwards() { printf '{receivers: {otlp: {protocols: {http: {endpoint: "%s"}}}}, forward: {endpoint: "%s"}}' "$1" "$2"; }
while read -r listens own; do
    refused "$(forwards "$listens" "$own")" 'is where the sidecar itself listens'
done <<'OWN'
localhost:4318 http://localhost:4318
localhost:4318 http://LOCALHOST.:4318
localhost:4318 http://127.0.0.1:4318/v1/traces
localhost:4318 http://[::ffff:127.0.0.1]:4318
localhost:4318 http://127.1:4318
localhost:4318 http://0.0.0.0:4318
localhost:80 http://localhost
[::1]:4318 http://[::1]:4318
[::1]:4318 http://localhost:4318
[::1]:4318 http://[::]:4318
10.0.0.5:4318 http://10.0.0.5:4318
[fe80::1%lo]:4318 http://[fe80::1%lo]:4318
:4318 http://127.0.0.1:4318
0.0.0.0:4318 http://127.0.0.2:4318
0.0.0.0:4318 http://0.0.0.0:4318
[::]:4318 http://127.0.0.1:4318
[::]:4318 http://[::1]:4318
[::]:4318 http://0.0.0.0:4318
OWN
# Any other address of this machine is its own, too, if it listens at all of them.
for own in $(hostname -I); do
    case $own in *:*) own="[$own]" any='[::]' ;; *) any=0.0.0.0 ;; esac
    refused "$(forwards "$any:4318" "http://$own:4318")" 'is where the sidecar itself listens'
    refused "$(forwards "[::]:4318" "http://$own:4318")" 'is where the sidecar itself listens'
    check "$own is another's to who listens elsewhere" "$spangraph" check-config <(forwards "localhost:4318" "http://$own:4318")
done
while read -r listens other; do
    check "$listens may forward to $other" "$spangraph" check-config <(forwards "$listens" "$other")
done <<'OTHER'
localhost:4318 http://localhost:4319
localhost:4318 http://127.0.0.1
localhost:4318 http://localhost.example:4318
localhost:4318 http://10.127.0.1:4318
localhost:4318 http://[::1]:4318
localhost:4318 http://[::]:4318
[::1]:4318 http://127.0.0.1:4318
[::1]:4318 http://0.0.0.0:4318
10.0.0.5:4318 http://127.0.0.1:4318
10.0.0.5:4318 http://localhost:4318
10.0.0.5:4318 http://0.0.0.0:4318
127.0.0.2:4318 http://127.0.0.1:4318
0.0.0.0:4318 http://[::1]:4318
0.0.0.0:4318 http://203.0.113.5:4318
unix:/run/otlp http://localhost:4318
OTHER
gateway='forward: {endpoint: "https://gateway.example:4318"'
refused 'receivers: {otlp: {auth: {tokens: ["${NO_TOKEN}"]}}}' ':1: the environment has no NO_TOKEN'
refused 'query: {auth: {tokens: [good, "${env:NO_TOKEN}"]}}' ':1: the environment has no NO_TOKEN'
refused 'query: {auth: {tokens: [good, "${file:/run/token}"]}}' '${file:/run/token} is no variable of the environment'
refused 'query: {auth: {tokens: [good, "****"]}}' 'query.auth.tokens: "****" is no secret'
refused "$gateway"', auth: {tokens: ["****"]}}' 'forward.auth.tokens: "****" is no secret'
check "of what is off nothing is asked" "$spangraph" check-config <(echo 'query: {enabled: false, endpoint: nowhere}')
check "nor for a token to a gateway that is none" "$spangraph" check-config <(echo 'forward: {auth: {tokens: ["****"]}}')
check "nor for the readers' in a sidecar" "$spangraph" check-config <(printf '%s}\nquery: {auth: {tokens: ["****"]}}' "$gateway")
"$spangraph" ingest --data "$work/local" examples/shop/trace.jsonl >/dev/null 2>&1
echo 'query: {auth: {tokens: ["****"], tokens_file: /none}}' >"$work/local.yaml"
has "on one's own machine no token is asked for" '"result"' \
    "$(echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | timeout 20 "$spangraph" mcp --data "$work/local" --config "$work/local.yaml" 2>&1)"

# A service with a graph is no sidecar, and has no certificates of sites here.
sed -e '/^forward:/,/spool:/d' -e 's/, ca_file: "[^"]*sites.pem"//' "$work/every.yaml" >"$work/served.yaml"
"$spangraph" serve --config "$work/served.yaml" 2>"$work/service.log" &
service_pid=$!
check "the service starts with it" wait_for 5 grep -q '"ready"' "$work/service.log"
check "its log is JSON" jq -es 'length > 3' "$work/service.log"
port() { jq -r "select(.$1) | .$1" "$work/service.log" | head -1; }
mine=(--cacert "$work/cert.pem" --cert "$work/cert.pem" --key "$work/key.pem")
for token in from-env second secret-token; do
    same "$token sends" "{}" "$(curl -s -m 5 "${mine[@]}" -H "Authorization: Bearer $token" -H 'Content-Type: application/json' -d '{}' "https://$(port http)/otlp/traces")"
done
same "the other path is none" 404 "$(curl -s -m 5 -o /dev/null -w '%{http_code}' "${mine[@]}" -H "Authorization: Bearer second" -H 'Content-Type: application/json' -d '{}' "https://$(port http)/v1/traces")"
ping=(-H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' -d '{"jsonrpc":"2.0","id":1,"method":"ping"}')
mcp() { curl -s -m 5 -o /dev/null -w '%{http_code}' "${mine[@]}" "${ping[@]}" "$@" "https://$(port query)/mcp"; }
same "MCP by a name that is allowed" 200 "$(mcp -H 'Host: spangraph.example' -H 'Origin: https://ui.example' -H 'Authorization: Bearer ask')"
same "MCP by another name" 403 "$(mcp -H 'Host: evil.example' -H 'Authorization: Bearer ask')"
same "MCP from another origin" 403 "$(mcp -H 'Origin: https://evil.example' -H 'Authorization: Bearer ask')"
same "metrics by another name" 403 "$(curl -s -m 5 -o /dev/null -w '%{http_code}' "${mine[@]}" -H 'Host: evil.example' "https://$(port query)/metrics")"
check "data is where it says" test -f "$work/elsewhere/spangraph.db"
check "it stops cleanly" stop_service

out=$(timeout 5 "$spangraph" serve --data "$work/open" --config <(echo 'query: {endpoint: "0.0.0.0:0"}
receivers: {otlp: {protocols: {grpc: {enabled: false}, http: {enabled: false}}}}') 2>&1)
same "queries from other machines need a token" 4 $?
has "and it is said what to set" "query.auth.tokens_file" "$out"

# --- the demo
if command -v script >/dev/null && ! (exec 3<>/dev/tcp/127.0.0.1/8080) 2>/dev/null && ! (exec 3<>/dev/tcp/127.0.0.1/4318) 2>/dev/null; then
    mkdir "$work/tmp"
    TMPDIR=$work/tmp timeout 60 script -qefc 'examples/shop/demo.sh' "$work/typescript" < <(
        wait_for 40 grep -q 'Ctrl-C' "$work/typescript"
        sleep 1
        curl -s -m 5 -o /dev/null -w '%{http_code}' http://127.0.0.1:8080/readyz >"$work/stays"
        printf '\003'
        sleep 3
    ) >/dev/null 2>&1
    code=$?
    same "on a terminal the demo stays up" 200 "$(cat "$work/stays")"
    check "Ctrl-C ends it (exit $code)" test $code -eq 0 -o $code -eq 130
    has "it shows the three answers" "dead_routes" "$(cat "$work/typescript")"
    same "and leaves nothing behind" "" "$(ls "$work/tmp")"
    check "nor a service" bash -c '! curl -s -m 2 http://127.0.0.1:8080/healthz'
else
    echo "ok the demo on a terminal # skip: its ports are in use, or no script(1)"
fi

done_testing
