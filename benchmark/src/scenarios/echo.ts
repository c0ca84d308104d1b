import type { Argv } from "yargs";
import { duration, wholeNumbers } from "../cli/options.ts";
import { scenario, type RunContext } from "../cli/scenario.ts";
import { measureEcho, type EchoPlan, type EchoRow } from "../kernels/echo/echo-run.ts";
import { ECHO_SERVERS, type EchoServerName } from "../kernels/echo/echo-servers.ts";
import { usageError } from "../cli/exit.ts";
import { metrics, ratios, serversOf, type MetricName } from "../report/metric.ts";

const MOST_CONNECTIONS = 15_000;
const RATIOS = ["requestsPerSecond", "requestsPerCpuSecond"] as const satisfies readonly MetricName[];
const BUSY = 0.9;

export const echo = scenario({
  name: "echo",
  describe: "The HTTP stack below the platform, echoing 14 bytes, beside nginx",
  metrics: [
    "requestsPerSecond",
    "requestsPerCpuSecond",
    "requestP50Ms",
    "requestP99Ms",
    "requestP100Ms",
    "refused",
    "senderBusy",
  ],
  ratios: RATIOS,
  options: (yargs: Argv) =>
    yargs
      .option("connections", {
        group: "Load:",
        type: "string",
        default: "1,5,10,50,100,500,1000",
        describe: "Numbers of connections, each with one request in flight",
      })
      .option("duration", {
        group: "Load:",
        type: "string",
        default: "10s",
        describe: "Duration per server and number of connections",
      })
      .option("servers", {
        group: "Server:",
        type: "string",
        default: ECHO_SERVERS.join(","),
        describe: "fastify: the gateway's HTTP stack; node: Node's own server; nginx: if installed",
      })
      .example("$0 echo", "all servers, with 1 to 1,000 connections")
      .example(
        "$0 echo --connections 100 --threshold 'requestsPerSecondRatio[server=fastify]>0.2'",
        "for CI",
      ),
  plan(args) {
    const plan: EchoPlan = {
      servers: serverNames(args.servers),
      concurrencies: wholeNumbers("connections", args.connections, 1, MOST_CONNECTIONS),
      durationMs: duration("duration", args.duration, 1, 600_000),
    };
    return {
      options: { ...plan },
      async measure(context: RunContext) {
        const { bytes, rows, missing, errors } = await measureEcho(plan, context);
        const all = rows.flatMap(({ server, connections, values }) =>
          metrics(values, { connections, server }),
        );
        const others = serversOf(all).filter((server) => server !== "nginx");
        return {
          title: `Echo of ${bytes} bytes by HTTP with keep-alive`,
          subtitle: ["one thread per server"],
          metrics: [...all, ...others.flatMap((server) => ratios(all, RATIOS, { server, to: "nginx" }))],
          caveats: [
            ...missing.map((name) => `${name} is not installed and not in the table.`),
            ...busyCaveat(rows),
          ],
          errors,
        };
      },
    };
  },
});

function busyCaveat(rows: readonly EchoRow[]): string[] {
  const busy = rows.filter(({ values }) => values.senderBusy! > BUSY);
  if (busy.length === 0) return [];
  const names = [...new Set(busy.map(({ server }) => server))].join(", ");
  return [
    `The tester's own thread was the bottleneck in ${busy.length} rows (${names}): the server can do more than shown, so ` +
      "compare its rate per CPU second.",
  ];
}

function serverNames(text: string): EchoServerName[] {
  const names = text.split(",");
  const unknown = names.filter((name) => !ECHO_SERVERS.some((known) => known === name));
  if (unknown.length === 0) return names as EchoServerName[];
  throw usageError(`--servers: unknown ${unknown.join(", ")}. Choices: ${ECHO_SERVERS.join(", ")}.`);
}
