import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** Empty elements at both ends of an open popup that pass the focus on, so that Tab stays within. */
const FOCUS_GUARDS = "[data-base-ui-focus-guard]";

let source: Promise<string> | undefined;

/** The rules of WCAG 2.2 AA that a page violates, or one element of it, with the elements that do. */
export async function violations(
  page: Page,
  what: string,
  { within, rules = WCAG }: { within?: string; rules?: readonly string[] } = {},
): Promise<string[]> {
  source ??= readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  if (await page.evaluate<boolean>("window.axe === undefined")) await page.evaluate(await source);
  // What fades in or out has less contrast meanwhile.
  await page.locator("html").evaluate((root) => root.setAttribute("data-still", ""));
  const scope = JSON.stringify({ ...(within && { include: [[within]] }), exclude: [[FOCUS_GUARDS]] });
  const options = JSON.stringify({ runOnly: rules, resultTypes: ["violations"] });
  const found = await page.evaluate<AxeResults>(`axe.run(${scope}, ${options})`);
  const html = ({ nodes }: AxeResults["violations"][number]) =>
    nodes.map((node) => node.html.slice(0, 300)).join("\n  ");
  return found.violations.map((violation) => `${what}: ${violation.id}: ${html(violation)}`);
}
