import { machineLine } from "../report/environment-line.ts";
import { duration, kib, ms, ratio, whole } from "../report/format.ts";
import type { LimitsResult, SweepResult } from "../report/result.ts";
import { sweepTable } from "../report/sweep-table.ts";
import { besidePublished } from "./beside-published.ts";
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
  const table = besidePublished(suite, (row) => row.headline ?? []);
  return [
    `On ${index.startedAt.slice(0, 10)}: ${machineLine(index.environment)}. The server, the embedded database and the tester ` +
      `shared it. Everything that was measured, with the command of each row: [${folder}.md](${folder}.md).`,
    ...chartLines(suite, folder),
    ...(sweep?.command === "sweep" ? sweepLines(sweep) : []),
    ...(limits.length > 0 ? limitLines(limits) : []),
    ...(table === undefined
      ? []
      : [
          "Beside what others have published of their servers on other machines; per CPU second is what compares best:",
          markdownTable(table, 2),
        ]),
    ...faultLines(suite),
  ].join("\n\n");
}

function sweepLines({ rows }: SweepResult): string[] {
  const lost = rows.reduce((sum, row) => sum + row.lost, 0);
  return [
    "Time until the **last** member online has a message, from the instant of sending, stored on disk and permission-checked; " +
      `beside what Tailchat has published of its own (an i7-8700K). ${whole(lost)} of all deliveries were lost. Cold is the first ` +
      "after a rest; the bursts are until all have all of them.",
    markdownTable(sweepTable(rows), 0),
  ];
}

function limitLines(results: readonly LimitsResult[]): string[] {
  const against = [...new Set(results.flatMap(({ ratios }) => ratios.map((entry) => entry.against)))];
  const labels = [...new Set(results.flatMap(({ ratios }) => ratios.map((entry) => entry.label)))];
  const columns = against.flatMap((bare) => results.map((result) => ({ bare, result })));
  const value = (label: string, { bare, result }: (typeof columns)[number]) =>
    ratio(result.ratios.find((entry) => entry.label === label && entry.against === bare)?.value);
  return [
    "`bench limits`: the platform divided by bare servers, which know no users and store nothing, in turns in the same run " +
      "(times, memory and CPU: lower is better; rates: higher is):",
    markdownTable([
      ["", ...columns.map(({ bare, result }) => `bare ${bare}, ${whole(result.users)} members`)],
      ...labels.map((label) => [label, ...columns.map((column) => value(label, column))]),
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
      `${whole(overload.offeredPerSecond ?? 0)} messages/s offered, ${whole(overload.acknowledgedPerSecond)}/s acknowledged within ${ms(overload.ackMs?.p100)}, the rest refused; **${whole(counts.lost)} lost**; normal again ${normal}`,
    );
  });
  return rows.length === 0 ? [] : ["When things go wrong:", markdownTable([["", ""], ...rows], 2)];
}
