import { documentOf, withHead, type Block } from "../report/document.ts";
import { machineLine } from "../report/environment-line.ts";
import { duration } from "../report/format.ts";
import type { Result } from "../report/result.ts";
import { markdownTable } from "./markdown.ts";
import type { RowOutcome, Suite } from "./suite-result.ts";

/**
 * The report as a document.
 * @param folder of the results, as a relative link
 */
export function suiteMarkdown(suite: Suite, folder: string): string {
  const { index, results } = suite;
  return `${[
    `# Measured on ${index.startedAt.slice(0, 10)}`,
    `${machineLine(index.environment)}; commit ${index.environment.commit ?? "unknown"}. Profile \`${index.profile}\`, ` +
      `${duration(index.durationMs)}. The server, its database and the tester shared this machine. With charts: ` +
      `[${folder}.html](${folder}.html). How it is measured: [method.md](method.md).`,
    ...(index.interrupted ? ["**Interrupted: the rest was not measured.**"] : []),
    ...chartLines(suite, folder),
    "## Commands",
    markdownTable(
      [["", "command", "result", "took"], ...index.rows.map((row) => outcomeLine(row, folder))],
      3,
    ),
    ...index.rows.flatMap(({ name, title, command }) => {
      const result = results.get(name);
      return result === undefined ? [] : resultLines(result, title, command);
    }),
  ].join("\n\n")}\n`;
}

function chartLines({ results }: Suite, folder: string): string[] {
  if (!results.has("sweep")) return [];
  return [
    `<picture><source media="(prefers-color-scheme: dark)" srcset="./${folder}/sweep-dark.svg">` +
      `<img alt="Time until the last member has a message, by the number of members online" src="./${folder}/sweep-light.svg"></picture>`,
  ];
}

function outcomeLine({ name, title, command, hasResult, problem, durationMs }: RowOutcome, folder: string) {
  const result = hasResult ? `[${name}.json](${folder}/${name}.json)` : `none: ${oneLine(problem ?? "")}`;
  return [title, `\`bench ${command}\``, result, duration(durationMs)];
}

function resultLines(result: Result, title: string, command: string): string[] {
  const { subtitle, blocks } = documentOf(result);
  return [`## ${title}`, `\`bench ${command}\``, subtitle, ...blocks.flatMap(blockLines)];
}

/** Charts are only on the page. */
function blockLines(block: Block): string[] {
  if (block.kind === "chart") return [];
  if (block.kind === "tiles") {
    const tiles = block.tiles.map(({ label, value, note }) => [label, value, note ?? ""]);
    return [markdownTable([["", "", ""], ...tiles])];
  }
  const heading = block.heading === "" ? [] : [`**${block.heading}**`];
  if (block.kind === "notes") return [...heading, block.lines.map((line) => `- ${oneLine(line)}`).join("\n")];
  const { head, rows } = withHead(block.rows);
  return [...heading, markdownTable([head, ...rows])];
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "/");
}
