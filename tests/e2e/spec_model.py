"""Random traces, and what docs/design.md says that they mean.

Written from the rules alone (R1 to R14), slowly and plainly: for each span it looks
at all others of its case.  It shares no word with the service or its other models.
"""
import collections

INTERNAL, SERVER, CLIENT, PRODUCER, CONSUMER = 1, 2, 3, 4, 5
WEIGHTS = {None: None, "0": 1, "8": 2, "c": 4, "e": 8}  # of ot=th


class Span:
    """One span, with its attributes as sent and what they say."""

    def __init__(self, trace, trace_hi, span_id, parent_id, service):
        self.trace, self.trace_hi = trace, trace_hi
        self.id, self.parent_id = span_id, parent_id
        self.service = service  # name, namespace, environment
        self.kind = INTERNAL
        self.failed = self.synthetic = self.is_db = False
        self.is_placed = True
        self.threshold = self.operation = self.topic = self.peer = None
        self.endpoint = None
        self.flags = self.start_ns = self.took_ns = 0
        self.attributes, self.links = {}, []

    def is_ingress(self):
        return self.kind in (SERVER, CONSUMER)

    def is_receive(self):
        return self.operation == "receive"

    def is_egress(self):
        return self.kind in (CLIENT, PRODUCER) and self.operation not in ("receive", "settle")

    def publishes(self):
        return self.is_egress() and (self.kind == PRODUCER or self.operation == "send")

    def key(self):
        return (self.trace, self.id)

    def weight(self):
        return WEIGHTS[self.threshold]


# ---- cases ----


def make_case(roll, prefix, base_ns):
    """A few traces of a few services, which no other case has."""
    names = [("a", "", ""), ("b", "", ""), ("c", "", ""), ("a", "shop", ""), ("a", "", "prod"), ("b", "shop", "prod")]
    services = [(prefix + name, space, env) for name, space, env in roll.sample(names, roll.randint(2, 5))]
    spans = []
    for _ in range(roll.randint(1, 3)):
        spans += make_trace(roll, prefix, services, base_ns)
    producers = [span for span in spans if span.publishes()]
    for span in spans:
        if span.kind == CONSUMER or span.is_receive() or roll.random() < 0.1:
            add_links(roll, span, spans, producers)
    lost = roll.choice([0, 0, 0.1, 0.3])
    return [span for span in spans if roll.random() >= lost]


def make_trace(roll, prefix, services, base_ns):
    high, low = roll.getrandbits(64) | 1, roll.getrandbits(64) | 1
    is_padded = roll.random() < 0.1  # some of its senders know 64 bits of a trace id
    threshold = roll.choice([None, None, None, "8", "c", "e", "0"])
    spans = []
    for _ in range(roll.choice([1, 2, 3, 4, 6, 9, 14])):
        parent = roll.choice(spans[-4:]) if spans and roll.random() < 0.92 else None
        service = parent.service if parent and roll.random() < 0.6 else roll.choice(services)
        missing = 0 if roll.random() < 0.7 else roll.getrandbits(64) | 1
        trace_hi = 0 if is_padded and roll.random() < 0.5 else high
        span = Span(low, trace_hi, roll.getrandbits(64) | 1, parent.id if parent else missing, service)
        span.kind = kind_below(roll, parent)
        span.failed = roll.random() < 0.25
        span.start_ns = base_ns + roll.randint(0, 3000) * 10**9
        span.took_ns = roll.randint(1, 500) * 10**6
        span.threshold = threshold if roll.random() < 0.8 else roll.choice([None, "8", "c"])
        span.flags = roll.choice([0, 0, 0x300, 0x100]) if span.parent_id else 0
        describe(roll, span, prefix)
        spans.append(span)
    return spans


def kind_below(roll, parent):
    if parent and parent.kind == CLIENT and roll.random() < 0.6:
        return SERVER
    if parent and parent.kind == PRODUCER and roll.random() < 0.6:
        return roll.choice([CONSUMER, CONSUMER, SERVER])
    return roll.choice([SERVER, CLIENT, CLIENT, CLIENT, PRODUCER, CONSUMER, INTERNAL, INTERNAL, 0])


def add_links(roll, span, spans, producers):
    for _ in range(roll.choice([0, 0, 1, 1, 2, 3])):
        found = roll.choice(producers if producers and roll.random() < 0.8 else spans)
        if roll.random() < 0.15:
            span.links.append((roll.getrandbits(64), roll.getrandbits(64), roll.getrandbits(64) | 1))
        else:
            span.links.append((found.trace_hi, found.trace, found.id))


def describe(roll, span, prefix):
    says = span.attributes
    chance = roll.random()
    if span.kind == SERVER:
        describe_server(roll, span, prefix, chance)
    elif span.kind == CONSUMER:
        say_topic(roll, span, prefix, roll.choice(["process", "process", None, "receive"]))
    elif span.kind == PRODUCER:
        say_topic(roll, span, prefix, roll.choice(["send", "send", "create", None]))
    elif span.kind == CLIENT and chance < 0.3:
        say_peer(roll, span, prefix)
    elif span.kind == CLIENT and chance < 0.5:
        say_database(roll, span, prefix)
    elif span.kind == CLIENT and chance < 0.72:
        say_topic(roll, span, prefix, roll.choice(["send", "receive", "receive", "settle"]))
    elif span.kind == CLIENT:
        says.update({"http.request.method": "GET", "url.full": "http://10.1.1.1/x"})
    elif span.kind == INTERNAL and chance < 0.15:
        says["db.system"], span.is_db = "h2", True
    # A probe does not publish: of a trace that has such a send too the rules say nothing.
    if roll.random() < 0.04 and not span.publishes():
        span.synthetic = True
        says["user_agent.synthetic.type"] = roll.choice(["bot", "test"])


def describe_server(roll, span, prefix, chance):
    says = span.attributes
    if chance < 0.7:
        method, route = roll.choice(["GET", "POST"]), roll.choice(["/r1", "/r2/{id}"])
        says[roll.choice(["http.request.method", "http.method"])] = method
        says["http.route"] = route
        span.endpoint = method + " " + route.replace("{id}", "{}")
    elif chance < 0.85:
        says.update({"rpc.system.name": "grpc", "rpc.method": "p.Sv/M"})
        span.endpoint = "p.Sv/M"
    else:
        says.update({"rpc.system": "grpc", "rpc.service": "p.Sv", "rpc.method": "M"})
        span.endpoint = "p.Sv/M"
    if roll.random() < 0.3:
        say_peer(roll, span, prefix)


def say_peer(roll, span, prefix):
    span.peer = prefix + roll.choice(["x1", "x2"])
    span.attributes[roll.choice(["peer.service", "service.peer.name"])] = span.peer


def say_database(roll, span, prefix):
    name = prefix + roll.choice(["d1", "d2"])
    span.is_db, span.peer = True, name
    span.attributes[roll.choice(["db.system", "db.system.name"])] = "other_sql"
    how = roll.choice(["server.address", "net.peer.name", "peer.service", "db.namespace"])
    span.attributes[how] = name
    span.is_placed = how != "db.namespace"
    if how == "server.address":
        span.attributes["server.port"] = 77
        span.peer += ":77"


def say_topic(roll, span, prefix, operation):
    name = prefix + roll.choice(["t1", "t2"])
    span.operation, span.topic = operation, "kafka:" + name
    span.attributes.update({"messaging.system": "kafka", "messaging.destination.name": name})
    if operation:
        span.attributes["messaging.operation.type"] = operation


# ---- rules ----


class Model:
    """What the spans of a case mean once all have come and all waits have ended.

    edges     (kind, source, target): [count, errors, weighted]
    samples   of such an edge, the durations that were sampled
    traffic   of each endpoint
    A node is (service, environment, endpoint), the last '' for the service itself, or
    ('', '', name) for what is no service.
    """

    def __init__(self, spans):
        self.spans = spans
        self.edges = collections.defaultdict(lambda: [0, 0, 0])
        self.samples = collections.defaultdict(list)
        self.traffic = collections.Counter()
        self.counters = collections.Counter()
        self.by_key = {span.key(): span for span in spans}
        self.parent = {span: self.by_key.get((span.trace, span.parent_id)) for span in spans}
        self.children = collections.defaultdict(list)
        for span, parent in self.parent.items():
            if parent:
                self.children[parent].append(span)
        self.links = {span: self.links_of(span) for span in spans}
        self.inferred = set()  # parents of a child that stands for its service
        for span in spans:
            self.infer(span)
        for span in spans:
            if span.synthetic:
                self.counters["synthetic"] += span.is_ingress() or span.is_egress()
            else:
                self.say(span)

    # -- who is where --

    def service(self, span):
        name, space, env = span.service
        return (space + "/" + name if space else name, env, "")

    def endpoint(self, span):
        return self.service(span)[:2] + (span.endpoint or span.topic,)

    def site(self, span):
        while not span.is_ingress():
            parent = self.parent[span]
            if not parent or parent.service != span.service:
                return self.service(span)
            span = parent
        return self.endpoint(span)

    def add(self, kind, source, target, span, failed, weight, sample=None):
        edge = self.edges[(kind, source, target)]
        edge[0] += 1
        edge[1] += bool(failed)
        edge[2] += weight or 1
        if sample is not None:
            self.samples[(kind, source, target)].append(sample)

    def larger(self, first, second):  # R10
        known = [weight for weight in (first.weight(), second.weight()) if weight]
        return max(known, default=1)

    # -- R7: messages --

    def links_of(self, span):
        if not (span.kind == CONSUMER or span.is_receive()) or span.synthetic:
            return []
        own = {span.key(), (span.trace, span.parent_id)}
        return [key for key in dict.fromkeys((low, span_id) for _, low, span_id in span.links) if key not in own]

    def messages(self, span):
        parent = self.parent[span]
        return self.links[span] + ([parent.key()] if parent and parent.publishes() else [])

    def is_shadowed(self, span, key):
        """A process of its service tells of the same message."""
        return span.is_receive() and any(
            other.kind == CONSUMER
            and not other.is_receive()
            and not other.synthetic
            and other.service == span.service
            and any(self.is_one_message(key, told) for told in self.messages(other))
            for other in self.spans
        )

    def is_repeat(self, span):
        """Within the span of a send, one that sends the same."""
        parent = self.parent[span]
        return (
            span.publishes()
            and bool(parent)
            and parent.service == span.service
            and parent.publishes()
            and parent.operation != "create"
            and parent.topic == span.topic
        )

    def is_one_message(self, key, other):
        """Both are of one send: the same span of it, or one around the other."""
        return key == other or other in self.sends_around(key) or key in self.sends_around(other)

    def sends_around(self, key):
        span = next((one for one in self.spans if one.key() == key), None)
        around = []
        while span and self.is_repeat(span):
            span = self.parent[span]
            if span.key() in around:
                break
            around.append(span.key())
        return around

    def is_told_by_processes(self, span):
        if any(self.is_shadowed(span, key) for key in self.messages(span)):
            return True
        return any(
            child.kind == CONSUMER
            and not child.is_receive()
            and not child.synthetic
            and child.service == span.service
            and child.topic == span.topic
            for child in self.children[span]
        )

    def say_links(self, span):
        for key in self.links[span]:
            producer = self.by_key.get(key)
            if self.is_shadowed(span, key):
                continue
            if not producer:
                self.counters["unresolved_links"] += 1
            elif producer.publishes() and not producer.synthetic:
                target = self.endpoint(span) if span.is_ingress() else self.service(span)
                self.add("msg", self.site(producer), target, span, span.failed, self.larger(producer, span))

    # -- R1 to R6 --

    def say(self, span):
        self.counters["inproc_db"] += span.kind == INTERNAL and span.is_db
        if span.is_ingress():
            self.say_ingress(span)
        if span.is_egress():
            self.say_publish(span)
            self.say_outcome(span)
        self.say_links(span)

    def say_ingress(self, span):
        here, parent = self.endpoint(span), self.parent[span]
        self.traffic[here] += 1
        if span.kind == CONSUMER and not (span.is_receive() and self.is_told_by_processes(span)):
            self.add("msg_sub", ("", "", span.topic), here, span, span.failed, span.weight())
        if span.kind == SERVER and not span.parent_id:
            self.add("virtual_in", ("", "", span.peer or "user"), here, span, span.failed, span.weight(), span.took_ns)
        if span.parent_id and not parent:
            self.counters["orphan_ingress"] += span.flags != 0x100
        if not parent or parent.synthetic or not (parent.service != span.service or parent.is_egress()):
            return
        if parent.publishes() and self.is_shadowed(span, parent.key()):
            return
        siblings = [child for child in self.children[parent] if child.is_ingress() and not child.synthetic]
        failed, sample = span.failed, span.took_ns
        if parent.is_egress():  # R9, R4
            failed |= parent.failed and len(siblings) == 1
            sample = parent.took_ns if span is min(siblings, key=lambda child: (child.is_receive(), child.id)) else None
        kind = "msg" if span.kind == CONSUMER else "call"
        self.add(kind, self.site(parent), here, span, failed, self.larger(parent, span), sample)

    def infer(self, parent):
        groups = collections.defaultdict(list)
        for child in self.children[parent]:
            if child.service != parent.service:
                groups[child.service].append(child)
        for group in groups.values():
            seen = [child for child in group if not child.synthetic]
            if any(child.is_ingress() for child in group) or not seen:
                continue
            first = min(seen, key=lambda child: child.id)
            self.inferred.add(parent)
            if parent.synthetic or (parent.publishes() and self.is_shadowed(first, parent.key())):
                continue
            weight = self.larger(parent, first)
            self.add("call", self.site(parent), self.service(first), first, first.failed, weight)

    def say_publish(self, span):
        parent = self.parent[span]
        if not span.publishes():
            return
        if span.operation == "create" and any(
            other.trace == span.trace and other.publishes() and other.operation != "create" for other in self.spans
        ):
            return
        if self.is_repeat(span):
            return
        self.add("msg_pub", self.site(span), ("", "", span.topic), span, span.failed, span.weight())

    # -- R13: nests --

    def is_nested(self, span, outer):
        if span.is_db and not span.publishes() and outer and outer.publishes():
            return False  # a message by way of a database
        return bool(outer) and span.is_egress() and outer.is_egress() and outer.service == span.service

    def nest(self, span):
        inner = [child for child in self.children[span] if self.is_nested(child, span)]
        return [span] + [below for child in inner for below in self.nest(child)]

    def names_of(self, span):
        """The spans whose names come to |span| from within: a database without a place lets pass what tells it."""
        inner = [child for child in self.children[span] if self.is_nested(child, span)]
        names = [one for child in inner for one in self.names_of(child)]
        if not span.is_placed:
            names = [one for one in names if one.is_db and one.is_placed]
        return names + ([span] if span.peer else [])

    def name_of(self, span):
        if span.peer and span.is_placed:
            return span
        return min(self.names_of(span), key=lambda one: (not one.is_placed, one.id), default=None)

    def say_outcome(self, span):
        if self.is_nested(span, self.parent[span]):
            return
        nest = self.nest(span)
        if any(
            one.publishes() or one in self.inferred or any(child.is_ingress() for child in self.children[one])
            for one in nest
        ):
            return
        named = self.name_of(span)
        if not named:
            self.counters["unresolved_egress"] += 1
            return
        kind = "db" if named.is_db else "virtual_out"
        peer = ("", "", named.peer)
        self.add(kind, self.site(span), peer, span, span.failed, span.weight(), span.took_ns)
