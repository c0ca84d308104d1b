import type { ArgumentsCamelCase, Argv, CommandModule } from "yargs";
import { ECHO_METRICS, echoMetrics } from "../echo/echo-result.ts";
import { measureEcho, type EchoPlan } from "../echo/echo-run.ts";
import { ECHO_SERVERS, type EchoServerName } from "../echo/echo-servers.ts";
import { echoSummary } from "../echo/echo-summary.ts";
import { usageError } from "../exit.ts";
import type { EchoResult } from "../report/result.ts";
import { parseThresholds } from "../report/thresholds.ts";
import { runCommand } from "../run-command.ts";
import { durationMs } from "./durations.ts";
import { RESULT_OPTIONS, wholeNumber } from "./options.ts";

type Arguments = ReturnType<typeof builder> extends Argv<infer Options> ? Options : never;

export const echoCommand: CommandModule<object, Arguments> = {
  command: "echo",
  describe: "The HTTP stack below the platform, echoing 14 bytes, next to nginx",
  builder,
  handler,
};

const MOST_CONCURRENCY = 15_000;
const MOST_MS = 600_000;

function builder(yargs: Argv) {
  return yargs
    .option("concurrency", {
      alias: "c",
      type: "string",
      default: "1,5,10,50,100,500,1000",
      describe: "Concurrency: connections with one request in flight each",
    })
    .option("duration", {
      alias: "t",
      type: "string",
      default: "3s",
      describe: "Duration per server and concurrency",
    })
    .option("servers", {
      type: "string",
      default: ECHO_SERVERS.join(","),
      describe: "fastify: the gateway's HTTP stack; node: Node's own server; nginx: if installed",
    })
    .options(RESULT_OPTIONS)
    .example("$0 echo", "all servers, at concurrencies from 1 to 1,000")
    .example("$0 echo -c 100 --threshold 'fastifyVsNginx>0.2'", "for CI");
}

async function handler(args: ArgumentsCamelCase<Arguments>): Promise<void> {
  const plan: EchoPlan = {
    servers: serverNames(args.servers),
    concurrencies: args.concurrency
      .split(",")
      .map((text) => wholeNumber("concurrency", Number(text), 1, MOST_CONCURRENCY)),
    durationMs: durationMs("duration", args.duration, MOST_MS),
  };
  await runCommand<EchoResult>({
    command: "echo",
    options: { ...plan },
    json: args.json,
    html: args.html,
    progress: args.progress,
    allow: args.allow,
    thresholds: parseThresholds(args.threshold, ECHO_METRICS),
    metrics: echoMetrics,
    measure: (context) => measureEcho(plan, context),
    print: echoSummary,
  });
}

function serverNames(text: string): EchoServerName[] {
  const names = text.split(",");
  const unknown = names.filter((name) => !ECHO_SERVERS.some((known) => known === name));
  if (unknown.length === 0) return names as EchoServerName[];
  throw usageError(`--servers: unknown ${unknown.join(", ")}. Choices: ${ECHO_SERVERS.join(", ")}.`);
}
