import { usageError } from "../cli/exit.ts";
import { addressNeeds, checkLimits } from "../cli/preflight.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import {
  measureStages,
  STAGES_OPTIONS,
  type StageRow,
  type StagesMeasurement,
  type StagesPlan,
} from "../kernels/stages/stages-run.ts";
import { applying, count, serverText, whole } from "../report/format.ts";
import { otherProgramsVerdict } from "../kernels/broadcast/generator-load.ts";
import { fields, metricNames, readMetrics, type MetricTable } from "../report/metric.ts";
import type { Outcome } from "../report/result.ts";
import { explain } from "../targets/fanfare/api.ts";
import { openFanfare } from "../targets/fanfare/fanfare-target.ts";

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
  lost: ({ lost }) => lost ?? undefined,
  ...fields((counts: Counts) => counts, "sent", "acknowledged", "expected", "received"),
  ...fields((counts: Counts) => counts, "pulls", "pushes", "uploads"),
};

export const stages = scenario({
  name: "stages",
  describe: "Where a message spends its time: send, distribute, notify, push, pull, offline push, upload",
  metrics: metricNames(STAGE, COUNTS),
  options: STAGES_OPTIONS,
  examples: [["$0 stages --users 2000", "a group of 2,000"]],
  async plan(values) {
    const { url, metricsUrl } = values;
    if (url !== undefined && (values.pushes ?? 0) > 0)
      throw usageError("--pushes can't be measured with --url: the server may not connect to this machine.");
    const plan: StagesPlan = { ...values, pushes: values.pushes ?? (url === undefined ? PUSHES : 0) };
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
        const measured = await measureStages(server, plan, context).catch(explain);
        return stagesOutcome(measured, serverText(target));
      },
    };
  },
});

function stagesOutcome(measured: StagesMeasurement, server: string): Outcome {
  const { users, online, inFlight, rows, counts, otherProgramsCores } = measured;
  return {
    title: "Stages of a message",
    subtitle: [
      server,
      `${online === users ? whole(users) : `${whole(online)} of ${whole(users)}`} members online in one group`,
      `${count(inFlight, "request")} in flight`,
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
    caveats: applying(
      otherProgramsVerdict(otherProgramsCores, "the stages took longer than they would have."),
    ),
  };
}
