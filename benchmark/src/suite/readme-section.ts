import { machineLine } from "../report/environment-line.ts";
import { count, ratio, whole } from "../report/format.ts";
import type { Result } from "../report/result.ts";
import { markdownTable } from "./markdown.ts";
import type { Suite } from "./suite-result.ts";

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
 */
export function readmeSection({ index, results }: Suite, folder: string): string {
  const versus = [...results.values()].find(({ meta }) => meta.command === "versus");
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
    const metric = ratios.find(
      (one) => one.name === name && one.labels["members"] === members && one.labels["to"] === to,
    );
    if (!metric || metric.value === null) return "–";
    const isLoss = metric.better === "higher" ? metric.value < 1 : metric.value > 1;
    return isLoss ? `**${ratio(metric.value)}**` : ratio(metric.value);
  };
  const threads = count(Number(meta.options["gatewayThreads"]), "gateway thread");
  return markdownTable([
    [`members online; ${threads}`, ...sizes.map(whole)],
    ...ROWS.map(([text, name]) => [
      text,
      ...sizes.map((members) => OTHERS.map((to) => cell(name, members, to)).join(" · ")),
    ]),
  ]);
}
