import type { ArgumentsCamelCase, Argv, CommandModule } from "yargs";
import { usageError } from "../exit.ts";
import { checkLimits } from "../preflight.ts";
import { MIN_PAYLOAD_BYTES } from "../receiver/message-tag.ts";
import type { StagesResult } from "../report/result.ts";
import { parseThresholds } from "../report/thresholds.ts";
import { runCommand } from "../run-command.ts";
import { STAGES_METRICS, stagesMetrics } from "../stages/stages-result.ts";
import { measureStages, type StagesPlan } from "../stages/stages-run.ts";
import { stagesSummary } from "../stages/stages-summary.ts";
import { explain } from "../targets/fanfare/explain.ts";
import { addressNeeds } from "./address-needs.ts";
import { openFanfareApi } from "./open-fanfare.ts";
import { MAX_PAYLOAD_BYTES, RESULT_OPTIONS, wholeNumber } from "./options.ts";
import { serverOptions } from "./server-options.ts";

type Arguments = ReturnType<typeof builder> extends Argv<infer Options> ? Options : never;

export const stagesCommand: CommandModule<object, Arguments> = {
  command: "stages",
  describe:
    "Where a message spends its time: send, distribute, notify, push, pull, by the server's own metrics",
  builder,
  handler,
};

const CALLS = 50;

function builder(yargs: Argv) {
  return serverOptions(yargs)
    .option("users", { alias: "u", type: "number", default: 500, describe: "Members online in one group" })
    .option("senders", {
      alias: "c",
      type: "number",
      default: 20,
      describe: "Concurrency (requests in flight)",
    })
    .option("messages", { alias: "m", type: "number", default: 2000, describe: "Messages to the group" })
    .option("pulls", { type: "number", default: 5000, describe: "Pulls of missed messages, afterwards" })
    .option("pull-messages", { type: "number", default: 10, describe: "Messages per pull" })
    .option("payload", {
      type: "number",
      default: 100,
      describe: `Message size in bytes of text, ${MIN_PAYLOAD_BYTES} to ${MAX_PAYLOAD_BYTES}`,
    })
    .option("timeout", { type: "number", default: 30_000, describe: "Timeout of a request, in milliseconds" })
    .options(RESULT_OPTIONS)
    .example("$0 stages --users 2000", "a group of 2,000");
}

async function handler(args: ArgumentsCamelCase<Arguments>): Promise<void> {
  const plan = planOf(args);
  const { url, metricsUrl } = args;
  if (url !== undefined && metricsUrl === undefined)
    throw usageError(
      "--url requires --metrics-url, for example http://127.0.0.1:3001/metrics: the times are the server's own.",
    );
  const place = await addressNeeds(url, "light");
  checkLimits({ users: plan.users, messages: plan.messages, kind: "light", ...place });
  await runCommand<StagesResult>({
    command: "stages",
    options: { ...plan },
    json: args.json,
    html: args.html,
    progress: args.progress,
    allow: args.allow,
    thresholds: parseThresholds(args.threshold, STAGES_METRICS),
    metrics: stagesMetrics,
    async measure(context) {
      const { target, api } = await openFanfareApi(context, { url, metricsUrl, registrations: CALLS }, CALLS);
      const server = {
        url: target.urls[0]!,
        metricsUrl: metricsUrl ?? target.platform!.gateways[0]!.metricsUrl,
        isThrowaway: target.isThrowaway,
        api,
        cpuSeconds: () => target.cpuSeconds(),
      };
      try {
        return await measureStages(server, plan, context);
      } catch (error) {
        return explain(error);
      }
    },
    print: stagesSummary,
  });
}

function planOf(args: ArgumentsCamelCase<Arguments>): StagesPlan {
  const messages = wholeNumber("messages", args.messages, 1, 100_000);
  return {
    users: wholeNumber("users", args.users, 1, 15_000),
    senders: wholeNumber("senders", args.senders, 1, 5000),
    messages,
    pulls: wholeNumber("pulls", args.pulls, 1, 1_000_000),
    pullMessages: wholeNumber("pull-messages", args.pullMessages, 0, Math.min(messages, 200)),
    payloadBytes: wholeNumber("payload", args.payload, MIN_PAYLOAD_BYTES, MAX_PAYLOAD_BYTES),
    timeoutMs: wholeNumber("timeout", args.timeout, 100, 600_000),
  };
}
