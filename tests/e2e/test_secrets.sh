#!/bin/bash
# Data minimisation: what is not on the allow-list, and what hides in names, is
# nowhere: not in the databases, their backup, the log, the metrics, any answer
# or export, what goes to an endpoint of embeddings, or what the service tells of
# its own work.  Nor is what only a question said, and what looks like a
# credential in code that is indexed leaves the database of the code for nothing.
. "$(dirname "$0")/lib.sh"
# port_of FILE COMMAND...: starts COMMAND, which prints its address to FILE
port_of() {
    local file=$1
    shift
    "$@" >"$file" &
    wait_for 10 test -s "$file"
    port=$(cat "$file")
}
: >"$work/told"
port_of "$work/told.port" node tests/e2e/collector.js "$work/told"
told=$port
echo ok >"$work/model.mode"
port_of "$work/model.port" node tests/e2e/embeddings.js "$work/model"

# A function whose comment is to be found, and whose credentials are not.
mkdir -p "$work/src"
cat >"$work/src/main.go" <<'GO'
package main

// Reimburse gives the money back.
func Reimburse() {
	connect("postgres://joe:KEEPOUT@db/people?token=KEEPOUT", "AKIAKEEPOUT80019QZX7")
}

func connect(url string, key string) {}
GO
printf 'module example.com/m\n' >"$work/src/go.mod"
"$spangraph" index "$work/src" --data "$work/data" >"$work/indexed" 2>&1

start_service "$work/data" "service: {log: {level: debug}, self_trace: {enabled: true, one_in: 1, endpoint: 'http://$told'}}
pairing: {wait: 300ms}
intake: {external_by_address: true}
ai: {base_url: 'http://127.0.0.1:$port/v1', embed_model: concepts, pause: 0s}
store: {flush_interval: 100ms}" 'toolsets: all'

# Every value holds the word, in another disguise each.
node - >"$work/secrets.json" <<'JS'
let n = 10000;
const canary = () => `CANARY${++n}`;
const text = (key) => ({ key, value: { stringValue: `${canary()}` } });
const never = `url.query http.target http.request.header.authorization http.request.header.cookie
  http.response.header.set-cookie http.request.body.content http.response.body.content db.query.text db.statement
  db.query.parameter.0 db.query.parameter.user enduser.id enduser.role user.email user.full_name user.id user.name user.hash
  client.address client.socket.address network.peer.address net.peer.ip net.sock.peer.addr session.id session.previous_id
  device.id exception.message exception.stacktrace code.stacktrace gen_ai.input.messages gen_ai.output.messages
  gen_ai.system_instructions gen_ai.tool.call.arguments process.command_line process.command_args process.environment
  graphql.document rpc.request.metadata.token rpc.grpc.request.metadata.token messaging.message.body messaging.message.id
  messaging.message.conversation_id baggage.user app.password custom thread.name url.fragment http.user_agent
  user_agent.original aws.s3.key`.split(/\s+/);
const query = () => `https://user:${canary()}@shop.example/basket/7?token=${canary()}&X-Amz-Signature=${canary()}#${canary()}`;
const id = (len) => Array.from({ length: len }, () => Math.floor(Math.random() * 256).toString(16).padStart(2, '0')).join('');
const now = BigInt(Date.now()) * 1000000n;
const span = (name, kind, attributes) => ({
  traceId: id(16), spanId: id(8), name, kind, startTimeUnixNano: String(now), endTimeUnixNano: String(now + 1000000n),
  traceState: `vendor=${canary()}`,
  attributes: [...attributes, ...never.map(text)],
  events: [{ name: canary(), timeUnixNano: String(now), attributes: [text('exception.message'), text('exception.stacktrace'), text('message')] }],
  status: { code: 2, message: `failed for ${canary()}` },
  links: [{ traceId: id(16), spanId: id(8), attributes: [text('note')] }],
});
const value = (key, stringValue) => ({ key, value: { stringValue } });
const spans = () => [
  span('GET', 2, [value('http.request.method', 'GET'), value('url.path', `/users/${canary()}@mail.example/orders`), value('url.full', query())]),
  span('GET', 2, [value('http.method', 'GET'), value('http.url', query()), value('http.target', `/basket/7?token=${canary()}`)]),
  span(`GET /people/joe.${canary()}@mail.example`, 2, [value('http.request.method', 'GET')]),
  span('GET /a', 2, [value('http.request.method', 'GET'), value('http.route', '/a'), value('url.path', `/a?token=${canary()}`)]),
  span(`mail ${canary()}@mail.example`, 1, []),
  span('GET', 3, [value('http.request.method', 'GET'), value('url.full', query()), value('server.address', 'shop.example')]),
  span(`SELECT * FROM users WHERE email = '${canary()}@mail.example'`, 3, [value('db.system.name', 'postgresql'), value('db.namespace', 'people')]),
  span('SELECT', 3, [value('db.system', 'mysql'), value('db.connection_string', `Server=x;Password=${canary()}`), value('db.name', 'people')]),
  span('send', 4, [value('messaging.system', 'kafka'), value('messaging.destination.name', 'mails'), value('messaging.kafka.message.key', canary())]),
  span(`send to ${canary()}@mail.example`, 4, [value('messaging.system', 'kafka')]),
  span(`receive ${canary()}@mail.example`, 5, [value('messaging.system', 'kafka'), value('messaging.destination.name', `reply.${canary()}@mail.example`),
    value('messaging.destination.temporary', 'true')]),
  span('SELECT', 3, [value('db.system', 'redis'), value('db.operation', 'GET'), value('db.redis.key', canary())]),
  span(`GET session:${canary()}@mail.example`, 3, [value('db.system', 'redis')]),
  span('GET', 3, [value('http.method', 'GET'), value('http.url', query())]),
  span('POST', 3, [value('http.request.method', 'POST'), value('url.full', `//user:${canary()}@shop.example/`)]),
  span(`work for ${canary()}@mail.example on 10.1.2.3`, 2, []),
  span(`https://shop.example/reset?token=${canary()}`, 2, []),
  span('GET /c', 2, [value('http.request.method', 'GET'), value('http.route', '/c'), value('code.function.name', `login('${canary()}')`)]),
  span('GET /d', 2, [value('http.route', '/d'), value('code.namespace', `joe.${canary()}@mail.example`), value('code.function', 'f')]),
  span('GET /e', 2, [value('http.route', '/e'), value('code.filepath', `https://shop.example/a.js?token=${canary()}`), value('code.lineno', '7')]),
  span('GET /f', 2, [value('http.route', '/f'), value('code.function.name', 'shop.list')]),
  span('Login', 2, [value('rpc.system', 'grpc'), value('rpc.service', 'Users'), value('rpc.method', 'Login')]),
];
// Names that are kept, with what is not.
const disguises = [(c) => `https://user:${c}@shop.example/x`, (c) => `user:${c}@shop.example`, (c) => `x?token=${c}`, (c) => `x;Password=${c}`,
  (c) => `X-Api-Key: ${c}`, (c) => `Bearer ${c}`, (c) => `${c}@mail.example`, (c) => `eyJhbGciOiJIUzI1NiJ9.${c}.abc`];
const names = { 1: ['code.function.name', 'code.file.path'], 2: ['rpc.service', 'rpc.method', 'http.route', 'faas.name', 'gen_ai.tool.name'],
  3: ['peer.service', 'service.peer.name', 'server.address', 'net.peer.name', 'http.host', 'faas.invoked_name', 'gen_ai.provider.name', 'rpc.system',
    'db.system.name', 'db.system', 'db.namespace', 'db.name', 'db.collection.name', 'db.operation.name'],
  4: ['messaging.system', 'messaging.destination.name', 'messaging.destination.template'],
  5: ['messaging.destination', 'messaging.consumer.group.name', 'messaging.operation.name'] };
const beside = { db: ['db.system.name', 'postgresql'], messaging: ['messaging.system', 'kafka'], rpc: ['rpc.system', 'grpc'],
  http: ['http.request.method', 'GET'], code: ['http.route', '/g'], gen_ai: ['mcp.method.name', 'tools/call'] };
const named = (disguise) => Object.entries(names).flatMap(([kind, keys]) => keys.map((key) => {
  const [other, is] = beside[key.split('.')[0]] ?? ['http.request.method', 'GET'];
  return span(disguise(canary()), Number(kind), [...(other === key ? [] : [value(other, is)]), value(key, disguise(canary())), value('code.lineno', '7')]);
}));
const kept = ['service.namespace', 'service.version', 'deployment.environment.name', 'deployment.environment', 'vcs.ref.head.revision'];
const namers = disguises.flatMap((disguise) => [
  { resource: { attributes: [value('service.name', 'shop')] }, scopeSpans: [{ scope: { name: disguise(canary()), version: disguise(canary()) }, spans: named(disguise) }] },
  { resource: { attributes: [value('service.name', disguise(canary()))] }, scopeSpans: [{ spans: [span('a', 1, [])] }] },
  ...kept.map((key) => ({ resource: { attributes: [value('service.name', 'shop'), value(key, disguise(canary()))] }, scopeSpans: [{ spans: [span('a', 1, [])] }] })),
]);
console.log(JSON.stringify({ resourceSpans: Array.from({ length: 8 }, () => ({
  resource: { attributes: [value('service.name', 'shop'), ...['process.command_line', 'process.command_args', 'host.name', 'host.ip',
    'os.description', 'user.name', 'custom.secret', 'cloud.account.id', 'process.owner'].map(text)] },
  scopeSpans: [{ scope: { name: 'scope', attributes: [text('secret')] }, spans: spans() }] })).concat(namers) }));
JS
check "$(grep -o CANARY "$work/secrets.json" | wc -l) secrets are sent, at least 10,000" test "$(grep -o CANARY "$work/secrets.json" | wc -l)" -ge 10000
same "the spans are taken" "{}" "$(curl -s -m 10 -H 'Content-Type: application/json' -d @"$work/secrets.json" "http://$http/v1/traces")"
# Refused, with a secret where the error is.
curl -s -m 5 -H 'Content-Type: application/json' -d '{"resourceSpans":["CANARY9001"]}' "http://$http/v1/traces" >"$work/answers"
curl -s -m 5 -H 'Content-Type: application/json' -d '{"resourceSpans":[{"CANARY9002' "http://$http/v1/traces" >>"$work/answers"
curl -s -m 5 -H 'Content-Type: CANARY9003' -H 'Authorization: Bearer CANARY9004' "http://$http/CANARY9005?CANARY9006" >>"$work/answers"
curl -s -m 5 -H 'Host: CANARY9007' "http://$query/CANARY9008" >>"$work/answers"
sleep 1

ask() {
    curl -s -m 10 -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
        -d "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"$1\",\"params\":${2:-{\}}}" "http://$query/mcp"
}
tools=$(ask tools/list | sed 's/^data: //' | jq -r '.result.tools[].name')
check "there are tools" test "$(wc -w <<<"$tools")" -ge 8
for tool in $tools; do
    for arguments in '{}' '{"service_name":"shop"}' '{"service":"shop"}' '{"query":"shop"}' '{"name":"shop"}' '{"node":"shop"}' '{"prefix":""}' '{"source":"shop","target":"shop"}' '{"level":"endpoint"}' '{"query":"money back"}' '{"symbol":"Reimburse"}'; do
        ask tools/call "{\"name\":\"$tool\",\"arguments\":$arguments}" >>"$work/answers"
    done
done
for _ in 1 2 3 4 5 6; do ask tools/call '{"name":"service_map","arguments":{}}' >>"$work/answers"; done
check "some of those answers were kept" test "$(metric spangraph_mcp_kept_answers_total)" -gt 0
# What only a question says is in its own answer, and nowhere else.
for tool in $tools CANARY9101; do
    for argument in name service service_name node symbol prefix source target level CANARY9102; do
        ask tools/call "{\"name\":\"$tool\",\"arguments\":{\"$argument\":\"CANARY9103\"}}"
    done
done >"$work/echoes"
curl -s -m 5 -o /dev/null -H 'X-Secret: CANARY9104' -A CANARY9105 "http://$query/api/v1/search?q=CANARY9106"
# Over SSE, too.
curl -s -N -H 'Accept: text/event-stream' "http://$query/sse" >"$work/stream" &
wait_for 5 grep -q '^data: /sse?sessionId=' "$work/stream"
endpoint=$(sed -n 's/^data: \(\/sse?sessionId=.*\)$/\1/p' "$work/stream")
for tool in service_map search trace_stats runtime_traffic; do
    curl -s -m 5 -H 'Content-Type: application/json' "http://$query$endpoint" \
        -d '{"jsonrpc":"2.0","id":"'$tool'","method":"tools/call","params":{"name":"'$tool'","arguments":{"query":"shop","service_name":"shop"}}}' >>"$work/answers"
done
check "a session of /sse is answered" wait_for 5 grep -q '"id":"runtime_traffic"' "$work/stream"
cat "$work/stream" >>"$work/answers"
for level in service endpoint symbol; do
    "$spangraph" edges --data "$work/data" --level $level --json >>"$work/answers" 2>&1
done
"$spangraph" stats --data "$work/data" --json >>"$work/answers"
"$spangraph" routes --data "$work/data" --json >>"$work/answers"
"$spangraph" explain --data "$work/data" shop >>"$work/answers" 2>&1
for format in dot mermaid graphml csv json nodegraph backstage; do
    for level in service endpoint symbol; do
        "$spangraph" export --data "$work/data" --level $level --format $format >>"$work/answers" 2>&1
    done
done
for what in "top --once --interval 100ms --since 365d --level endpoint" status doctor "callers Reimburse" "callees Reimburse" "query R" calls; do
    "$spangraph" $what --data "$work/data" >>"$work/answers" 2>&1
done
"$spangraph" top --server "http://$query" --once --interval 100ms >>"$work/answers" 2>&1
check "a backup is made" "$spangraph" backup "$work/backup.tar" --data "$work/data"
for path in 'api/graph/data?level=endpoint' api/graph/fields api/health api/dependencies "" 'readyz?verbose' \
    api/v1/{graph,'graph?level='{endpoint,symbol},'search?q='{s,get,users},dead,health}; do curl -s -m 5 "http://$query/$path" >>"$work/answers"; done
"$spangraph" dead-routes --data "$work/data" --json >>"$work/answers"
curl -s -m 5 "http://$query/metrics" >"$work/metrics"
check "the graph knows the shop" grep -q '/users/{}/orders' "$work/answers"
check "and its functions" grep -q 'shop\.list' "$work/answers"
check "and those of its code" grep -q 'Reimburse' "$work/answers"
check "the model is asked about them" wait_for 10 grep -q 'money back' "$work/model.log"
check "and what the service did is told" wait_for 10 grep -q 'POST /mcp' "$work/told"

leaks() { grep -aoiE '.{0,60}CANARY[0-9]{4,5}.{0,20}' "$@" | tr -d '\0' | sort -u | head -20; }
same "nothing in the database while it runs" "" "$(leaks -r "$work/data")"
same "nothing in the log" "" "$(leaks "$work/service.log")"
same "nothing in the metrics" "" "$(leaks "$work/metrics")"
same "nothing in any answer" "" "$(leaks "$work/answers")"
same "nor what looks like a credential in the code" "" "$(grep -aoi '.\{0,60\}KEEPOUT' "$work/answers" "$work/model.log" "$work/told" "$work/service.log")"
same "nothing in the backup" "" "$(leaks "$work/backup.tar")"
same "nothing goes to the model" "" "$(leaks "$work/model.log")"
same "nothing is told of the service's own work" "" "$(leaks "$work/told")"
check "it stops cleanly" stop_service
same "nothing in the database afterwards" "" "$(leaks -r "$work/data")"
same "data is the owner's alone" "" "$(find "$work/data" -perm /077)"

done_testing
