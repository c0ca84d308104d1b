import type { MetricValue, Registry } from "prom-client";

type Labels = Record<string, string>;
type Values = (MetricValue<string> & { metricName?: string })[];

/** Upper bounds in seconds. Few, because there are as many series for each action. */
const SECONDS = [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** What became of the calls of one action in this process. Bare numbers: metrics of prom-client would cost a local call a third of its rate. */
export class ActionFigures {
  /** Calls that this process made and answered itself. */
  local = 0;
  /** Calls that this process made and another one answered. */
  remote = 0;
  /** Calls that this process is answering. */
  active = 0;
  readonly errors = new Map<string, number>();
  readonly unanswered = new Map<string, number>();
  /** How many took as long as the bound of the same place at most, and longer than the one before. */
  readonly #counts = Array.from({ length: SECONDS.length + 1 }, () => 0);
  #seconds = 0;

  /** @param outcome "ok" or the code of the error */
  answered(outcome: string, seconds: number): void {
    if (outcome !== "ok") countUp(this.errors, outcome);
    this.#seconds += seconds;
    let place = 0;
    while (place < SECONDS.length && seconds > SECONDS[place]!) place += 1;
    this.#counts[place]! += 1;
  }

  /** The values of a histogram as Prometheus writes one. */
  durations(name: string, labels: Labels): Values {
    let count = 0;
    const buckets = this.#counts.map((more, place) => {
      count += more;
      return {
        metricName: `${name}_bucket`,
        labels: { ...labels, le: SECONDS[place] ?? "+Inf" },
        value: count,
      };
    });
    if (count === 0) return [];
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.#seconds },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}

export function countUp(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

interface Exposed {
  name: string;
  help: string;
  type: "counter" | "gauge" | "histogram";
  values: (figures: ActionFigures, action: string) => Values;
}

const value = (labels: Labels, number: number): Values[number] => ({ labels, value: number });
const each = (counts: ReadonlyMap<string, number>, action: string, label: string): Values =>
  [...counts].map(([key, count]) => value({ action, [label]: key }, count));

const EXPOSED: readonly Exposed[] = [
  {
    name: "fanfare_calls_total",
    help: "Calls that this process made: 'local' ones it answered itself, 'remote' ones another process.",
    type: "counter",
    values: ({ local, remote }, action) => [
      ...(local > 0 ? [value({ action, where: "local" }, local)] : []),
      ...(remote > 0 ? [value({ action, where: "remote" }, remote)] : []),
    ],
  },
  {
    name: "fanfare_calls_unanswered_total",
    help: "Calls to another process that got no answer: 'timeout' none in time, 'unreachable' none at all.",
    type: "counter",
    values: ({ unanswered }, action) => each(unanswered, action, "reason"),
  },
  {
    name: "fanfare_action_duration_seconds",
    help: "What answering a call took in this process, whoever made it.",
    type: "histogram",
    values: (figures, action) => figures.durations("fanfare_action_duration_seconds", { action }),
  },
  {
    name: "fanfare_action_errors_total",
    help: "Calls that this process answered with an error, by its code.",
    type: "counter",
    values: ({ errors }, action) => each(errors, action, "code"),
  },
  {
    name: "fanfare_actions_active",
    help: "Calls that this process is answering, of actions that were called.",
    type: "gauge",
    values: (figures, action) =>
      figures.durations("", {}).length > 0 || figures.active > 0 ? [value({ action }, figures.active)] : [],
  },
];

/** Tells the figures of all actions in `registry`. */
export function exposeActions(registry: Registry, actions: ReadonlyMap<string, ActionFigures>): void {
  for (const { name, help, type, values } of EXPOSED) {
    const metric = {
      name,
      help,
      type,
      aggregator: "sum",
      get: async () => ({
        name,
        help,
        type,
        aggregator: "sum",
        values: [...actions].flatMap(([action, figures]) => values(figures, action)),
      }),
    };
    registry.registerMetric(metric as unknown as Parameters<Registry["registerMetric"]>[0]);
  }
}
