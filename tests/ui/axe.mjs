// What axe-core finds against WCAG A and AA, a line a rule.  It is run by the
// browser's debugger, which the page's policy does not bind.
import { createRequire } from "node:module";

const source = createRequire(import.meta.url)("axe-core").source;

export default async function axe(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: source });
  const { result } = await session.send("Runtime.evaluate", {
    expression: `axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], resultTypes: ["violations"] })
      .then(({ violations }) => JSON.stringify(violations.map((one) => one.id + ": " + one.nodes.map((node) => node.target.join(" ") + " " + node.failureSummary).join("; "))))`,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  return JSON.parse(result.value ?? "[\"axe did not run\"]");
}
