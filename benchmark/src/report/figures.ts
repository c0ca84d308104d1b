import { kib, mib, ms, short, whole } from "./format.ts";

const UNITS = {
  ms,
  perSecond: (value: number) => `${whole(value)}/s`,
  count: whole,
  ratio: (value: number) => `${value.toFixed(2)} ×`,
  kib,
  mib,
  cores: short,
} as const;

/** A number of a result, with a key by which results are compared. */
export interface Figure {
  key: string;
  label: string;
  unit: keyof typeof UNITS;
  better: "lower" | "higher";
  /**
   * `fault`: must never happen, so a single one is worse. `event`: a single one is worse if the base had none. Others are
   * judged by ranks.
   */
  counts?: "fault" | "event";
  /** null: not measured, or never reached where it is a time. */
  value: number | null;
}

type FigureKind = Pick<Figure, "label" | "unit" | "better" | "counts">;

const lower = (label: string, unit: Figure["unit"]): FigureKind => ({ label, unit, better: "lower" });
const fault = (label: string): FigureKind => ({ ...lower(label, "count"), counts: "fault" });
const higher = (label: string, unit: Figure["unit"]): FigureKind => ({ label, unit, better: "higher" });

/** All figures that reports compare. */
const KINDS = {
  worstMs: lower("worst message, time to the last member", "ms"),
  medianMs: lower("median message, time to the last member", "ms"),
  p99Ms: lower("all deliveries, p99", "ms"),
  stalls: { ...lower("messages over 1 s and 10 times the median", "count"), counts: "event" },
  coldMs: lower("first message after an idle time", "ms"),
  ackMs: lower("acknowledged", "ms"),
  burst20Ms: lower("burst of 20, full delivery", "ms"),
  burst100Ms: lower("burst of 100, full delivery", "ms"),
  burst20PerCpuSecond: higher("burst of 20, deliveries per server CPU second", "count"),
  burst100PerCpuSecond: higher("burst of 100, deliveries per server CPU second", "count"),
  registrationsPerSecond: higher("registered and joined", "perSecond"),
  connectsPerSecond: higher("connected and logged in", "perSecond"),
  cpuMsPerMessage: lower("server CPU per message", "ms"),
  rssPerConnectionBytes: lower("memory per connection", "kib"),
  rssGrowthBytes: lower("memory for all connections", "mib"),
  kernelPerConnectionBytes: lower("kernel memory per connection", "kib"),
  lost: fault("lost"),
  unstored: fault("acknowledged but not persisted"),
  storedTwice: fault("stored twice"),
  dropped: fault("connections dropped"),
  duplicates: fault("duplicates"),
  outOfOrder: fault("out of order"),
  corrupted: fault("corrupted"),
  errors: lower("errors", "count"),
  missed: lower("not sent in time by the tester", "count"),
  acknowledgedPerSecond: higher("acknowledged", "perSecond"),
  acknowledgedPerCpuSecond: higher("acknowledged per server CPU second", "count"),
  deliveriesPerSecond: higher("deliveries", "perSecond"),
  deliveriesPerCpuSecond: higher("deliveries per server CPU second", "count"),
  receivedShare: higher("received ÷ expected", "ratio"),
  ackP50Ms: lower("acknowledged, p50", "ms"),
  ackP90Ms: lower("acknowledged, p90", "ms"),
  ackP99Ms: lower("acknowledged, p99", "ms"),
  ackP100Ms: lower("acknowledged, p100", "ms"),
  deliveryP99Ms: lower("delivered, p99", "ms"),
  deliveryP100Ms: lower("delivered, p100", "ms"),
  storedPerSecond: higher("stored", "perSecond"),
  bytesPerMillion: lower("disk per million messages", "mib"),
  echoPerSecond: higher("best echo rate", "perSecond"),
  scalingEfficiency: higher("scaling efficiency", "ratio"),
  pullsPerCpuSecond: higher("pulls per server CPU second", "count"),
  stageMs: lower("this stage, on average", "ms"),
  usersWithinLimit: higher("members online within the limit", "count"),
  messagesWithinLimit: higher("messages per second within the limit", "count"),
  backMs: lower("all recovered", "ms"),
  worstSecondMs: lower("worst second, p100", "ms"),
  capacityPerSecond: higher("capacity", "perSecond"),
  normalAfterMs: lower("normal again after the overload", "ms"),
} as const satisfies Record<string, FigureKind>;

export type FigureKey = keyof typeof KINDS;

export const FAULTS = Object.keys(KINDS).filter(
  (key) => (KINDS as Record<string, FigureKind>)[key]!.counts === "fault",
);

/** In the order of the arguments; undefined ones don't exist in this result. */
export function figures(values: Partial<Record<FigureKey, number | null | undefined>>): Figure[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, ...KINDS[key as FigureKey], value }],
  );
}

export function figureText({ unit, value }: Pick<Figure, "unit" | "value">): string {
  if (value === Infinity) return "never";
  return value === null ? "–" : UNITS[unit](value);
}
