import type { Argv } from "yargs";
import { duration, fanfareOptions, payloadBytes, payloadOption, wholeNumber } from "../cli/options.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import { addressNeeds } from "../targets/address-needs.ts";
import { openFanfareApi } from "../targets/fanfare/open-fanfare.ts";
import { usageError } from "../cli/exit.ts";
import { checkLimits } from "../cli/preflight.ts";
import { count, whole } from "../report/format.ts";
import { metrics } from "../report/metric.ts";
import type { Outcome } from "../report/result.ts";
import type { StagesMeasurement } from "../kernels/stages/stages-result.ts";
import { measureStages, type StagesPlan } from "../kernels/stages/stages-run.ts";
import { explain } from "../targets/fanfare/explain.ts";

const CALLS = 50;

export const stages = scenario({
  name: "stages",
  describe:
    "Where a message spends its time: send, distribute, notify, push, pull, by the server's own metrics",
  metrics: [
    "stageMs",
    "stageP99Ms",
    "times",
    "timesPerSecond",
    "timesPerCpuSecond",
    "lost",
    "sent",
    "acknowledged",
    "expected",
    "received",
    "pulls",
  ],
  options: (yargs: Argv) =>
    payloadOption(fanfareOptions(yargs))
      .option("users", {
        group: "Who:",
        alias: "u",
        type: "number",
        default: 500,
        describe: "Members online in one group",
      })
      .option("in-flight", {
        group: "Load:",
        alias: "t",
        type: "number",
        default: 20,
        describe: "Requests in flight",
      })
      .option("messages", {
        group: "Load:",
        alias: "m",
        type: "number",
        default: 2000,
        describe: "Messages to the group",
      })
      .option("pulls", {
        group: "Load:",
        type: "number",
        default: 5000,
        describe: "Pulls of missed messages, afterwards",
      })
      .option("pull-messages", { group: "Load:", type: "number", default: 10, describe: "Messages per pull" })
      .option("timeout", { group: "Load:", type: "string", default: "30s", describe: "Timeout of a request" })
      .example("$0 stages --users 2000", "a group of 2,000"),
  async plan(args) {
    const messages = wholeNumber("messages", args.messages, 1, 100_000);
    const plan: StagesPlan = {
      users: wholeNumber("users", args.users, 1, 15_000),
      senders: wholeNumber("in-flight", args.inFlight, 1, 5000),
      messages,
      pulls: wholeNumber("pulls", args.pulls, 1, 1_000_000),
      pullMessages: wholeNumber("pull-messages", args.pullMessages, 0, Math.min(messages, 200)),
      payloadBytes: payloadBytes(args.payload),
      timeoutMs: duration("timeout", args.timeout, 100),
    };
    const { url, metricsUrl } = args;
    if (url !== undefined && metricsUrl === undefined)
      throw usageError(
        "--url requires --metrics-url, for example http://127.0.0.1:3001/metrics: the times are the server's own.",
      );
    const place = await addressNeeds(url, "light");
    checkLimits({ users: plan.users, messages: plan.messages, kind: "light", ...place });
    return {
      options: { ...plan },
      async measure(context: RunContext) {
        const { target, api } = await openFanfareApi(
          context,
          { url, metricsUrl, registrations: CALLS },
          CALLS,
        );
        const server = {
          url: target.urls[0]!,
          metricsUrl: metricsUrl ?? target.platform!.gateways[0]!.metricsUrl,
          isThrowaway: target.isThrowaway,
          api,
          cpuSeconds: () => target.cpuSeconds(),
        };
        return stagesOutcome(await measureStages(server, plan, context).catch(explain));
      },
    };
  },
});

function stagesOutcome({ users, online, senders, rows, counts, errors }: StagesMeasurement): Outcome {
  return {
    title: "Stages of a message",
    subtitle: [
      `${online === users ? whole(users) : `${whole(online)} of ${whole(users)}`} members online in one group`,
      `${count(senders, "request")} in flight`,
    ],
    metrics: [
      ...rows.flatMap(({ stage, count: times, perSecond, perCpuSecond, meanMs, p99BelowMs }) =>
        metrics(
          {
            times,
            timesPerSecond: perSecond,
            timesPerCpuSecond: perCpuSecond,
            stageMs: meanMs ?? undefined,
            stageP99Ms: p99BelowMs ?? undefined,
          },
          { stage },
        ),
      ),
      ...metrics({
        lost: counts.expected - counts.received,
        sent: counts.sent,
        acknowledged: counts.acknowledged,
        expected: counts.expected,
        received: counts.received,
        pulls: counts.pulls,
      }),
    ],
    tables: [
      {
        label: "What is timed, by the server's own metrics",
        rows: rows.map(({ stage, what, metric }) => [stage, `${what} (${metric})`]),
      },
    ],
    errors,
  };
}
