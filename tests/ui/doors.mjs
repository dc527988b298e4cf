// Before there is anything, behind a token, and when names are hostile: none of
// them ever runs.
//
//   node doors.mjs URL TOKEN OTLP_URL
import AxeBuilder from "./axe.mjs";
import { base, done, leads, ok, openBrowser, openPage, same, settled, troubles, visit } from "./page.mjs";

const [token, otlp] = process.argv.slice(3);
const browser = await openBrowser();
const page = await openPage(browser, { acceptDownloads: true });
const tidy = () => { page.troubles = page.troubles.filter((line) => !line.includes("401")); };

// ---- a token ----
await page.goto(`${base}/#graph`);
await page.waitForSelector("#token");
same("the question for a token can be read by all", [], await AxeBuilder(page));
await page.fill("#token", "wrong");
await page.keyboard.press("Enter");
await page.waitForFunction(() => document.querySelector("[role=alert]")?.textContent !== "");
same("a wrong one is said so", "The token was refused.", await page.textContent("[role=alert]"));
await page.fill("#token", token);
await page.keyboard.press("Enter");
await settled(page, "graph");
ok("the right one opens the page", true);
await page.reload();
await settled(page, "graph");
ok("and is kept in this tab", true);
ok("nowhere else", !(await page.evaluate(() => `${document.cookie} ${JSON.stringify(localStorage)} ${location.href}`)).includes(token));
const other = await page.context().newPage();
await other.goto(`${base}/#graph`);
await other.waitForSelector("#token");
ok("another tab is asked again", true);
await other.close();
tidy();

// ---- nothing yet ----
ok("nothing yet says where to send", (await page.textContent("main")).includes("Nothing has arrived yet") && (await page.textContent("main")).includes(":4318"));
same("and can be read by all", [], await AxeBuilder(page));
await visit(page, "#dead");
ok("no routes says how to have some", (await page.textContent("main")).includes("import-routes"));
await visit(page, "#edges");
ok("no edges says the same as the graph", (await page.textContent("main")).includes("Nothing has arrived yet"));
await visit(page, "#health");
ok("health shows noughts", (await page.textContent("main")).includes("None since the start."));

// ---- hostile names ----
const names = [
  "<img src=x onerror=alert(1)>", "\"><script>alert(2)</script>", "</title><svg/onload=alert(3)>", "javascript:alert(4)",
  "=HYPERLINK(\"http://evil.example/\",\"x\")", "@SUM(1+1)", "{{constructor.constructor('alert(5)')()}}", "a\u202Egnp.exe", "'; DROP TABLE edge;--", "x".repeat(240),
];
const now = BigInt(Date.now()) * 1000000n;
const hex = (n, width) => n.toString(16).padStart(width, "0");
const text = (key, stringValue) => ({ key, value: { stringValue } });
const resourceSpans = names.flatMap((name, i) => {
  const span = (service, id, parent, route) => ({
    resource: { attributes: [text("service.name", service), text("deployment.environment.name", name)] },
    scopeSpans: [{ scope: { name }, spans: [{
      traceId: hex(i + 1, 32), spanId: hex(id, 16), ...(parent ? { parentSpanId: hex(parent, 16) } : {}), name, kind: 2,
      startTimeUnixNano: String(now), endTimeUnixNano: String(now + 5000000n), attributes: [text("http.request.method", "GET"), text("http.route", route)],
    }] }],
  });
  return [span(name, 2 * i + 1, 0, `/${name}`), span(`to ${name}`, 2 * i + 2, 2 * i + 1, `/r/${name}`)];
});
await visit(page, "#graph");
const send = (resourceSpans) => fetch(`${otlp}/v1/traces`, { method: "POST", body: JSON.stringify({ resourceSpans }), headers: { "content-type": "application/json" } });
const inner = {
  resource: { attributes: [text("service.name", "alone")] },
  scopeSpans: [{ spans: [{ traceId: hex(99, 32), spanId: hex(99, 16), name: "work", kind: 1, startTimeUnixNano: String(now), endTimeUnixNano: String(now + 5000000n) }] }],
};
same("a span that is no call is taken in", 200, (await send([inner])).status);
await page.waitForFunction(() => document.querySelector("main").textContent.includes("Nothing was seen in this time"));
ok("and it is told that there is nothing to draw", (await page.locator(".canvas").count()) === 0);
const sent = await send(resourceSpans);
same("hostile names are taken in", 200, sent.status);
await page.waitForSelector(".canvas");
ok("the graph appears by itself when the first call has come", true);

const first = names[0];
for (const address of ["#graph", "#graph?level=endpoint", "#graph?level=symbol", "#edges?level=endpoint", "#dead?verdict=all", "#health", `#graph?focus=${encodeURIComponent(`service:${first}`)}`]) {
  await visit(page, address);
  const made = await page.evaluate(() => [...document.querySelectorAll("main img, main script, main svg, main iframe, main [onerror], main [onload]")].length);
  same(`${address}: no name became markup`, 0, made);
}
ok("they are shown as they are", (await page.textContent(".panel h2")).includes(first), await page.textContent(".panel h2"));
await page.fill("#search", "onerror");
await page.waitForSelector("#found li");
ok("and found", (await page.textContent("#found")).includes(first));
await leads(page, "graph", () => page.keyboard.press("Enter"));
ok("and in the title", (await page.title()).includes("onerror"));
await page.click("#copy");
ok("the command line quotes them", (await page.inputValue("[data-copy=cli]")).includes("'"), await page.inputValue("[data-copy=cli]"));
await page.keyboard.press("Escape");
await visit(page, "#edges?limit=200");
const [file] = await Promise.all([page.waitForEvent("download"), page.click("#csv")]);
const { readFileSync } = await import("node:fs");
const csv = readFileSync(await file.path(), "utf8");
ok("no cell of the CSV is a formula", !/(^|[,\n])"?[=+@-][^0-9]/.test(csv) && csv.includes("'=HYPERLINK"), csv.slice(0, 300));
ok("inline script cannot run, whoever adds it", await page.evaluate(() => {
  const script = document.createElement("script");
  try {
    script.textContent = "globalThis.ran = true";
    document.body.append(script);
  } catch { /* trusted types: it is not even made */ }
  return globalThis.ran === undefined;
}));
// The browser tells of it a little later.
ok("and the policy says so", await page.waitForFunction(() => globalThis.violations.length > 0, null, { timeout: 5000 }).then(() => true, () => false));
await page.evaluate(() => { globalThis.violations = []; });
page.troubles = page.troubles.filter((line) => !/script|trusted/i.test(line));
await troubles("no name ran, no dialog, no other host was asked", page);

await browser.close();
done();
