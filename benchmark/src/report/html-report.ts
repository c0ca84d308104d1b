import { escape } from "./charts/escape.ts";
import { documentOf, withHead, type Block, type Document, type Tile } from "./document.ts";
import { environmentLine } from "./environment-line.ts";
import type { Result } from "./result.ts";
import { PAGE_CSS } from "./page-style.ts";

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
  const documents = results.map((result, i) => {
    const document = documentOf(result);
    return { result, document: { ...document, title: headings[i] ?? document.title } };
  });
  const heading = title ?? documents[0]?.document.title ?? "Nothing was measured";
  const first = results[0]?.meta;
  const { startedAt, environment } = first ?? {};
  const when = results.length === 1 ? first : startedAt && environment && { startedAt, environment };
  const sections = documents.map(({ result, document }, i) =>
    section(result, document, i, document.title !== heading),
  );
  const links = documents.map(({ document }, i) => `<a href="#r${i}">${escape(document.title)}</a><br>`);
  return (
    `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n` +
    `<title>${escape(heading)}</title>\n<style>${PAGE_CSS}</style>\n<body>\n<header><h1>${escape(heading)}</h1>\n` +
    (when ? `<p class="quiet">${escape(environmentLine(when))}</p>` : "") +
    `</header>\n${links.length > 1 ? `<nav>${links.join("")}</nav>\n` : ""}<main>\n${sections.join("\n")}\n</main>\n</body>\n</html>\n`
  );
}

function section(
  result: Result,
  { title, subtitle, blocks }: Document,
  index: number,
  hasHeading: boolean,
): string {
  const thresholds = result.thresholds.map(({ expression, value, passed }) => [
    expression,
    value === null ? "not measured" : String(Number(value.toPrecision(4))),
    passed ? "passed" : "failed",
  ]);
  const closing: Block[] =
    thresholds.length === 0
      ? []
      : [{ kind: "table", heading: "Thresholds", rows: [["", "value", ""], ...thresholds] }];
  const interrupted = result.meta.interrupted ? "<p><strong>Interrupted: partial result.</strong></p>" : "";
  return (
    `<section id="r${index}">${hasHeading ? `<h2>${escape(title)}</h2>` : ""}\n<p class="quiet">${escape(subtitle)}</p>${interrupted}\n` +
    `${sideBySide([...blocks, ...closing]).join("\n")}\n</section>`
  );
}

/** Consecutive lists of facts are columns, to save space. */
function sideBySide(blocks: readonly Block[]): string[] {
  const parts: string[] = [];
  let facts: string[] = [];
  const endFacts = () => {
    if (facts.length === 1) parts.push(facts[0]!);
    else if (facts.length > 1)
      parts.push(`<div class="facts">${facts.map((fact) => `<div>${fact}</div>`).join("")}</div>`);
    facts = [];
  };
  for (const content of blocks) {
    if (isFacts(content)) {
      facts.push(block(content));
      continue;
    }
    endFacts();
    parts.push(block(content));
  }
  endFacts();
  return parts;
}

function isFacts(content: Block): boolean {
  return content.kind === "table" && content.rows.length > 1 && content.rows.every((row) => row.length === 2);
}

function block(content: Block): string {
  if (content.kind === "tiles") return `<div class="tiles">${content.tiles.map(tile).join("")}</div>`;
  const heading = `<h3>${escape(content.heading)}</h3>`;
  if (content.kind === "notes") {
    return `${heading}<ul>${content.lines.map((line) => `<li>${escape(line)}</li>`).join("")}</ul>`;
  }
  const note = content.note === undefined ? "" : `<p class="quiet">${escape(content.note)}</p>`;
  if (content.kind === "chart") return `<figure>${heading}${note}${content.svg}</figure>`;
  return `${heading}${note}<div class="scroll">${table(content.rows)}</div>`;
}

function tile({ label, value, note, tone }: Tile): string {
  const below = note === undefined ? "" : `<span class="quiet">${escape(note)}</span>`;
  return `<div class="tile ${tone ?? ""}"><span class="quiet">${escape(label)}</span><b>${escape(value)}</b>${below}</div>`;
}

function table(all: readonly (readonly string[])[]): string {
  const { head, rows } = withHead(all);
  const line = (cells: readonly string[], tag: "th" | "td") =>
    `<tr>${cells.map((cell) => `<${tag}>${escape(cell)}</${tag}>`).join("")}</tr>`;
  const titles = head.some((cell) => cell !== "") ? `<thead>${line(head, "th")}</thead>` : "";
  return `<table>${titles}<tbody>${rows.map((row) => line(row, "td")).join("")}</tbody></table>`;
}
