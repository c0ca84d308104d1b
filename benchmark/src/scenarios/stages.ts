import { FANFARE_OPTIONS, integer, PAYLOAD_OPTIONS, time, wholeNumber } from "../cli/options.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import { addressNeeds } from "../targets/address-needs.ts";
import { openFanfare } from "../targets/fanfare/open-fanfare.ts";
import { usageError } from "../cli/exit.ts";
import { checkLimits } from "../cli/preflight.ts";
import { count, whole } from "../report/format.ts";
import { fields, metricNames, readMetrics, type MetricTable } from "../report/metric.ts";
import type { Outcome } from "../report/result.ts";
import {
  measureStages,
  type StageRow,
  type StagesMeasurement,
  type StagesPlan,
} from "../kernels/stages/stages-run.ts";
import { explain } from "../targets/fanfare/explain.ts";

const CALLS = 50;
const PUSHES = 1000;

const STAGE: MetricTable<StageRow> = {
  times: (row) => row.count,
  timesPerSecond: ({ perSecond }) => perSecond,
  timesPerCpuSecond: ({ perCpuSecond }) => perCpuSecond,
  stageMs: ({ meanMs }) => meanMs ?? undefined,
  stageP99Ms: ({ p99BelowMs }) => p99BelowMs ?? undefined,
};

type Counts = StagesMeasurement["counts"];
const COUNTS: MetricTable<Counts> = {
  lost: ({ expected, received }) => expected - received,
  ...fields((counts: Counts) => counts, "sent", "acknowledged", "expected", "received"),
  ...fields((counts: Counts) => counts, "pulls", "pushes", "uploads"),
};

export const stages = scenario({
  name: "stages",
  describe: "Where a message spends its time: send, distribute, notify, push, pull, offline push, upload",
  metrics: metricNames(STAGE, COUNTS),
  options: {
    ...FANFARE_OPTIONS,
    ...PAYLOAD_OPTIONS,
    users: integer("Who", "Members online in one group", { default: 500, alias: "u", min: 1, max: 15_000 }),
    "in-flight": integer("Load", "Requests in flight", { default: 20, alias: "t", min: 1, max: 5000 }),
    messages: integer("Load", "Messages to the group", { default: 2000, alias: "m", min: 1, max: 100_000 }),
    pulls: integer("Load", "Pulls of missed messages, afterwards", { default: 5000, min: 1, max: 1_000_000 }),
    "pull-messages": integer("Load", "Messages per pull", { default: 10, min: 0, max: 200 }),
    pushes: integer(
      "Load",
      "Push notifications to offline members; only of a server started for the run; default: 1000",
      { min: 0, max: 20_000 },
    ),
    uploads: integer("Load", "Files that members upload", { default: 500, min: 0, max: 100_000 }),
    "upload-bytes": integer("Load", "Size of each file", { default: 100_000, min: 1, max: 10_000_000 }),
    timeout: time("Load", "Timeout of a request", { default: "30s", minMs: 100 }),
  },
  examples: [["$0 stages --users 2000", "a group of 2,000"]],
  async plan(values) {
    const { users, inFlight, messages, pulls, pullMessages, payload, timeout, url, metricsUrl } = values;
    if (url !== undefined && (values.pushes ?? 0) > 0)
      throw usageError("--pushes can't be measured with --url: the server may not connect to this machine.");
    const plan: StagesPlan = {
      users,
      senders: inFlight,
      messages,
      pulls,
      pullMessages: wholeNumber("pull-messages", pullMessages, 0, Math.min(messages, 200)),
      pushes: values.pushes ?? (url === undefined ? PUSHES : 0),
      uploads: values.uploads,
      uploadBytes: values.uploadBytes,
      payloadBytes: payload,
      timeoutMs: timeout,
    };
    if (url !== undefined && metricsUrl === undefined)
      throw usageError(
        "--url requires --metrics-url, for example http://127.0.0.1:3001/metrics: the times are the server's own.",
      );
    const place = await addressNeeds(url);
    checkLimits({ users: plan.users, messages: plan.messages, kind: "light", ...place });
    return {
      options: { ...plan },
      async measure(context: RunContext) {
        const target = await openFanfare(context, { url, metricsUrl, registrations: CALLS });
        const server = { target, metricsUrl: metricsUrl ?? target.platform!.gateways[0]!.metricsUrl };
        return stagesOutcome(await measureStages(server, plan, context).catch(explain));
      },
    };
  },
});

function stagesOutcome({ users, online, senders, rows, counts }: StagesMeasurement): Outcome {
  return {
    title: "Stages of a message",
    subtitle: [
      `${online === users ? whole(users) : `${whole(online)} of ${whole(users)}`} members online in one group`,
      `${count(senders, "request")} in flight`,
    ],
    metrics: [
      ...rows.flatMap((row) => readMetrics(STAGE, row, { stage: row.stage })),
      ...readMetrics(COUNTS, counts),
    ],
    tables: [
      {
        label: "What is timed, by the server's own metrics",
        rows: rows.map(({ stage, what, metric }) => [stage, `${what} (${metric})`]),
      },
    ],
  };
}
