// An endpoint of embeddings, as OpenAI's, that says what it is told to.
//   node embeddings.js STATE [PEM KEY]
// prints its port; STATE.log gets one JSON line a request; STATE.mode, read at
// each request, how to answer: ok, slow, busy, down, denied, refuse, dim,
// garbage, missing, nan, huge, base64, hang, keyecho, slashecho. STATE.mode may hold a
// second word, the milliseconds, seconds or numbers it is about.
//
// A vector has a number for each concept, and a few for the letters of words:
// words of one concept are near each other though they share no letter.
"use strict";
const fs = require("fs");
const [state, pem, key] = process.argv.slice(2);
const concepts = [
    ["refund", "reimburse", "money", "back", "repay", "chargeback"],
    ["outage", "downtime", "unavailable", "broken", "dead", "unreachable"],
    ["login", "signin", "authenticate", "password", "credentials"],
    ["warehouse", "stock", "inventory", "shelf", "goods"],
    ["slow", "latency", "sluggish", "delay", "lag"],
    ["cart", "basket", "trolley"],
    ["mail", "letter", "postage", "envelope", "courier"],
    ["order", "purchase", "buy"],
];
const LETTERS = 8;
function vector(text, dim) {
    const v = new Array(dim).fill(0);
    for (const word of text.toLowerCase().match(/[a-z]+/g) || ["-"]) {
        const at = concepts.findIndex((words) => words.includes(word));
        if (at >= 0) v[at % dim] += 1;
        let hash = 7;
        for (const c of word) hash = (hash * 31 + c.charCodeAt(0)) >>> 0;
        v[(concepts.length + (hash % LETTERS)) % dim] += 0.05;
    }
    return v;
}
function mode() {
    try {
        return fs.readFileSync(`${state}.mode`, "utf8").trim().split(" ");
    } catch {
        return ["ok"];
    }
}
function answer(res, status, body, headers = {}) {
    res.writeHead(status, { "content-type": "application/json", ...headers });
    res.end(typeof body === "string" ? body : JSON.stringify(body));
}
function serve(req, res) {
    let text = "";
    req.on("data", (part) => (text += part));
    req.on("end", () => {
        let ask = {};
        try { ask = JSON.parse(text); } catch {}
        const [how, number] = mode();
        const input = ask.input || [];
        fs.appendFileSync(`${state}.log`, JSON.stringify({
            path: req.url, method: req.method, auth: req.headers.authorization || null,
            how, model: ask.model, dimensions: ask.dimensions, format: ask.encoding_format, input,
        }) + "\n");
        const dim = how === "dim" ? Number(number) : ask.dimensions || concepts.length + LETTERS;
        const data = input.map((one, index) => ({ object: "embedding", index, embedding: vector(one, dim) }));
        data.reverse(); // by index, not by place
        const body = { object: "list", data, model: ask.model, usage: { prompt_tokens: 1, total_tokens: 1 } };
        if (how === "slow") setTimeout(() => answer(res, 200, body), Number(number));
        else if (how === "busy") answer(res, 429, { error: { message: "Rate limit reached" } }, { "retry-after": number });
        else if (how === "down") answer(res, 503, { error: { message: "overloaded" } });
        else if (how === "denied") answer(res, 401, { error: { message: `Incorrect API key: ${req.headers.authorization}` } });
        else if (how === "keyecho") answer(res, 500, { error: { message: `who sent ${req.headers.authorization}` } });
        else if (how === "slashecho") answer(res, 500, JSON.stringify({ error: { message: `who sent ${req.headers.authorization}` } }).replaceAll("/", "\\/"));
        else if (how === "refuse" && input.some((one) => one.includes(number))) answer(res, 400, { error: { message: "this text is not wanted" } });
        else if (how === "garbage") answer(res, 200, "<html>It works!</html>");
        else if (how === "missing") answer(res, 200, { ...body, data: data.slice(1) });
        else if (how === "nan") answer(res, 200, JSON.stringify(body).replace(/0\.05/, "NaN"));
        else if (how === "base64") answer(res, 200, { ...body, data: data.map((d) => ({ ...d, embedding: "AAAAAA==" })) });
        else if (how === "huge") { res.writeHead(200); const big = Buffer.alloc(1 << 20, "[0,"); let n = 0; (function more() { while (n++ < 200) if (!res.write(big)) return res.once("drain", more); res.end(); })(); }
        else if (how === "hang") return;
        else answer(res, 200, body);
    });
}
const server = pem
    ? require("https").createServer({ cert: fs.readFileSync(pem), key: fs.readFileSync(key) }, serve)
    : require("http").createServer(serve);
server.on("connection", () => fs.appendFileSync(`${state}.connections`, "one\n"));
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
