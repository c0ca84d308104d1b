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

/** The README's rows, each with its ratios. */
const ROWS: readonly [text: string, ...names: string[]][] = [
  ["time to the last member, worst · median", "worstMsRatio", "medianMsRatio"],
  ["server CPU per message", "cpuMsPerMessageRatio"],
  ["deliveries per CPU second, 100 messages at once", "burstPerCpuSecondRatio"],
  ["memory per connection", "rssPerConnectionBytesRatio"],
  ["logins per second, bare servers only connect", "connectsPerSecondRatio"],
];
/** Of the burst in the table. */
const BURST = 100;

/**
 * The README's figures: of the largest audience, with the server's default threads.
 * @param folder of the report's files, relative to the README's folder
 */
export function readmeSection({ index, results }: Suite, folder: string): string {
  const limits = [...results.values()]
    .filter(({ meta }) => meta.command === "limits" && meta.options["gatewayThreads"] !== 0)
    .filter(({ metrics }) => metrics.some(({ group }) => group === "ratios"))
    .toSorted((a, b) => membersOf(b) - membersOf(a))
    .slice(0, 1);
  return [
    ...limits.map(limitsTable),
    `Measured on ${index.startedAt.slice(0, 10)}: ${machineLine(index.environment)}. The servers, the database and the tester shared the machine. ` +
      `[All results](${folder}.md), [method](docs/benchmarks/method.md).`,
  ].join("\n\n");
}

const membersOf = ({ meta }: Result): number => Number(meta.options["users"]);

/** A column for each other server. Losses are bold. */
function limitsTable(limits: Result): string {
  const ratios = limits.metrics.filter(
    ({ group, labels }) => group === "ratios" && (labels["burst"] ?? BURST) === BURST,
  );
  const others = [...new Set(ratios.map(({ labels }) => labels["to"]!))];
  const cell = (name: string, to: string | number): string => {
    const metric = ratios.find((one) => one.name === name && one.labels["to"] === to);
    if (!metric || metric.value === null) return "–";
    const isLoss = metric.better === "higher" ? metric.value < 1 : metric.value > 1;
    return isLoss ? `**${ratio(metric.value)}**` : ratio(metric.value);
  };
  const threads = count(Number(limits.meta.options["gatewayThreads"]), "gateway thread");
  return markdownTable([
    [
      `${whole(membersOf(limits))} members online, ${threads}: Fanfare divided by`,
      ...others.map((to) => `bare ${to}`),
    ],
    ...ROWS.map(([text, ...names]) => [
      text,
      ...others.map((to) => names.map((name) => cell(name, to)).join(" · ")),
    ]),
  ]);
}
