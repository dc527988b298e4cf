// Ingest health: what arrives, what was refused and why, what spans lack.
import { announce, fill, h } from "./dom.js";
import { ask } from "./api.js";
import { nothingYet } from "./empty.js";
import { ago, bytes, count, share, time } from "./format.js";
import { go, switchView } from "./state.js";
import { table } from "./table.js";

const EVERY_MS = 5000;

const refusals = {
  invalid: "not OTLP, or malformed: check the exporter's protocol and path",
  too_large: "over the size limit: send smaller batches, or raise max_request_body_size",
  full: "too much at once: the sender was told to come back",
  store: "the database refused: is the disk full?",
  unsupported: "a content type or encoding that is not known",
  denied: "no token, or a wrong one",
};

// As `spangraph doctor` advises.
const advice = [
  [/parent|orphan/i, "the caller's spans do not arrive: instrument it, or do not sample parts of a trace"],
  [/link/i, "messages without a known sender: instrument the producer and let it write message headers"],
  [/egress|unresolved|call/i, "outgoing calls name nobody: let the SDK set server.address or peer.service"],
  [/evict/i, "forgotten before the other half came: raise pairing.max_spans"],
  [/dup/i, "two exporters send the same spans: keep one"],
];
const adviceFor = (reason) => advice.find(([pattern]) => pattern.test(reason))?.[1];

function lacks(service) {
  const parts = [];
  if (service.spans === 0) parts.push("it sent no spans: it is only called or declared");
  for (const reason of service.reasons) {
    if (reason.count * 10 >= service.spans && adviceFor(reason.reason)) {
      parts.push(`${count(reason.count)} × ${reason.reason.replaceAll("_", " ")}: ${adviceFor(reason.reason)}`);
    }
  }
  if (service.guessed_routes) parts.push(`${service.guessed_routes} of ${service.routes} routes are guessed: let the framework set http.route`);
  return [...new Set(parts)];
}

export class HealthView {
  constructor(root, state) {
    this.root = root;
    this.state = state;
    this.abort = new AbortController();
    this.sort = "-last";
  }

  async open() {
    this.body = h("div");
    this.auto = h("input", { type: "checkbox", checked: true, id: "refresh" });
    fill(this.root, h("div", { class: "bar" }, h("div", { class: "field row" }, this.auto, h("label", { for: "refresh" }, "Refresh every 5 seconds"))), this.body);
    await this.load();
    announce("Ingest health.");
    this.timer = setInterval(() => {
      if (this.auto.checked && !document.hidden && !this.body.contains(document.activeElement)) this.load().catch((error) => console.warn(error));
    }, EVERY_MS);
  }

  async load() {
    const answer = await ask("health", {}, this.abort.signal);
    const { counts, refused, now } = answer;
    const state = answer.draining ? "is stopping" : answer.writable ? "takes in spans" : "cannot write: nothing is accepted";
    const card = (title, value, more) => h("div", { class: "card" }, h("dt", {}, title), h("dd", {}, h("strong", {}, value), more ? h("small", {}, more) : null));
    const refusedRows = Object.entries(refused).filter(([, n]) => n);
    fill(this.body,
      h("h2", {}, `The service ${state}`),
      h("dl", { class: "cards" },
        card("Spans accepted", count(counts.accepted), "since the start"),
        card("Spans refused", count(counts.rejected), "one by one, of good requests"),
        card("Last span", ago(answer.last_span, now), time(answer.last_span)),
        card("Waiting to be stored", count(counts.queue), "spans"),
        card("Held for pairing", count(counts.live), "spans"),
        card("Without their other half", count(counts.unpaired_parent + counts.unpaired_egress + counts.unpaired_link), `${count(counts.unpaired_parent)} parents, ${count(counts.unpaired_egress)} calls, ${count(counts.unpaired_link)} links`),
        card("Duplicates", count(counts.duplicate), "counted once"),
        card("Requests", count(counts.requests_grpc + counts.requests_http), `${count(counts.requests_grpc)} gRPC, ${count(counts.requests_http)} HTTP, ${bytes(counts.bytes)}`),
        card("Graph", `${count(counts.nodes)} nodes`, `${count(counts.edges)} edges, ${bytes(counts.store_bytes)} stored`)),
      h("h2", {}, "Refused requests"),
      refusedRows.length ? h("ul", { id: "refused" }, refusedRows.map(([reason, n]) => h("li", {}, `${count(n)} × ${reason.replaceAll("_", " ")}: ${refusals[reason]}`))) : h("p", {}, "None since the start."),
      h("h2", {}, "Services"),
      answer.services.length ? this.services(answer) : nothingYet());
  }

  services(answer) {
    const { now } = answer;
    const open = (service) => go({ ...switchView(this.state, "graph"), focus: service.key });
    const columns = [
      { key: "name", head: "Service", value: (service) => service.name, show: (service) => h("button", { type: "button", class: "link", onclick: () => open(service) }, service.env ? `${service.name} (${service.env})` : service.name) },
      { key: "spans", head: "Spans", numeric: true, value: (service) => service.spans, show: (service) => count(service.spans) },
      { key: "last", head: "Last span", numeric: true, value: (service) => service.last, csv: (service) => time(service.last), show: (service) => ago(service.last, now) },
      { key: "routes", head: "Routes", numeric: true, value: (service) => service.routes },
      { key: "unpaired", head: "Without other half", numeric: true, value: (service) => service.reasons.reduce((sum, one) => sum + one.count, 0), show: (service) => { const n = service.reasons.reduce((sum, one) => sum + one.count, 0); return `${count(n)} (${share(n, service.spans)})`; } },
      { key: "lacks", head: "What its spans lack", wide: true, value: (service) => lacks(service).join("; "), show: (service) => { const parts = lacks(service); return parts.length ? h("ul", {}, parts.map((part) => h("li", {}, part))) : "nothing we can see"; } },
    ];
    return [
      table({ caption: "Services, latest first", columns, rows: answer.services, sort: this.sort, sorted: (sort) => { this.sort = sort; }, file: "spangraph-health.csv" }),
      answer.total > answer.services.length ? h("p", { class: "note" }, `${count(answer.total)} services; the latest ${count(answer.services.length)} are shown.`) : null,
    ];
  }

  close() {
    this.abort.abort();
    clearInterval(this.timer);
  }
}
