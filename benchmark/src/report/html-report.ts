import { escape } from "./charts/charts.ts";
import { CHART_CSS, themeVariables } from "./charts/theme.ts";
import { documentOf, table, withHead, type Block, type Tile } from "./document.ts";
import { environmentLine } from "./environment.ts";
import type { Result } from "./result.ts";

const PAGE_CSS = `
:root { color-scheme: light dark; ${themeVariables("light")} }
@media (prefers-color-scheme: dark) { :root { ${themeVariables("dark")} } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 62rem; background: var(--surface); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 0.25rem; }
h2 { font-size: 1.35rem; margin: 3.5rem 0 0; padding-top: 1.5rem; border-top: 1px solid var(--grid); }
h3 { font-size: 1rem; margin: 2rem 0 0.25rem; }
p { margin: 0.25rem 0 0.75rem; }
.quiet { color: var(--quiet-ink); font-size: 0.875rem; }
nav { columns: 16rem; margin: 1.5rem 0; font-size: 0.9rem; }
a { color: var(--one); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(10.5rem, 1fr)); gap: 0.75rem; margin: 1.25rem 0; }
.tile { border: 1px solid var(--grid); border-radius: 8px; padding: 0.75rem 0.9rem; }
.tile b { display: block; font-size: 1.45rem; line-height: 1.25; font-variant-numeric: tabular-nums; }
.tile.good b { color: var(--three); }
.tile.bad b { color: var(--bad); }
figure { margin: 0.5rem 0 1rem; }
svg { display: block; width: 100%; max-width: 52rem; height: auto; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.875rem; font-variant-numeric: tabular-nums; margin: 0.5rem 0; }
th, td { padding: 0.3rem 0.8rem 0.3rem 0; text-align: right; border-bottom: 1px solid var(--grid); }
td { white-space: nowrap; }
th { font-weight: 600; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; }
ul { padding-left: 1.2rem; }
${CHART_CSS}
`;

/**
 * A self-contained page: no scripts, fonts or other files.
 * @param title of the page, if it has several results
 * @param headings of the results, if not their own
 */
export function htmlReport(
  results: readonly Result[],
  title?: string,
  headings: readonly string[] = [],
): string {
  const titles = results.map(({ meta }, i) => headings[i] ?? meta.title);
  const heading = title ?? titles[0] ?? "Nothing was measured";
  const first = results[0]?.meta;
  const when = first && environmentLine(first, results.length === 1 ? first.durationMs : undefined);
  const sections = results.map((result, i) => {
    const ofSection = titles[i] === heading ? "" : `<h2>${escape(titles[i]!)}</h2>`;
    return `<section id="r${i}">${ofSection}\n${section(result)}\n</section>`;
  });
  const links = titles.map((text, i) => `<a href="#r${i}">${escape(text)}</a><br>`);
  return (
    `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n` +
    `<title>${escape(heading)}</title>\n<style>${PAGE_CSS}</style>\n<body>\n<header><h1>${escape(heading)}</h1>\n` +
    (when === undefined ? "" : `<p class="quiet">${escape(when)}</p>`) +
    `</header>\n${links.length > 1 ? `<nav>${links.join("")}</nav>\n` : ""}<main>\n${sections.join("\n")}\n</main>\n</body>\n</html>\n`
  );
}

function section(result: Result): string {
  const { subtitle, blocks } = documentOf(result);
  const thresholds = result.thresholds.map(({ expression, value, passed }) => [
    expression,
    value === null ? "not measured" : String(Number(value.toPrecision(4))),
    passed ? "passed" : "failed",
  ]);
  const closing = thresholds.length === 0 ? [] : [table("Thresholds", [["", "value", ""], ...thresholds])];
  const interrupted = result.meta.interrupted ? "<p><strong>Interrupted: partial result.</strong></p>" : "";
  const parts = [...blocks, ...closing].map(block).join("\n");
  return `<p class="quiet">${escape(subtitle)}</p>${interrupted}\n${parts}`;
}

function block(content: Block): string {
  if (content.kind === "tiles") return `<div class="tiles">${content.tiles.map(tile).join("")}</div>`;
  const heading = `<h3>${escape(content.heading)}</h3>`;
  if (content.kind === "notes") {
    return `${heading}<ul>${content.lines.map((line) => `<li>${escape(line)}</li>`).join("")}</ul>`;
  }
  if (content.kind === "table") return `${heading}<div class="scroll">${htmlTable(content.rows)}</div>`;
  const note = content.note === undefined ? "" : `<p class="quiet">${escape(content.note)}</p>`;
  return `<figure>${heading}${note}${content.svg}</figure>`;
}

function tile({ label, value, note, tone }: Tile): string {
  const below = note === undefined ? "" : `<span class="quiet">${escape(note)}</span>`;
  return `<div class="tile ${tone ?? ""}"><span class="quiet">${escape(label)}</span><b>${escape(value)}</b>${below}</div>`;
}

function htmlTable(all: readonly (readonly string[])[]): string {
  const { head, rows } = withHead(all);
  const line = (cells: readonly string[], tag: "th" | "td") =>
    `<tr>${cells.map((cell) => `<${tag}>${escape(cell)}</${tag}>`).join("")}</tr>`;
  const titles = head.some((cell) => cell !== "") ? `<thead>${line(head, "th")}</thead>` : "";
  return `<table>${titles}<tbody>${rows.map((row) => line(row, "td")).join("")}</tbody></table>`;
}
