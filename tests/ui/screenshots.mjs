// Take the pictures of docs/ui.md.
//
//   node screenshots.mjs URL FOLDER
import { done, openBrowser, openPage, visit } from "./page.mjs";

const folder = process.argv[3];
const browser = await openBrowser();
const shots = [
  ["ui-graph-light", "light", "#graph?since=all&color=evidence"],
  ["ui-graph-dark", "dark", "#graph?since=all&color=health&focus=service%3Apayments&level=endpoint"],
  ["ui-dead-routes", "light", "#dead?verdict=all"],
];
for (const [name, colorScheme, address] of shots) {
  const page = await openPage(browser, { colorScheme, viewport: { width: 1200, height: 700 } });
  await visit(page, address);
  await page.waitForTimeout(500);
  await page.screenshot({ path: `${folder}/${name}.png` });
  await page.context().close();
}
await browser.close();
done();
