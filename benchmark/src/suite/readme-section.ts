import { gatewayThreadsText, machineLine } from "../report/environment-line.ts";
import { ratio, whole } from "../report/format.ts";
import type { LimitsResult } from "../report/result.ts";
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

/** The README's names for the labels of ratios. Lower is better, except for rates. */
const ROWS = {
  "worst message, time to the last member": "time to the last member, worst message",
  "median message, time to the last member": "time to the last member, median message",
  "server CPU per message": "server CPU per message",
  "burst of 100: deliveries per server CPU second": "deliveries per CPU second, 100 messages at once",
  "memory per connection": "memory per connection",
  "connections per second": "logins per second, bare servers only connect",
};

/**
 * The README's figures.
 * @param folder of the report's files, relative to the README's folder
 */
export function readmeSection({ index, results }: Suite, folder: string): string {
  const limits = [...results.values()]
    .filter((result) => result.command === "limits")
    .filter(({ ratios, options }) => ratios.length > 0 && options["gatewayThreads"] !== 0)
    .toSorted((a, b) => b.users - a.users)
    .slice(0, 1);
  return [
    ...limits.map(limitsTable),
    `Measured on ${index.startedAt.slice(0, 10)}: ${machineLine(index.environment)}. The servers, the database and the tester shared the machine. ` +
      `[All results](${folder}.md), [method](docs/benchmarks/method.md).`,
  ].join("\n\n");
}

/** A column for each bare server. Losses are bold. */
function limitsTable(limits: LimitsResult): string {
  const against = [...new Set(limits.ratios.map((entry) => entry.against))];
  const cell = (label: string, bare: string): string => {
    const value = limits.ratios.find((entry) => entry.label === label && entry.against === bare)?.value;
    if (value === undefined) return ratio(value);
    const isLoss = /per (server CPU )?second$/.test(label) ? value < 1 : value > 1;
    return isLoss ? `**${ratio(value)}**` : ratio(value);
  };
  const conditions = [`${whole(limits.users)} members online`, gatewayThreadsText(limits.options)];
  const title = `${conditions.filter(Boolean).join(", ")}: Fanfare divided by`;
  return markdownTable([
    [title, ...against.map((bare) => `bare ${bare}`)],
    ...Object.entries(ROWS).map(([label, name]) => [name, ...against.map((bare) => cell(label, bare))]),
  ]);
}
