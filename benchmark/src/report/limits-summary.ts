import { styleText } from "node:util";
import { gatewayThreadsText } from "./environment-line.ts";
import { count, kib, ms, ratio, table, whole } from "./format.ts";
import type { LimitsResult, TargetFigures } from "./result.ts";
import { errorTable, section, thresholdLines } from "./summary.ts";

/** The ratios first: unlike the figures below, they hold on a slow or busy machine. */
export function limitsSummary(result: LimitsResult): string {
  const turns = Math.max(0, ...turnsOfEach(result));
  const errors = result.passes.flatMap((pass) => pass.errors);
  return [
    styleText(
      "bold",
      `Limits · ${whole(result.users)} users · ${turns} passes each, the same audience and machine · ${gatewayThreadsText(result.options)}`,
    ),
    ...(result.interrupted ? [styleText("yellow", "  Interrupted: partial result.")] : []),
    "",
    ...section("The platform divided by …", ratioLines(result)),
    ...section("Figures (medians of the passes, except worst and best)", [figureTable(result)]),
    ...section(
      "Caveats",
      verdictLines(
        result.passes.map((pass) => ({ name: pass.target.name, verdicts: pass.generator.verdicts })),
      ),
    ),
    ...section("Errors", errors.length === 0 ? [] : [errorTable(errors)]),
    ...section("Thresholds", thresholdLines(result)),
  ]
    .join("\n")
    .trimEnd();
}

function turnsOfEach(result: LimitsResult): number[] {
  return Object.keys(result.figures).map(
    (name) => result.passes.filter((pass) => pass.target.name === name).length,
  );
}

function ratioLines({ ratios }: LimitsResult): string[] {
  if (ratios.length === 0) return ["  Nothing to compare: both the platform and a bare server must run."];
  const against = [...new Set(ratios.map((entry) => entry.against))];
  const labels = [...new Set(ratios.map((entry) => entry.label))];
  const rows = labels.map((label) => [
    label,
    ...against.map((bare) =>
      ratio(ratios.find((entry) => entry.label === label && entry.against === bare)?.value),
    ),
  ]);
  return [table([["", ...against.map((bare) => `bare ${bare}`)], ...rows])];
}

function figureTable({ figures }: LimitsResult): string {
  const columns = Object.entries(figures);
  const row = (label: string, of: (figures: TargetFigures) => string) => [
    label,
    ...columns.map(([, figures]) => of(figures)),
  ];
  const perSecond = (value: number | null) => (value === null ? "–" : `${whole(value)}/s`);
  const bursts = columns[0]?.[1].bursts ?? [];
  return table([
    ["", ...columns.map(([name]) => name)],
    row("worst message, time to the last member", (f) => ms(f.worstMs)),
    row("median message", (f) => ms(f.medianMs)),
    row("best message", (f) => ms(f.bestMs)),
    row("first message after connecting", (f) => ms(f.firstMs)),
    row("first message after an idle time", (f) => ms(f.coldMs)),
    ...bursts.flatMap(({ messages }, i) => [
      row(`burst of ${messages}: full delivery`, (f) => ms(f.bursts[i]?.allMs)),
      row(`burst of ${messages}: deliveries per CPU second`, (f) => {
        const rate = f.bursts[i]?.deliveriesPerCpuSecond;
        return rate === null || rate === undefined ? "–" : whole(rate);
      }),
    ]),
    row("connections", (f) => perSecond(f.connectsPerSecond)),
    row("memory per connection", (f) => kib(f.rssPerConnectionBytes)),
    row("server CPU per message", (f) => ms(f.cpuMsPerMessage)),
    row("lost", (f) => whole(f.lost)),
  ]);
}

/** The verdicts on the tester itself in each server's passes: the last one of each kind stands for all. */
export function verdictLines(turns: readonly { name: string; verdicts: readonly string[] }[]): string[] {
  return [...Map.groupBy(turns, ({ name }) => name)].flatMap(([name, same]) => {
    const verdicts = same.flatMap((turn) => turn.verdicts);
    const byKind = Map.groupBy(verdicts, (text) => text.slice(0, text.search(/[:\d]/)));
    return [...byKind.values()].map((alike) =>
      styleText(
        "yellow",
        `  ${name}, ${alike.length} of ${count(same.length, "pass", "passes")}: ${alike.at(-1)}`,
      ),
    );
  });
}
