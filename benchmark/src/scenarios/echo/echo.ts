import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { integers, time } from "../../cli/options.ts";
import { scenario, type RunContext } from "../../cli/scenario.ts";
import { untilAborted } from "../../kernels/broadcast/clock.ts";
import { percentiles } from "../../kernels/broadcast/percentiles.ts";
import { processUsage } from "../../kernels/broadcast/resource-use.ts";
import { testerCaveats } from "../../kernels/broadcast/tester-watch.ts";
import { openHttpThread } from "../../kernels/requests/http-thread.ts";
import { caveatsOf } from "../contestants.ts";
import { accepts, cleanEnvironment, freePort, isInstalled } from "../../platform/programs.ts";
import { Workplace, type ServerProgram } from "../../platform/server-process.ts";
import { duration } from "../../report/format.ts";
import {
  metricNames,
  ratiosTo,
  readMetrics,
  type MetricName,
  type MetricTable,
} from "../../report/metric.ts";

const ECHO_SERVERS = ["fastify", "nginx"] as const;
type EchoServerName = (typeof ECHO_SERVERS)[number];

/**
 * A single-threaded server that answers `GET /echo/<text>` with the text.
 * @param folder where it can write
 */
function echoProgram(name: EchoServerName, port: number, folder: string): ServerProgram {
  const base = { name, env: cleanEnvironment(), isReady: () => accepts(port) };
  if (name === "nginx") {
    const config = join(folder, "nginx.conf");
    writeFileSync(config, nginxConfig(port, folder));
    return { ...base, command: "nginx", args: ["-p", folder, "-c", config, "-e", "stderr"] };
  }
  // Not as a URL: the package, which can't run it, would include it.
  const file = join(import.meta.dirname, "fastify-server.ts");
  return { ...base, command: process.execPath, args: [file, String(port)] };
}

/** One process without a master, unlimited keep-alive, no logs. */
function nginxConfig(port: number, folder: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${join(folder, kind)};`,
  );
  return `daemon off;
master_process off;
pid ${join(folder, "nginx.pid")};
events { worker_connections 16384; }
http {
  access_log off;
  keepalive_requests 1000000000;
  default_type text/plain;
  ${temporary.join("\n  ")}
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location ~ ^/echo/(.+)$ { return 200 $1; }
  }
}
`;
}

const ECHO_OPTIONS = {
  connections: integers("Load", "Numbers of connections, each with one request in flight", [1, 15_000], {
    default: "1,5,10,50,100,500,1000",
  }),
  durationMs: time("Load", "Duration per server and number of connections", {
    default: "10s",
    minMs: 1,
    maxMs: 600_000,
  }),
};

/** One server with one number of connections. */
type EchoRow = Awaited<ReturnType<typeof measureRow>>;
type EchoServer = Awaited<ReturnType<typeof startServers>>[number];

/** Needs no encoding in a path. */
const TEXT = "hello-fanfare!";
const WARM_UP_MS = 500;
const TIMEOUT_MS = 10_000;
const MOST_REQUESTS_PER_SECOND = 200_000;

async function startServers(names: readonly EchoServerName[], { signal, defer }: RunContext) {
  const workplace = await Workplace.open();
  defer(() => workplace.close());
  const servers = [];
  for (const name of names) {
    const port = await freePort();
    const process = workplace.add(echoProgram(name, port, workplace.folder));
    await process.start(signal);
    servers.push({ name, port, pid: process.pid! });
  }
  return servers;
}

async function measureRow(
  { name, port, pid }: EchoServer,
  connections: number,
  durationMs: number,
  { errors, signal }: RunContext,
) {
  const calls = [{ method: "GET" as const, path: `/echo/${TEXT}` }];
  const url = `http://127.0.0.1:${port}`;
  const thread = await openHttpThread({ url, connections, calls, bodyBytes: TEXT.length }, signal);
  const run = (ms: number) => {
    const requests = Math.ceil((MOST_REQUESTS_PER_SECOND * ms) / 1000);
    return thread.run({ connections, requests, durationMs: ms, timeoutMs: TIMEOUT_MS });
  };
  try {
    await run(WARM_UP_MS);
    const cpuBefore = processUsage(pid)?.cpuSeconds ?? 0;
    const outcome = await run(durationMs);
    const cpuSeconds = (processUsage(pid)?.cpuSeconds ?? 0) - cpuBefore;
    errors.addAll(name, outcome.refusals);
    errors.addAll(name, outcome.failures);
    const latencyMs = percentiles(outcome.latenciesMs);
    return { server: name, connections, outcome, cpuSeconds, latencyMs };
  } finally {
    errors.addAll(name, await thread.close());
  }
}

const RATIOS = ["requestsPerSecond", "requestsPerCpuSecond"] as const satisfies readonly MetricName[];

const ROW: MetricTable<EchoRow> = {
  requestsPerSecond: ({ outcome: { acknowledged, measuredMs } }) =>
    measuredMs > 0 ? acknowledged / (measuredMs / 1000) : null,
  requestsPerCpuSecond: ({ outcome, cpuSeconds }) =>
    cpuSeconds > 0 ? outcome.acknowledged / cpuSeconds : null,
  requestP50Ms: ({ latencyMs }) => latencyMs?.p50 ?? null,
  requestP99Ms: ({ latencyMs }) => latencyMs?.p99 ?? null,
  requestP100Ms: ({ latencyMs }) => latencyMs?.p100 ?? null,
  refused: ({ outcome }) => outcome.refused + outcome.unanswered,
  senderBusy: ({ outcome }) => outcome.tester.senderBusy ?? undefined,
};

export const echo = scenario({
  name: "echo",
  describe: "HTTP requests per second of the server's HTTP library alone, beside nginx",
  metrics: metricNames(ROW),
  ratios: RATIOS,
  options: ECHO_OPTIONS,
  examples: [
    ["$0 echo", "the gateway's HTTP stack and nginx, with 1 to 1,000 connections"],
    ["$0 echo --connections 100 --threshold 'requestsPerSecondRatio[server=fastify]>0.2'", "for CI"],
  ],
  plan(plan) {
    return {
      options: plan,
      async measure(context: RunContext) {
        const { progress, signal } = context;
        const missing = ECHO_SERVERS.filter((name) => name === "nginx" && !isInstalled(name));
        const servers = await startServers(
          ECHO_SERVERS.filter((name) => !missing.includes(name)),
          context,
        );
        const rows: EchoRow[] = [];
        // Servers take turns at each concurrency, so that other load on the machine affects all of them.
        const work = async () => {
          for (const connections of plan.connections)
            for (const server of servers)
              rows.push(await measureRow(server, connections, plan.durationMs, context));
        };
        const total = servers.length * plan.connections.length;
        await untilAborted(
          signal,
          progress.during("echo", total, () => rows.length, work),
        );
        const all = rows.flatMap((row) => {
          return readMetrics(ROW, row, { connections: row.connections, server: row.server });
        });
        const judged = rows.map(({ server: name, outcome, latencyMs }) => {
          return { name, verdicts: testerCaveats(outcome.tester, latencyMs?.p100) };
        });
        return {
          title: `Echo of ${TEXT.length} bytes by HTTP with keep-alive`,
          subtitle: [
            "one thread per server",
            `${duration(plan.durationMs)} each, after ${duration(WARM_UP_MS)} of warm-up`,
          ],
          metrics: [...all, ...ratiosTo("nginx", all, RATIOS)],
          caveats: [
            ...missing.map((name) => `${name} is not installed and not in the table.`),
            ...caveatsOf(judged, "row"),
          ],
        };
      },
    };
  },
});
