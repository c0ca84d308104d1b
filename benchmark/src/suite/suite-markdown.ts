import { ExitCode, ExitError } from "../cli/exit.ts";
import { documentOf, withHead, type Block } from "../report/document.ts";
import { machineLine } from "../report/environment.ts";
import { applying, count, duration, ratio, whole } from "../report/format.ts";
import { hasLabels } from "../report/metric.ts";
import type { Result } from "../report/result.ts";
import type { RowOutcome, Suite } from "./suite-files.ts";

/** A table in formatters' style: every column as wide as its widest cell, the first aligned left and the rest right. */
function markdownTable([head = [], ...rows]: readonly (readonly string[])[], left = 1): string {
  const all = [head, ...rows];
  const widths = head.map((_, i) => Math.max(3, ...all.map((row) => (row[i] ?? "").length)));
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, i) => (i < left ? (row[i] ?? "").padEnd(width) : (row[i] ?? "").padStart(width))).join(" | ")} |`;
  const rule = widths.map((width, i) => (i < left ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [line(head), `| ${rule.join(" | ")} |`, ...rows.map(line)].join("\n");
}

const BEGIN = "<!-- measured: written by `bench suite --update-readme` -->";
const END = "<!-- measured: end -->";

/**
 * Replaces the section of a document.
 * @throws {Error} without the two marks
 */
export function withSection(document: string, section: string): string {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`The document has no section to replace: ${BEGIN} … ${END}`);
  return `${document.slice(0, begin + BEGIN.length)}\n\n${section}\n\n${document.slice(end)}`;
}

/** The README's rows, each a ratio. */
const ROWS = [
  ["worst message, time to the last member", "worstMsRatio"],
  ["100 messages at once, to the last member", "burstMsRatio"],
  ["server CPU per message, net of idle", "netCpuMsPerMessageRatio"],
  ["memory per connection", "rssPerConnectionBytesRatio"],
  ["logins per second, bare servers only connect", "connectsPerSecondRatio"],
] as const;
const OTHERS = ["socket.io", "ws"];

/**
 * The README's figures: Fanfare with its default threads, divided by the bare servers in one process.
 * @param folder of the report's files, relative to the README's folder
 * @throws {ExitError} if the run that measured them failed
 */
export function readmeSection({ index, results }: Suite, folder: string): string {
  const [name, versus] = [...results].find(([, { meta }]) => meta.command === "versus") ?? [];
  const row = index.rows.find((outcome) => outcome.name === name);
  if (row && row.code !== ExitCode.ok)
    throw new ExitError(ExitCode.failed, `Not for the README: ${row.name}: ${row.problem}`);
  return [
    ...(versus === undefined ? [] : [versusTable(versus)]),
    `Measured on ${index.startedAt.slice(0, 10)}: ${machineLine(index.environment)}. The servers, the database and the tester shared the machine. ` +
      `[All results](${folder}.md), [method](docs/benchmarks/method.md).`,
  ].join("\n\n");
}

/** A column for each number of members. Losses are bold. */
function versusTable({ meta, metrics }: Result): string {
  const ratios = metrics.filter(({ group }) => group === "ratios");
  const sizes = [...new Set(ratios.map(({ labels }) => Number(labels["members"])))];
  const cell = (name: string, members: number, to: string): string => {
    const metric = ratios.find((one) => one.name === name && hasLabels(one, { members, to }));
    if (!metric || metric.value === null) return "–";
    const isLoss = metric.better === "higher" ? metric.value < 1 : metric.value > 1;
    return isLoss ? `**${ratio(metric.value)}**` : ratio(metric.value);
  };
  const { gatewayThreads: threads } = meta.options;
  const head = applying("members online", typeof threads === "number" && count(threads, "gateway thread"));
  return markdownTable([
    [head.join("; "), ...sizes.map(whole)],
    ...ROWS.map(([text, name]) => [
      text,
      ...sizes.map((members) => OTHERS.map((to) => cell(name, members, to)).join(" · ")),
    ]),
  ]);
}

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
    ...(results.has("sweep")
      ? [
          `<picture><source media="(prefers-color-scheme: dark)" srcset="./${folder}/sweep-dark.svg">` +
            `<img alt="Time until the last member has a message, by the number of members online" src="./${folder}/sweep-light.svg"></picture>`,
        ]
      : []),
    "## Commands",
    markdownTable(
      [["", "command", "result", "took"], ...index.rows.map((row) => outcomeLine(row, folder))],
      3,
    ),
    ...index.rows.flatMap(({ name, title, command }) => {
      const document = results.has(name) && documentOf(results.get(name)!);
      if (!document) return [];
      return [
        `## ${title}`,
        `\`bench ${command}\``,
        document.subtitle,
        ...document.blocks.flatMap(blockLines),
      ];
    }),
  ].join("\n\n")}\n`;
}

function outcomeLine({ name, title, command, hasResult, problem, durationMs }: RowOutcome, folder: string) {
  const file = hasResult ? `[${name}.json](${folder}/${name}.json)` : "none";
  const result = problem === null ? file : `${file}: ${oneLine(problem)}`;
  return [title, `\`bench ${command}\``, result, duration(durationMs)];
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
