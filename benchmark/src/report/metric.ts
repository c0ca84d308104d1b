import { spread } from "../kernels/broadcast/percentiles.ts";
import { duration, kib, mib, ms, percent, ratio, short, whole } from "./format.ts";

const UNITS = {
  ms,
  duration,
  perSecond: (value: number) => `${whole(value)}/s`,
  count: (value: number) => (Number.isInteger(value) ? whole(value) : short(value)),
  ratio,
  fraction: (value: number) => value.toFixed(4),
  share: percent,
  kib,
  mib,
  cores: short,
  seconds: (value: number) => `${short(value)} s`,
  microseconds: (value: number) => `${short(value)} µs`,
} as const;

export type Unit = keyof typeof UNITS;
export type Labels = Readonly<Record<string, string | number>>;

/** What reports show together, in this order. */
export const GROUPS = {
  headline: "Result",
  faults: "Faults",
  ratios: "The first server divided by the others",
  rates: "Rates",
  times: "Times",
  cost: "Server cost",
  counts: "Counts",
  setup: "Setup",
  server: "Server",
  tester: "Tester",
} as const;

export type Group = keyof typeof GROUPS;

interface MetricKind {
  label: string;
  unit: Unit;
  /** null: neither, only for information. */
  better: "lower" | "higher" | null;
  group: Group;
  /**
   * `fault`: must never happen, so a single one is worse and fails the run. `event`: a single one is worse if the base had
   * none. Other metrics are judged by ranks.
   */
  counts?: "fault" | "event";
  /** How the values of several passes become one; default: their median. */
  over?: "max" | "min" | "sum" | "first";
}

/** A number of a result. */
export interface Metric extends MetricKind {
  name: string;
  /** null: not measured, or never reached where it is a time. */
  value: number | null;
  /** The values that it summarizes. */
  samples?: readonly (number | null)[];
  /** What was measured, for example `{ target: "ws", members: 1000 }`; repetitions differ in `pass`. */
  labels: Labels;
}

/** Whether a metric has at least these labels. */
export const hasLabels = (metric: Pick<Metric, "labels">, labels: Labels): boolean =>
  Object.entries(labels).every(([key, value]) => metric.labels[key] === value);

type Options = Partial<Omit<MetricKind, "label" | "unit" | "better" | "group">>;

const kind =
  (better: MetricKind["better"]) =>
  (group: Group, label: string, unit: Unit, options?: Options): MetricKind => {
    return { label, unit, better, group, ...options };
  };
const [lower, higher, info] = [kind("lower"), kind("higher"), kind(null)];
const fault = (label: string): MetricKind =>
  lower("faults", label, "count", { counts: "fault", over: "sum" });
const event = (group: Group, label: string): MetricKind =>
  lower(group, label, "count", { counts: "event", over: "sum" });

/** All metrics. Their names are used by --threshold and `bench compare`. */
const KINDS = {
  worstMs: lower("headline", "worst message, time to the last member", "ms", { over: "max" }),
  medianMs: lower("headline", "median message, time to the last member", "ms"),
  bestMs: lower("times", "best message, time to the last member", "ms", { over: "min" }),
  coldMs: lower("headline", "first message after an idle time", "ms"),
  firstMs: lower("headline", "first message after connecting", "ms"),
  p50Ms: lower("times", "all deliveries, p50", "ms"),
  p99Ms: lower("times", "all deliveries, p99", "ms"),
  p999Ms: lower("times", "all deliveries, p99.9", "ms"),
  ackMs: lower("times", "acknowledged after", "ms"),
  stalls: event("faults", "messages over 1 s and 10 times the median"),
  burstMs: lower("rates", "full delivery", "ms"),
  burstPerSecond: higher("rates", "deliveries", "perSecond"),
  burstPerCpuSecond: higher("rates", "deliveries per server CPU second", "count"),
  acknowledgedPerSecond: higher("headline", "acknowledged", "perSecond"),
  acknowledgedPerCpuSecond: higher("cost", "acknowledged per server CPU second", "count"),
  deliveriesPerSecond: higher("headline", "deliveries", "perSecond"),
  deliveriesPerCpuSecond: higher("cost", "deliveries per server CPU second", "count"),
  receivedShare: higher("counts", "received ÷ expected", "fraction"),
  ackP50Ms: lower("times", "acknowledged, p50", "ms"),
  ackP90Ms: lower("times", "acknowledged, p90", "ms"),
  ackP99Ms: lower("times", "acknowledged, p99", "ms"),
  ackP100Ms: lower("times", "acknowledged, p100", "ms"),
  deliveryP50Ms: lower("times", "full delivery, p50", "ms"),
  deliveryP99Ms: lower("times", "full delivery, p99", "ms"),
  deliveryP100Ms: lower("times", "full delivery, p100", "ms"),
  sentLateP99Ms: info("tester", "sent late by, p99", "ms"),
  senderWaiting: info("tester", "sending thread waiting for a core", "share", { over: "max" }),
  requestsPerSecond: higher("headline", "requests", "perSecond"),
  requestsPerCpuSecond: higher("cost", "requests per server CPU second", "count"),
  requestP50Ms: lower("times", "answered, p50", "ms"),
  requestP99Ms: lower("times", "answered, p99", "ms"),
  requestP100Ms: lower("times", "answered, p100", "ms"),
  storedPerSecond: higher("rates", "stored", "perSecond"),
  bytesPerMillion: lower("cost", "disk per million messages", "mib"),
  scalingEfficiency: higher("headline", "scaling efficiency", "ratio"),
  times: info("counts", "times", "count", { over: "sum" }),
  timesPerSecond: higher("rates", "per second", "perSecond"),
  timesPerCpuSecond: higher("cost", "per server CPU second", "count"),
  stageMs: lower("times", "on average", "ms"),
  stageP99Ms: lower("times", "99 % below", "ms"),
  pulls: info("counts", "pulls answered", "count", { over: "sum" }),
  pushes: info("counts", "push notifications received", "count", { over: "sum" }),
  uploads: info("counts", "uploads answered", "count", { over: "sum" }),
  membersWithinLimit: higher("headline", "members online within the limit", "count"),
  messagesWithinLimit: higher("headline", "messages within the limit", "perSecond"),
  capacityPerSecond: higher("headline", "capacity", "perSecond"),
  normalAfterMs: lower("headline", "normal again after the overload", "duration"),
  worstSecondMs: lower("headline", "worst second, time to the last member", "ms", { over: "max" }),
  recoveredMs: lower("headline", "everyone online again", "duration", { over: "max" }),
  registrationsPerSecond: higher("setup", "registered and joined", "perSecond"),
  connectsPerSecond: higher("setup", "connected and logged in", "perSecond"),
  registrationsPerCpuSecond: higher("cost", "registered per server CPU second", "count"),
  registrationP50Ms: lower("times", "registered and joined, p50", "ms"),
  registrationP99Ms: lower("times", "registered and joined, p99", "ms"),
  registrationP100Ms: lower("times", "registered and joined, p100", "ms"),
  connectsPerCpuSecond: higher("cost", "connected per server CPU second", "count"),
  rssGrowthBytes: lower("cost", "memory growth while idle", "mib"),
  cpuMsPerConnectionHour: lower("cost", "server CPU per connection and hour", "ms"),
  heldMs: info("counts", "held", "duration"),
  failed: lower("counts", "failed", "count", { over: "sum" }),
  moved: info("counts", "connections lost and reopened", "count", { over: "sum" }),
  recovered: info("counts", "deliveries by sync", "count", { over: "sum" }),
  duplicateEvents: info("counts", "duplicate events, which clients apply by id", "count", { over: "sum" }),
  away: fault("not recovered"),
  inexactCopies: fault("SDK copies that differ from the database"),
  serversBackMs: lower("times", "servers restarted", "duration", { over: "max" }),
  ackMaxMs: lower("times", "acknowledged after at most", "ms", { over: "max" }),
  offeredPerSecond: info("rates", "offered", "perSecond"),
  withoutRetryAfter: event("faults", "rejections without a retry time"),
  memoryPeakBytes: lower("cost", "memory of the services, maximum", "mib", { over: "max" }),
  memoryGrowthBytes: lower("cost", "memory of the services, growth", "mib", { over: "max" }),
  disturbed: info("counts", "receivers told to resync or disconnected", "count", { over: "sum" }),
  goodputShare: higher("headline", "share of the capacity that succeeded under overload", "share"),
  bystanderP99Ms: lower("headline", "another user's calls, p99", "ms", { over: "max" }),
  bystanderFailed: lower("headline", "another user's calls that failed", "count", { over: "sum" }),
  onlineP99Ms: lower("setup", "from connecting to online, p99", "ms"),
  cpuMsPerMessage: lower("cost", "server CPU per message", "ms"),
  netCpuMsPerMessage: lower("cost", "server CPU per message, net of idle", "ms"),
  idleCpuMsPerSecond: lower("cost", "server CPU per second, idle", "ms"),
  cpuMicrosecondsPerDelivery: lower("cost", "server CPU per delivery", "microseconds"),
  rssPerConnectionBytes: lower("cost", "memory per connection", "kib", { over: "first" }),
  kernelPerConnectionBytes: lower("cost", "kernel memory per connection", "kib", { over: "first" }),
  rssBytes: info("server", "memory (RSS)", "mib", { over: "first" }),
  rssMaxBytes: info("server", "memory (RSS), maximum", "mib", { over: "max" }),
  serverCores: info("server", "cores used", "cores"),
  serverCpuSeconds: info("server", "CPU", "seconds", { over: "sum" }),
  loopDelayMaxMs: info("server", "longest event-loop delay", "ms", { over: "max" }),
  natsPerMessage: lower("cost", "NATS messages to gateways per broadcast", "count"),
  natsToIdleGateways: event("cost", "NATS messages to gateways without members"),
  lost: fault("lost"),
  duplicates: fault("duplicates"),
  outOfOrder: fault("out of order"),
  corrupted: fault("corrupted"),
  strays: fault("delivered outside the channel"),
  unstored: fault("acknowledged but not persisted"),
  storedTwice: fault("stored twice"),
  dropped: fault("connections dropped"),
  gaveUp: fault("could not connect"),
  online: info("counts", "online", "count"),
  refused: lower("counts", "rejected", "count", { over: "sum" }),
  unanswered: lower("counts", "unanswered", "count", { over: "sum" }),
  missed: lower("counts", "not sent in time by the tester", "count", { over: "sum" }),
  sent: info("counts", "sent", "count", { over: "sum" }),
  acknowledged: info("counts", "acknowledged", "count", { over: "sum" }),
  stored: info("counts", "stored", "count", { over: "sum" }),
  expected: info("counts", "deliveries expected", "count", { over: "sum" }),
  received: info("counts", "deliveries received", "count", { over: "sum" }),
  resyncs: info("counts", "told to resync", "count", { over: "sum" }),
  foreign: info("counts", "foreign messages", "count", { over: "sum" }),
  senderBusy: info("tester", "busiest sending thread", "share", { over: "max" }),
  receiverBusy: info("tester", "busiest receiving thread", "share", { over: "max" }),
  receiverWaiting: info("tester", "receiving thread waiting for a core", "share", { over: "max" }),
  senderDelayMs: info("tester", "sending thread late by", "ms", { over: "max" }),
  testerDelayMs: info("tester", "longest standstill during a message", "ms", { over: "max" }),
  disturbedMessages: info("tester", "messages disturbed by the tester", "count", { over: "sum" }),
  otherProgramsCores: info("tester", "other programs", "cores", { over: "max" }),
} satisfies Record<string, MetricKind>;

export type MetricName = keyof typeof KINDS;

const METRIC_NAMES = Object.keys(KINDS) as MetricName[];

/** Faults, by the names that --allow accepts. */
export const FAULT_NAMES = METRIC_NAMES.filter((name) => KINDS[name].counts === "fault");

/** A value for each name. undefined: does not exist here. */
export type MetricValues = Partial<Record<MetricName, number | null | undefined>>;

/** In the order of the arguments. */
export function metrics(values: MetricValues, labels: Labels = {}): Metric[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, ...KINDS[name as MetricName], value, labels }],
  );
}

/** How metrics are read from what was measured. */
export type MetricTable<Measured> = {
  readonly [Name in MetricName]?: (measured: Measured) => number | null | undefined;
};

/** Metrics with their own names in a part of what was measured; what is unknown there doesn't exist. */
export function fields<Measured, Name extends MetricName>(
  partOf: (measured: Measured) => { readonly [N in NoInfer<Name>]?: number | null } | null | undefined,
  ...names: readonly Name[]
): MetricTable<Measured> {
  const read = (name: Name) => (measured: Measured) => partOf(measured)?.[name] ?? undefined;
  return Object.fromEntries(names.map((name) => [name, read(name)])) as MetricTable<Measured>;
}

/** In the order of the table. */
export function readMetrics<Measured>(
  table: MetricTable<Measured>,
  measured: Measured,
  labels: Labels = {},
): Metric[] {
  const values = Object.entries(table).map(([name, read]) => [name, read(measured)]);
  return metrics(Object.fromEntries(values) as MetricValues, labels);
}

/** Each name once, for --threshold. */
export function metricNames(...tables: readonly MetricTable<never>[]): MetricName[] {
  return [...new Set(tables.flatMap((table) => Object.keys(table) as MetricName[]))];
}

/**
 * Metrics of these names, divided by those of another server with the same other labels. Without both values, or if one
 * is 0, there is no ratio.
 */
export function ratios(
  all: readonly Metric[],
  names: readonly MetricName[],
  { server, to }: { server: string; to: string },
): Metric[] {
  const subject = ({ name, labels }: Metric) => JSON.stringify([name, without(labels, "server")]);
  const others = all.filter(({ labels }) => labels["server"] === to);
  const base = new Map(others.map((metric) => [subject(metric), metric.value]));
  const wanted: readonly string[] = names;
  return all.flatMap((metric) => {
    const { name, label, better, value, labels } = metric;
    const other = base.get(subject(metric));
    if (!wanted.includes(name) || labels["server"] !== server || !value || !other) return [];
    const ratio = { name: ratioName(name), label, unit: "ratio", better, group: "ratios" } as const;
    return { ...ratio, value: value / other, labels: { ...labels, to } };
  });
}

/** The same of each other server. */
export function ratiosTo(to: string, all: readonly Metric[], names: readonly MetricName[]): Metric[] {
  const others = serversOf(all).filter((server) => server !== to);
  return others.flatMap((server) => ratios(all, names, { server, to }));
}

/** The servers of these metrics, in the order they were measured. */
export function serversOf(all: readonly Metric[]): string[] {
  return [...new Set(all.map(({ labels }) => String(labels["server"])))];
}

export const ratioName = (name: string): string => `${name}Ratio`;

/** One metric for those that differ only in their pass. */
export function overPasses(all: readonly Metric[]): Metric[] {
  const same = Map.groupBy(all, ({ name, labels }) => JSON.stringify([name, without(labels, "pass")]));
  return [...same.values()].map(([first, ...more]) => {
    if (more.length === 0 && first!.labels["pass"] === undefined) return first!;
    const values = [first!, ...more].map(({ value }) => value);
    const labels = without(first!.labels, "pass");
    const samples = more.length > 0 && { samples: values };
    return { ...first!, value: summary(first!, values), ...samples, labels };
  });
}

const without = (labels: Labels, key: string): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([name]) => name !== key));

/** Its null means "never": leaving it out would make a worse server look better. Of other metrics, null is unknown. */
export function isTime({ unit, better }: Pick<Metric, "unit" | "better">): boolean {
  return better === "lower" && (unit === "ms" || unit === "duration");
}

function summary({ over, unit, better }: Metric, values: readonly (number | null)[]): number | null {
  if (over === "first") return values[0] ?? null;
  const known = values.filter((value) => value !== null);
  if (known.length < values.length && isTime({ unit, better })) return null;
  if (known.length === 0) return null;
  if (over === "sum") return known.reduce((sum, value) => sum + value, 0);
  const { min, median, max } = spread(known)!;
  return over === "max" ? max : over === "min" ? min : median;
}

export function metricText({ unit, value }: Pick<Metric, "unit" | "value">): string {
  if (value === Infinity) return "never";
  return value === null ? "–" : UNITS[unit](value);
}
