// Click through each view and look at what it says, by mouse and by keyboard.
//
//   node views.mjs URL SPANGRAPH FOLDER_OF_DATA
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import AxeBuilder from "./axe.mjs";
import { base, done, leads, ok, openBrowser, openPage, same, settled, troubles, visit } from "./page.mjs";

const [spangraph, dataParent] = process.argv.slice(3);
const browser = await openBrowser();
const page = await openPage(browser, { acceptDownloads: true });

const note = () => page.textContent("#note");
const hash = () => page.evaluate(() => location.hash);
const keysOf = () => page.evaluate(() => globalThis.spangraphDrawing.graph.mapNodes((id, data) => data.node.key).sort());
const rowsOf = () => page.$$eval("tbody tr", (rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent.trim())));

/** Where a node stands on the screen. */
async function placeOf(key) {
  const place = await page.evaluate((wanted) => {
    const drawing = globalThis.spangraphDrawing;
    return drawing.whereIs(drawing.graph.findNode((id, data) => data.node.key === wanted));
  }, key);
  const box = await page.locator(".canvas").boundingBox();
  return [box.x + place.x, box.y + place.y];
}
// ---- the graph ----
await visit(page, "#graph");
ok("the graph says how much it shows", (await note()).startsWith("9 nodes, 9 edges."), await note());
ok("it is drawn", (await page.locator(".canvas canvas").count()) > 0);
same("it holds the services and what they talk to", ["database:orders-db", "external:stripe", "external:user", "service:gateway",
  "service:loyalty", "service:mail", "service:orders", "service:payments", "topic:kafka:order-placed"], await keysOf());
for (let tries = 0; tries < 50 && (await page.isHidden(".hint")); tries++) {
  const [left, top] = await placeOf("service:payments");
  await page.mouse.move(left + (tries % 3) - 1, top);
  await page.waitForTimeout(100);
}
const hint = await page.textContent(".hint");
ok("hovering a node tells counts and errors", /payments.*Received\d[\d,]* failed|payments.*Received\d+, \d+ failed \([\d.]+ %\)/s.test(hint), hint);
ok("and p95 and last seen", /p95[\d.]+ ms/.test(hint) && /Last seen(just now|\d+ (minutes|hours) ago)/.test(hint), hint);
await page.mouse.move(5, 5);
await page.waitForSelector(".hint", { state: "hidden" });
const middle = async (a, b) => {
  const [from, to] = [await placeOf(a), await placeOf(b)];
  return [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
};
const [x, y] = await middle("service:gateway", "service:payments");
for (let tries = 0; tries < 45 && (await page.isHidden(".hint")); tries++) {
  await page.mouse.move(x, y + (tries % 9) - 4);
  await page.waitForTimeout(100);
}
ok("hovering an edge tells both ends and the evidence", /gateway → payments.*in the code and observed/s.test(await page.textContent(".hint")), await page.textContent(".hint"));
ok("and a trace of it, one that failed", /Trace[0-9a-f]{32} \(failed\)/.test(await page.textContent(".hint")), await page.textContent(".hint"));
await page.mouse.move(5, 5);

await page.selectOption("text=Colour by >> xpath=.. >> select", "health");
ok("colour by health is in the address", (await hash()).includes("color=health"), await hash());
ok("and the legend says what it means", (await page.textContent(".legend")).includes("5 % or more fail"));
const look = (key) => page.evaluate((wanted) => {
  const { graph } = globalThis.spangraphDrawing;
  return graph.getNodeAttribute(graph.findNode((id, data) => data.node.key === wanted), "look");
}, key);
same("payments fails now and then", { evidence: "both", health: "bad" }, await look("service:payments"));
same("loyalty is known by the code alone", { evidence: "static", health: "quiet" }, await look("service:loyalty"));

await leads(page, "graph", async () => page.mouse.click(...(await placeOf("service:payments"))));
ok("a click focuses", (await hash()).includes("focus=service%3Apayments"), await hash());
ok("and colours stay as chosen", (await hash()).includes("color=health"));
const two = (await keysOf()).length;
await leads(page, "graph", () => page.selectOption("text=Steps >> xpath=.. >> select", "1"));
same("one step shows its neighbours only", ["external:stripe", "service:gateway", "service:payments"], await keysOf());
ok("two steps showed more", two > 3, two);
await leads(page, "graph", () => page.click("#clear-focus"));
await leads(page, "graph", () => page.selectOption("text=Evidence >> xpath=.. >> select", "static"));
same("static alone is what no trace shows", ["service:gateway", "service:loyalty"], await keysOf());
await visit(page, "#graph?level=endpoint&focus=route%3Aorders+GET+%2Forders");
same("routes have callers and databases", ["database:orders-db", "external:user", "route:gateway GET /cart", "route:orders GET /orders", "route:orders POST /orders"], await keysOf());
await visit(page, "#graph?level=symbol");
ok("functions are there with file and line", (await page.evaluate(() => globalThis.spangraphDrawing.graph.mapNodes((id, data) => `${data.node.name} ${data.node.file}:${data.node.line}`))).includes("listOrders orders/server.js:4"));
await visit(page, "#graph");
await leads(page, "graph", () => page.selectOption("text=Time >> xpath=.. >> select", "custom"));
same("a time of one's own has a beginning and an end", 2, await page.locator("input[type=datetime-local]").count());
await leads(page, "graph", () => page.locator("input[type=datetime-local]").first().fill("2020-01-01T00:00"));
ok("which stand in the address", (await hash()).includes("from=1577836800") && (await keysOf()).length >= 9, await hash());
await visit(page, "#graph?since=1h&env=nowhere");
ok("nothing in this time is said so", (await page.textContent("main")).includes("Nothing was seen in this time"));
await leads(page, "graph", () => page.click("text=Show all time, everything"));
ok("and one button shows all", (await keysOf()).length >= 9);
await visit(page, "#graph?since=all");
await page.goto(`${base}/#graph?focus=service%3Anobody`);
await page.waitForSelector("[role=alert]");
ok("a focus that is nothing is said so", (await page.textContent("[role=alert]")).includes("nothing is called service:nobody"));
page.troubles = page.troubles.filter((line) => !line.includes("404"));

// ---- search ----
await visit(page, "#graph");
await page.keyboard.press("Control+k");
await page.keyboard.type("post charge");
await page.waitForSelector("#found li[role=option]");
ok("search finds as one types", (await page.textContent("#found")).includes("POST /charge"), await page.textContent("#found"));
await page.keyboard.press("ArrowDown");
await leads(page, "graph", () => page.keyboard.press("Enter"));
ok("and Enter focuses what is chosen", (await hash()).includes("route%3Apayments+POST+%2Fcharge") && (await hash()).includes("level=endpoint"), await hash());

// ---- the keyboard in the graph ----
await visit(page, "#graph?focus=service%3Aorders");
await page.focus(".canvas");
const chosen = () => page.textContent(".panel h2");
same("the focus is what is told about", "orders", await chosen());
await page.keyboard.press("ArrowLeft");
same("left goes to the caller", "gateway", await chosen());
await page.keyboard.press("ArrowRight");
same("right to what is called most", "orders", await chosen());
await page.keyboard.press("ArrowRight");
const beside = await chosen();
await page.keyboard.press("ArrowDown");
ok("down to its neighbour", (await chosen()) !== beside, await chosen());
for (const key of ["+", "-", "0"]) await page.keyboard.press(key);
await leads(page, "graph", () => page.keyboard.press("Enter"));
ok("Enter focuses", !(await hash()).includes("service%3Aorders"), await hash());
await leads(page, "edges", () => page.keyboard.press("Alt+2"));
await leads(page, "dead", () => page.keyboard.press("Alt+3"));
await leads(page, "health", () => page.keyboard.press("Alt+4"));
await leads(page, "graph", () => page.keyboard.press("Alt+1"));
ok("Alt and a digit change the view", true);

// ---- the edge table ----
await visit(page, "#edges");
same("the edge table has a row an edge", 9, (await rowsOf()).length);
await page.click("button[data-key=errors]");
const byErrors = await rowsOf();
same("it sorts by errors", "descending", await page.getAttribute("th:has(button[data-key=errors])", "aria-sort"));
ok("highest first", Number(byErrors[0][5].split(" ")[0].replace(",", "")) > 0 && byErrors.at(-1)[5].startsWith("0"), byErrors.map((row) => row[5]));
await page.click("button[data-key=errors]");
same("and the other way round", "ascending", await page.getAttribute("th:has(button[data-key=errors])", "aria-sort"));
await page.fill("input[type=search]:not(#search)", "gateway both");
same("a filter leaves what has all words", ["orders", "payments"], (await rowsOf()).map((row) => row[1]).sort());
const [file] = await Promise.all([page.waitForEvent("download"), page.click("#csv")]);
const csv = readFileSync(await file.path(), "utf8").trimEnd().split("\r\n");
same("CSV has the heads", "Source,Target,Kind,Evidence,Calls,Errors,p95 ms,Last seen", csv[0]);
ok("times are times", / UTC$/.test(csv[1]), csv[1]);
same("and the rows that are shown", ["gateway,orders,calls,both", "gateway,payments,calls,both"], csv.slice(1).map((row) => row.split(",").slice(0, 4).join(",")).sort());
await leads(page, "edges", () => page.click("tbody button.link >> text=payments"));
ok("a name focuses the table", (await hash()).includes("focus=service%3Apayments"), await hash());

// ---- dead routes ----
await visit(page, "#dead");
const dead = await rowsOf();
same("the board lists candidates first", [["GET /legacy/cart", "gateway", "never observed"], ["DELETE /orders/{}", "orders", "stopped"]], dead.map((row) => row.slice(0, 3)));
ok("with evidence", dead[0][4].includes("never called") && dead[0][4].includes("watched 100 % of the time"), dead[0][4]);
same("owner and place", ["@acme/web", "gateway/server.js:17"], dead[0].slice(6));
await page.fill("input[type=search]:not(#search)", "@acme/orders");
same("a filter finds by owner", ["DELETE /orders/{}"], (await rowsOf()).map((row) => row[0]));
await leads(page, "dead", () => page.click(".tile.v-not_observable"));
await page.fill("input[type=search]:not(#search)", "");
same("what cannot be judged is apart", ["GET /points"], (await rowsOf()).map((row) => row[0]));
await leads(page, "dead", () => page.click(".tile.v-all"));
same("all are 8", 8, (await rowsOf()).length);
await visit(page, "#dead?verdict=all&stale_days=60&service=orders");
same("a service alone", 3, (await rowsOf()).length);

// ---- health ----
await visit(page, "#health");
ok("health says that spans are taken in", (await page.textContent("main h2")).includes("takes in spans"));
ok("and who sends them", (await rowsOf()).some((row) => row[0] === "payments" && Number(row[1].replace(",", "")) > 1000), await rowsOf());
ok("and who does not", (await rowsOf()).some((row) => row[0] === "loyalty" && row[5].includes("sent no spans")), await rowsOf());

// ---- copies ----
async function copies(view, address) {
  await visit(page, address);
  const shown = await page.textContent("main");
  await page.click("#copy");
  const texts = await page.$$eval("[data-copy]", (inputs) => Object.fromEntries(inputs.map((input) => [input.dataset.copy, input.value])));
  await page.click("button[aria-label='Copy Link']");
  await page.waitForFunction(() => document.querySelector("dialog [role=status]").textContent !== "");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  const other = await openPage(browser);
  await other.goto(texts.link);
  await settled(other, view);
  const strip = (text) => text.replace(/\d+ minutes ago|just now/g, "");
  if (view !== "health") same(`${address}: its link shows the same`, strip(shown), strip(await other.textContent("main")));
  await troubles(`${address}: without trouble`, other);
  await other.context().close();
  try {
    const out = execFileSync("sh", ["-c", texts.cli.replace(/^spangraph/, '"$0"'), spangraph], { cwd: dataParent, encoding: "utf8", timeout: 20000, stdio: ["ignore", "pipe", "pipe"] });
    ok(`${texts.cli}: runs`, out.length > 20, out);
  } catch (error) {
    ok(`${texts.cli}: runs`, false, `${error.message} ${error.stderr}`);
  }
  const answer = await (await fetch(`${base}/mcp`, {
    method: "POST", body: texts.mcp, headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
  })).json();
  ok(`${texts.mcp}: is answered`, answer.result && !answer.result.isError, answer);
}
await copies("graph", "#graph?since=all");
await copies("graph", "#graph?focus=service%3Aorders&level=endpoint&since=24h");
await copies("graph", "#graph?focus=route%3Aorders+GET+%2Forders&level=endpoint");
await copies("graph", "#graph?focus=topic%3Akafka%3Aorder-placed");
await copies("graph", "#graph?focus=code%3Aexample.org%2Fshop%3A%2F%2Forders%2Fserver.listOrders&level=symbol");
await copies("edges", "#edges?since=30d&sort=-errors&q=gateway");
await copies("dead", "#dead?service=orders&owner=%40acme%2Forders&stale_days=14");
await copies("health", "#health");

// ---- everyone can read it ----
for (const scheme of ["light", "dark"]) {
  const seen = await openPage(browser, { colorScheme: scheme });
  for (const address of ["#graph", "#graph?focus=service%3Aorders&color=health", "#edges", "#dead?verdict=all", "#health", "#graph?env=nowhere"]) {
    await visit(seen, address);
    const found = await AxeBuilder(seen);
    same(`${scheme} ${address}: axe finds nothing`, [], found);
  }
  await seen.click("#copy");
  same(`${scheme} copy: axe finds nothing`, [], await AxeBuilder(seen));
  await seen.keyboard.press("Escape");
  await seen.fill("#search", "or");
  await seen.waitForSelector("#found li");
  same(`${scheme} search: axe finds nothing`, [], await AxeBuilder(seen));
  await troubles(`${scheme}: without trouble`, seen);
  await seen.context().close();
}
const tall = await openPage(browser, { viewport: { width: 420, height: 900 } });
await visit(tall, "#graph?since=all");
const down = await tall.evaluate(() => {
  const drawing = globalThis.spangraphDrawing;
  const pairs = [...drawing.pairs.values()].filter((pair) => pair.source !== pair.target);
  return pairs.filter((pair) => drawing.whereIs(pair.target).y > drawing.whereIs(pair.source).y).length / pairs.length;
});
ok("in a narrow window calls go down", down > 0.8, down);
ok("which is as wide as it is", (await tall.evaluate(() => document.documentElement.scrollWidth)) <= 420);
await tall.context().close();
await visit(page, "#graph");
await page.click("#theme");
same("the button makes it dark", "dark", await page.getAttribute("html", "data-theme"));
await page.reload();
await settled(page, "graph");
same("and it stays so", "dark", await page.getAttribute("html", "data-theme"));
await page.click("#theme");

await troubles("nothing went wrong in the page", page);
await browser.close();
done();
