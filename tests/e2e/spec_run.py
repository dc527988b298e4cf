#!/usr/bin/env python3
"""Hold the service against spec_model.py: spec_run.py SPANGRAPH FOLDER SEED CASES.

Random traces are sent in random order, batches and compression, some again, some once
the waits have ended, with kill -9 between.  Prints what differs; the exit code says
whether anything does.  First and last observed are not compared, since what is taken
back may stay in them (graph/edges.h).
"""
import collections
import gzip
import http.client
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

import spec_model

WAIT_S = 2
COUNTERS = ("orphan_ingress", "unresolved_egress", "unresolved_links", "inproc_db", "synthetic")


class Service:
    def __init__(self, program, folder, roll):
        self.program, self.folder, self.kills = program, folder, 0
        self.config = os.path.join(folder, "config.yaml")
        with open(self.config, "w", encoding="utf-8") as out:
            out.write(
                'receivers: {otlp: {protocols: {grpc: {enabled: false}, http: {endpoint: "localhost:0"}}}}\n'
                "query: {enabled: false}\n"
                f"pairing: {{wait: {WAIT_S}s}}\n"
                f"store: {{flush_interval: {roll.choice(['5ms', '200ms', '1s', '60s'])}}}\n"
            )
        self.start()

    def start(self):
        log = os.path.join(self.folder, "log")
        with open(log, "w", encoding="utf-8") as out:
            command = [self.program, "serve", "--config", self.config, "--data", self.folder + "/data"]
            self.process = subprocess.Popen(command, stderr=out)
        for _ in range(400):
            with open(log, encoding="utf-8") as lines:
                text = lines.read()
            if 'msg="ready"' in text:
                break
            if self.process.poll() is not None:
                sys.exit("the service does not start: " + text)
            time.sleep(0.05)
        self.port = int(text.split(' http="')[1].split('"')[0].rsplit(":", 1)[1])

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.kills += 1
        self.start()

    def stop(self):
        self.process.terminate()
        if self.process.wait() != 0:
            sys.exit("the service does not stop cleanly")

    def post(self, body, headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("POST", "/v1/traces", body, headers)
        reply = connection.getresponse()
        text = reply.read()
        connection.close()
        if reply.status != 200 or text != b"{}":
            sys.exit(f"a request is refused: {reply.status} {text}")

    def ask(self, *words):
        command = [self.program, *words, "--data", self.folder + "/data", "--json"]
        return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


# ---- sending ----


def attribute(key, value):
    return {"key": key, "value": {"intValue": value} if isinstance(value, int) else {"stringValue": value}}


def json_of(span):
    out = {
        "traceId": f"{span.trace_hi:016x}{span.trace:016x}",
        "spanId": f"{span.id:016x}",
        "name": "x",
        "kind": span.kind,
        "flags": span.flags,
        "startTimeUnixNano": str(span.start_ns),
        "endTimeUnixNano": str(span.start_ns + span.took_ns),
        "status": {"code": 2 if span.failed else 0},
        "attributes": [attribute(key, value) for key, value in span.attributes.items()],
        "links": [{"traceId": f"{high:016x}{low:016x}", "spanId": f"{number:016x}"} for high, low, number in span.links],
    }
    if span.parent_id:
        out["parentSpanId"] = f"{span.parent_id:016x}"
    if span.threshold:
        out["traceState"] = "a=b,ot=th:" + span.threshold
    return out


def request_of(roll, spans):
    resources, last = [], None
    for span in spans:
        if span.service != last or roll.random() < 0.3:
            last = span.service
            keys = ("service.name", "service.namespace", "deployment.environment.name")
            says = [attribute(key, value) for key, value in zip(keys, last) if value]
            resources.append({"resource": {"attributes": says}, "scopeSpans": [{"spans": []}]})
        resources[-1]["scopeSpans"][0]["spans"].append(json_of(span))
    body = json.dumps({"resourceSpans": resources}).encode()
    headers = {"Content-Type": "application/json"}
    if roll.random() < 0.5:
        body, headers["Content-Encoding"] = gzip.compress(body), "gzip"
    return body, headers


def send_all(roll, service, spans):
    sent, at = [], 0
    while at < len(spans):
        some = roll.choice([1, 2, 3, 8, 30, 100])
        sent.append(request_of(roll, spans[at : at + some]))
        service.post(*sent[-1])
        at += some
        if roll.random() < 0.05:
            service.post(*roll.choice(sent))
        if roll.random() < 0.03:
            service.kill()


# ---- comparing ----


def node_of(edge, side):
    name, kind = edge[side], edge[side + "_kind"]
    if kind in ("external", "database") or (kind == "topic" and not edge[side + "_service"]):
        return ("", "", name)
    if kind == "service":
        return (name, edge[side + "_env"], "")
    return (edge[side + "_service"], edge[side + "_env"], name)


def differ(what, expected, actual):
    wrong = [key for key in set(expected) | set(actual) if expected.get(key) != actual.get(key)]
    for key in sorted(wrong, key=str)[:10]:
        print(f"{what} {key}: expected {expected.get(key)}, actual {actual.get(key)}")
    return len(wrong)


def differ_durations(models, found):
    """Of edges with at most one sample: it is there, within 3 %."""
    wrong = 0
    for model in models:
        for key in model.edges:
            samples, p50 = model.samples[key], found.get(key, {}).get("p50_ms")
            expected = samples[0] / 1e6 if samples else None
            if len(samples) > 1 or (not samples and not p50):
                continue
            if not samples or not p50 or abs(p50 - expected) > 0.03 * expected:
                print(f"duration {key}: expected {expected}, actual {p50}")
                wrong += 1
    return wrong


def traffic_of(service):
    """Calls of each endpoint (EDGE_TRAFFIC of model/edge.h)."""
    store = sqlite3.connect(service.folder + "/data/spangraph.db")
    rows = store.execute(
        "SELECT owner.name, owner.env, endpoint.name, edge.count FROM edge JOIN node endpoint ON endpoint.id = edge.dst"
        " JOIN node owner ON owner.id = endpoint.owner WHERE edge.kind = 32"
    ).fetchall()
    store.close()
    return {(name, env, endpoint): count for name, env, endpoint, count in rows}


def compare(service, cases):
    models = [spec_model.Model(case) for case in cases]
    edges, counters, traffic = {}, collections.Counter(), {}
    for model in models:
        edges.update({key: list(sums) for key, sums in model.edges.items()})
        counters.update(model.counters)
        traffic.update(model.traffic)
    found = {}
    for edge in service.ask("edges", "--level", "endpoint")["edges"]:
        found[(edge["kind"], node_of(edge, "source"), node_of(edge, "target"))] = edge
    sums = {key: [edge["count"], edge["errors"], edge["weighted"]] for key, edge in found.items()}
    told = service.ask("stats")["counters"]
    wrong = differ("edge", edges, sums)
    wrong += differ("traffic", traffic, traffic_of(service))
    wrong += differ("counter", {key: counters[key] for key in COUNTERS}, {key: told[key] for key in COUNTERS})
    return wrong + differ_durations(models, found), len(sums)


def main():
    program, folder, seed, cases_len = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    roll = random.Random(seed)
    base_ns = (int(time.time()) - 3100) * 10**9
    cases = [spec_model.make_case(roll, f"c{number}-", base_ns) for number in range(cases_len)]
    spans = [span for case in cases for span in case]
    if roll.random() < 0.5:
        roll.shuffle(spans)
    late = {span for span in spans if roll.random() < 0.3}
    again = [span for span in spans if roll.random() < 0.1]
    service = Service(program, folder, roll)
    try:
        send_all(roll, service, [span for span in spans if span not in late])
        time.sleep(WAIT_S + 0.5)
        service.kill()
        rest = list(late) + again
        rest.sort(key=lambda span: (span.trace, span.id))  # a set has no order of its own
        roll.shuffle(rest)
        send_all(roll, service, rest)
        time.sleep(WAIT_S + 1.5)
        service.stop()
    finally:
        service.process.kill()
    wrong, edges = compare(service, cases)
    print(f"seed {seed}: {len(spans)} spans, {edges} edges, {service.kills} kills, {wrong} differ")
    sys.exit(wrong != 0)


main()
