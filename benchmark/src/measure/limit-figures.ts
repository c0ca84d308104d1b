import type { BroadcastMeasurement, LimitsResult, RoundKind, TargetFigures } from "../report/result.ts";
import { spread, type Spread } from "./percentiles.ts";

const PLATFORM = "fanfare";
const BARE = { "socket.io": "SocketIo", ws: "Ws" } as const;

/** The ratios that --threshold of `bench limits` can use. */
export const LIMIT_METRICS = Object.values(BARE).flatMap((bare) =>
  ["worst", "median", "best", "first", "cold", "burstPerCpu", "connects", "rss", "cpu"].map(
    (figure) => `${figure}Vs${bare}`,
  ),
);

/** The figures of each target over all its passes. */
export function limitFigures(passes: readonly BroadcastMeasurement[]): LimitsResult["figures"] {
  const names = new Set(passes.map((pass) => pass.target.name));
  return Object.fromEntries(
    [...names].map((name) => [name, figuresOf(passes.filter((p) => p.target.name === name))]),
  );
}

/** Of passes of the same target. */
export function figuresOf(passes: readonly BroadcastMeasurement[]): TargetFigures {
  const rounds = passes.flatMap((pass) => pass.rounds);
  const warm = warmSpread(passes);
  const medianOf = (kind: RoundKind) =>
    medianUnlessLost(
      rounds.filter((round) => round.kind === kind),
      (round) => round.p100Ms,
    );
  const bursts = passes.flatMap((pass) => pass.bursts);
  const sizes = [...new Set(bursts.map((burst) => burst.messages))];
  return {
    worstMs: warm?.max ?? null,
    medianMs: warm?.median ?? null,
    bestMs: warm?.min ?? null,
    firstMs: medianOf("first"),
    coldMs: medianOf("cold"),
    connectsPerSecond: median(passes.map((pass) => pass.connection?.perSecond)),
    // Only from the first pass: later audiences include memory of the earlier ones.
    rssPerConnectionBytes: passes[0]?.server.rssPerConnectionBytes ?? null,
    cpuMsPerMessage: median(passes.map((pass) => pass.server.cpuMsPerMessage)),
    bursts: sizes.map((size) => {
      const same = bursts.filter((burst) => burst.messages === size);
      return {
        messages: size,
        allMs: medianUnlessLost(same, (burst) => burst.allMs),
        deliveriesPerSecond: median(same.map((burst) => burst.deliveriesPerSecond)),
        deliveriesPerCpuSecond: median(same.map((burst) => burst.deliveriesPerCpuSecond)),
      };
    }),
    lost: passes.reduce((sum, pass) => sum + pass.counts.lost, 0),
  };
}

/** Of all warm messages; null if one did not reach everyone, or there are none. */
function warmSpread(passes: readonly BroadcastMeasurement[]): Spread | null {
  const rounds = passes.map((pass) => pass.rounds.filter(({ kind }) => kind === "warm"));
  if (passes.some(({ warm }, i) => warm.p100Ms === null && rounds[i]!.length > 0)) return null;
  return spread(rounds.flat().flatMap(({ p100Ms }) => p100Ms ?? []));
}

/** The platform's figures divided by those of each bare server. */
export function limitRatios(figures: LimitsResult["figures"]): LimitsResult["ratios"] {
  const platform = figures[PLATFORM];
  if (!platform) return [];
  return (Object.keys(BARE) as (keyof typeof BARE)[]).flatMap((bare) => {
    const other = figures[bare];
    return other ? ratiosOf(platform, other, bare) : [];
  });
}

function ratiosOf(
  platform: TargetFigures,
  other: TargetFigures,
  bare: keyof typeof BARE,
): LimitsResult["ratios"] {
  const ratios: LimitsResult["ratios"] = [];
  const add = (name: string, label: string, of: (figures: TargetFigures) => number | null | undefined) => {
    const [ours, theirs] = [of(platform), of(other)];
    if (ours && theirs)
      ratios.push({ name: `${name}Vs${BARE[bare]}`, against: bare, label, value: ours / theirs });
  };
  add("worst", "worst message, time to the last member", (figures) => figures.worstMs);
  add("median", "median message, time to the last member", (figures) => figures.medianMs);
  add("best", "best message, time to the last member", (figures) => figures.bestMs);
  add("first", "first message after connecting", (figures) => figures.firstMs);
  add("cold", "first message after an idle time", (figures) => figures.coldMs);
  for (const { messages } of platform.bursts) {
    const label = `burst of ${messages}: deliveries per server CPU second`;
    const rate = (figures: TargetFigures) =>
      figures.bursts.find((burst) => burst.messages === messages)?.deliveriesPerCpuSecond;
    add(`burst${messages}PerCpu`, label, rate);
  }
  add("connects", "connections per second", (figures) => figures.connectsPerSecond);
  add("rss", "memory per connection", (figures) => figures.rssPerConnectionBytes);
  add("cpu", "server CPU per message", (figures) => figures.cpuMsPerMessage);
  return ratios;
}

/** `burstPerCpuVs…` is the worst of all burst sizes. */
export function limitMetrics(ratios: LimitsResult["ratios"]): Record<string, number | null> {
  const values: Record<string, number | null> = Object.fromEntries(
    ratios.map(({ name, value }) => [name, value]),
  );
  for (const bare of Object.values(BARE)) {
    const bursts = ratios.filter(({ name }) => new RegExp(`^burst\\d+PerCpuVs${bare}$`).test(name));
    values[`burstPerCpuVs${bare}`] = spread(bursts.map(({ value }) => value))?.min ?? null;
  }
  return values;
}

/** null if a delivery was lost: a median without it would make a worse server look better. */
export function medianUnlessLost<T extends { lost: number }>(
  all: readonly T[],
  of: (one: T) => number | null,
): number | null {
  return all.some(({ lost }) => lost > 0) ? null : median(all.map(of));
}

/** null without values. */
export function median(values: readonly (number | null | undefined)[]): number | null {
  return (
    spread(values.filter((value): value is number => value !== null && value !== undefined))?.median ?? null
  );
}
