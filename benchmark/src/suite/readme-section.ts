import { gatewayThreadsText, machineLine } from "../report/environment-line.ts";
import { duration, kib, ms, ratio, whole } from "../report/format.ts";
import type { LimitsResult, SweepResult } from "../report/result.ts";
import { sweepTable } from "../report/sweep-table.ts";
import { markdownTable } from "./markdown.ts";
import { chartLines } from "./suite-markdown.ts";
import type { Suite } from "./suite-result.ts";

const BEGIN = "<!-- measured: written by `bench suite --update-readme` -->";
const END = "<!-- measured: end -->";

/** The document with this section in the place of the one that was there. @throws {Error} without the two marks */
export function withSection(document: string, section: string): string {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`The document has no place for it: ${BEGIN} … ${END}`);
  return `${document.slice(0, begin + BEGIN.length)}\n\n${section}\n\n${document.slice(end)}`;
}

/** The README's figures. @param folder of the report's files, from where the README lies */
export function readmeSection(suite: Suite, folder: string): string {
  const { index, results } = suite;
  const sweep = results.get("sweep");
  const limits = [...results.values()]
    .filter((result) => result.command === "limits")
    .filter(({ ratios }) => ratios.length > 0);
  return [
    `Measured on ${index.startedAt.slice(0, 10)}: ${machineLine(index.environment)}. The server, the embedded database and the tester ` +
      `shared the machine, so compare the ratios, not the milliseconds. All results, with their commands: [${folder}.md](${folder}.md).`,
    ...chartLines(suite, folder),
    ...(sweep?.command === "sweep" ? sweepLines(sweep) : []),
    ...(limits.length > 0 ? limitLines(limits) : []),
    ...faultLines(suite),
  ].join("\n\n");
}

function sweepLines({ rows, options }: SweepResult): string[] {
  const lost = rows.reduce((sum, row) => sum + row.lost, 0);
  return [
    "Time from sending a message until the **last** member online has it; the message is permission-checked and on disk. " +
      `The median of the warm messages, ${threadsPhrase(options)}. ${whole(lost)} deliveries were lost. Cold: the first message after ` +
      "a pause. Bursts: until every member has every message.",
    markdownTable(sweepTable(rows), 0),
  ];
}

const threadsPhrase = (options: Record<string, unknown>): string =>
  `with ${gatewayThreadsText(options) || "the default number of gateway threads"}`;

/** One column per bare server, size of the audience and number of gateway threads. What Fanfare loses is bold. */
function limitLines(results: readonly LimitsResult[]): string[] {
  const against = [...new Set(results.flatMap(({ ratios }) => ratios.map((entry) => entry.against)))];
  const labels = [...new Set(results.flatMap(({ ratios }) => ratios.map((entry) => entry.label)))];
  const columns = against.flatMap((bare) => results.map((result) => ({ bare, result })));
  const cell = (label: string, { bare, result }: (typeof columns)[number]) => {
    const value = result.ratios.find((entry) => entry.label === label && entry.against === bare)?.value;
    if (value === undefined) return ratio(value);
    const isLoss = / per (server CPU )?second$/.test(label) ? value < 1 : value > 1;
    return isLoss ? `**${ratio(value)}**` : ratio(value);
  };
  const heading = ({ bare, result }: (typeof columns)[number]) =>
    [`bare ${bare}`, `${whole(result.users)} members`, gatewayThreadsText(result.options)]
      .filter(Boolean)
      .join(", ");
  return [
    "`bench limits`: Fanfare divided by bare servers that have no users, check nothing and store nothing, measured in turns in the same " +
      "run. Lower is better for times, memory and CPU; higher is better for rates. **Bold: Fanfare loses.**",
    markdownTable([
      ["", ...columns.map(heading)],
      ...labels.map((label) => [label, ...columns.map((column) => cell(label, column))]),
    ]),
  ];
}

function faultLines({ index, results }: Suite): string[] {
  const rows = index.rows.flatMap(({ name, command }): string[][] => {
    const result = results.get(name);
    const said = (text: string) => [[`\`bench ${command}\``, text]];
    if (result?.command === "cluster") {
      const of = result.rows.filter((row) => row.gateways !== null && row.p100VsSocketIo !== null);
      const each = of.map((row) => `${row.label}: ${ratio(row.p100VsSocketIo)}`).join(", ");
      return said(
        `p100 of a message ÷ that of bare Socket.IO in one process: ${each}; memory per connection ${kib(of[0]?.rssPerConnectionBytes)}`,
      );
    }
    if (result?.command === "storm") {
      const { counts, phases } = result;
      const worst = Math.max(...phases.map(({ p100Ms }) => p100Ms ?? 0));
      const back = Math.max(...phases.map(({ allBackMs }) => allBackMs ?? 0));
      return said(
        `${phases.length - 1} faults, ${whole(counts.expected)} deliveries, **${whole(counts.lost)} lost**; worst second ${ms(worst)}; all back and caught up after ${duration(back)} at most`,
      );
    }
    if (result?.command !== "overload") return [];
    const { overload, counts, recovery } = result;
    const normal = recovery.normalAfterMs === null ? "not seen" : `after ${duration(recovery.normalAfterMs)}`;
    return said(
      `${whole(overload.offeredPerSecond ?? 0)} messages/s offered by connected clients, ${whole(overload.acknowledgedPerSecond)}/s acknowledged, the slowest after ${ms(overload.ackMs?.p100)}; the rest refused; **${whole(counts.lost)} lost**; normal again ${normal}`,
    );
  });
  return rows.length === 0 ? [] : ["Under faults and overload:", markdownTable([["", ""], ...rows], 2)];
}
