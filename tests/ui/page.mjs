// What the tests of the web page share: a browser, a page that notes whatever
// goes wrong in it, and checks that print a line each.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

export const base = process.argv[2];
export const state = { failures: 0 };

export function ok(name, is, more = "") {
  if (is) console.log(`ok ${name}`);
  else {
    console.log(`not ok ${name}${more === "" ? "" : `: ${typeof more === "string" ? more : JSON.stringify(more)}`}`);
    state.failures += 1;
  }
}

export const same = (name, expected, actual) =>
  ok(name, JSON.stringify(expected) === JSON.stringify(actual), { expected, actual });

export async function openBrowser() {
  const executablePath = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  if (!executablePath) throw new Error("no Chromium: install the package chromium, or set CHROMIUM");
  const root = process.getuid() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({
    executablePath,
    args: [...root, "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage", "--disable-background-networking"],
  });
}

/** A page of its own, whose errors, refused loads and dialogs end up in
 * page.troubles. */
export async function openPage(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  page.troubles = [];
  page.setDefaultTimeout(15000);
  page.on("console", (message) => {
    if (message.type() === "error") page.troubles.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => page.troubles.push(`error: ${error.message}`));
  page.on("dialog", async (dialog) => {
    page.troubles.push(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith("http") && url.origin !== new URL(base).origin) page.troubles.push(`asks elsewhere: ${request.url()}`);
  });
  await page.addInitScript(() => {
    globalThis.violations = [];
    document.addEventListener("securitypolicyviolation", (event) => globalThis.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
  });
  return page;
}

/** Opens a view and waits until it is there; a graph until it is laid out. */
export async function visit(page, hash) {
  const view = /^#?(\w+)/.exec(hash)[1];
  if (!page.url().startsWith(base)) await page.goto(`${base}/`);
  await page.evaluate((text) => { location.hash = text; }, hash);
  await page.waitForFunction(() => document.getElementById("main")?.dataset.hash === location.hash);
  await settled(page, view);
}

/** Does something that leads to another view, and waits for it. */
export async function leads(page, view, action) {
  const before = await page.evaluate(() => location.hash);
  await action();
  await page.waitForFunction((old) => location.hash !== old && document.getElementById("main").dataset.hash === location.hash, before);
  await settled(page, view);
}

export async function settled(page, view) {
  await page.waitForSelector(`main[data-view="${view}"]`);
  if (view === "graph" && (await page.locator(".canvas").count())) await page.waitForSelector("main[data-laid]");
}

export async function troubles(name, page) {
  const violations = await page.evaluate(() => globalThis.violations);
  same(name, [], [...page.troubles, ...violations]);
}

export function done() {
  process.exitCode = state.failures ? 1 : 0;
}
