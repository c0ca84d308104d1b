import type { ArgumentsCamelCase, Argv, CommandModule } from "yargs";
import { usageError } from "../exit.ts";
import { HTTP_METRICS, httpMetrics } from "../http/http-result.ts";
import { measureHttp, type HttpPlan } from "../http/http-run.ts";
import { httpSummary } from "../http/http-summary.ts";
import { checkLimits } from "../preflight.ts";
import { MIN_PAYLOAD_BYTES } from "../receiver/message-tag.ts";
import type { HttpResult } from "../report/result.ts";
import { parseThresholds } from "../report/thresholds.ts";
import { runCommand } from "../run-command.ts";
import { explain } from "../targets/fanfare/explain.ts";
import { addressNeeds } from "./address-needs.ts";
import { openFanfareApi } from "./open-fanfare.ts";
import { MAX_PAYLOAD_BYTES, RESULT_OPTIONS, wholeNumber } from "./options.ts";
import { serverOptions } from "./server-options.ts";

type Arguments = ReturnType<typeof builder> extends Argv<infer Options> ? Options : never;

export const httpCommand: CommandModule<object, Arguments> = {
  command: "http",
  describe: "`ab -k` for direct messages by HTTP, and how fast they are stored",
  builder,
  handler,
};

const MOST_REQUESTS = 10_000_000;
const MOST_CONCURRENCY = 15_000;
const CALLS = 50;

function builder(yargs: Argv) {
  return serverOptions(yargs)
    .option("concurrency", {
      alias: "c",
      type: "number",
      default: 1000,
      describe: "Connections, each with one request in flight",
    })
    .option("requests", { alias: "n", type: "number", default: 20_000, describe: "Requests in total" })
    .option("warmup", { type: "number", default: 1000, describe: "Warm-up requests, not counted" })
    .option("users", { alias: "u", type: "number", default: 500, describe: "Users who send and receive" })
    .option("channels", {
      type: "number",
      default: 1000,
      describe: "Direct channels between two of the users",
    })
    .option("payload", {
      type: "number",
      default: 100,
      describe: `Message size in bytes of text, ${MIN_PAYLOAD_BYTES} to ${MAX_PAYLOAD_BYTES}`,
    })
    .option("timeout", { type: "number", default: 30_000, describe: "Timeout of a request, in milliseconds" })
    .options(RESULT_OPTIONS)
    .example("$0 http -c 10000 -n 100000", "10,000 connections")
    .example("$0 http --threshold 'unstored==0' --threshold 'failed==0'", "for CI");
}

async function handler(args: ArgumentsCamelCase<Arguments>): Promise<void> {
  const plan = planOf(args);
  const { url, metricsUrl } = args;
  const place = await addressNeeds(url, "light");
  checkLimits({ users: plan.concurrency, messages: 1, kind: "light", ...place });
  await runCommand<HttpResult>({
    command: "http",
    options: { ...plan },
    json: args.json,
    html: args.html,
    progress: args.progress,
    allow: args.allow,
    thresholds: parseThresholds(args.threshold, HTTP_METRICS),
    metrics: httpMetrics,
    async measure(context) {
      const { target, api } = await openFanfareApi(context, { url, metricsUrl, registrations: CALLS }, CALLS);
      const server = {
        url: target.urls[0]!,
        platform: target.platform,
        api,
        usage: () => target.usage(),
        cpuSeconds: () => target.cpuSeconds(),
      };
      try {
        return await measureHttp(server, plan, context);
      } catch (error) {
        return explain(error);
      }
    },
    print: httpSummary,
  });
}

function planOf(args: ArgumentsCamelCase<Arguments>): HttpPlan {
  const requests = wholeNumber("requests", args.requests, 1, MOST_REQUESTS);
  const concurrency = wholeNumber("concurrency", args.concurrency, 1, MOST_CONCURRENCY);
  if (concurrency > requests)
    throw usageError(`--concurrency ${concurrency} needs at least as many --requests: one per connection.`);
  return {
    users: wholeNumber("users", args.users, 2, 100_000),
    channels: wholeNumber("channels", args.channels, 1, 100_000),
    concurrency,
    requests,
    warmUp: wholeNumber("warmup", args.warmup, 0, MOST_REQUESTS),
    payloadBytes: wholeNumber("payload", args.payload, MIN_PAYLOAD_BYTES, MAX_PAYLOAD_BYTES),
    timeoutMs: wholeNumber("timeout", args.timeout, 100, 600_000),
    calls: CALLS,
  };
}
