import type { BroadcastMeasurement, LimitsResult, TargetFigures } from "../report/result.ts";
import { spread } from "./percentiles.ts";

const PLATFORM = "fanfare";
const BARE = { "socket.io": "SocketIo", ws: "Ws" } as const;

/** The ratios that --threshold of `bench limits` can use. */
export const LIMIT_METRICS = Object.values(BARE).flatMap((bare) =>
  ["p100", "p100Best", "cold", "burstPerCpu", "connects", "rss", "cpu"].map((figure) => `${figure}Vs${bare}`),
);

/** One figure per target over all its passes: medians, to be robust against outliers. */
export function limitFigures(passes: readonly BroadcastMeasurement[]): LimitsResult["figures"] {
  const names = new Set(passes.map((pass) => pass.target.name));
  return Object.fromEntries(
    [...names].map((name) => [name, figuresOf(passes.filter((p) => p.target.name === name))]),
  );
}

/** Medians over passes of the same target. */
export function figuresOf(passes: readonly BroadcastMeasurement[]): TargetFigures {
  const rounds = passes.flatMap((pass) => pass.rounds);
  const warmRounds = rounds.filter((round) => round.kind === "warm");
  const warm = warmRounds.map((round) => round.p100Ms);
  const p100Of = (some: typeof rounds) => medianUnlessLost(some, (round) => round.p100Ms);
  const bursts = passes.flatMap((pass) => pass.bursts);
  const sizes = [...new Set(bursts.map((burst) => burst.messages))];
  return {
    p100Ms: p100Of(warmRounds),
    bestP100Ms: spread(warm.filter((p100) => p100 !== null))?.min ?? null,
    coldMs: p100Of(rounds.filter((round) => round.kind === "cold")),
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
  add("p100", "p100 of a warm message", (figures) => figures.p100Ms);
  add("p100Best", "p100 of the best warm message", (figures) => figures.bestP100Ms);
  add("cold", "p100 of a cold message", (figures) => figures.coldMs);
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

/** null without values. */
/** null if a delivery was lost: a median without it would make a worse server look better. */
export function medianUnlessLost<T extends { lost: number }>(
  all: readonly T[],
  of: (one: T) => number | null,
): number | null {
  return all.some(({ lost }) => lost > 0) ? null : median(all.map(of));
}

export function median(values: readonly (number | null | undefined)[]): number | null {
  return (
    spread(values.filter((value): value is number => value !== null && value !== undefined))?.median ?? null
  );
}
