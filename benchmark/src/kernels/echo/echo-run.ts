import type { RunContext } from "../../cli/scenario.ts";
import { freePort } from "../../platform/free-port.ts";
import { Workplace } from "../../platform/workplace.ts";
import { percentiles } from "../broadcast/percentiles.ts";
import { processUsage } from "../broadcast/process-usage.ts";
import { HttpThread } from "../requests/http-thread.ts";
import { echoProgram, isNginxInstalled, type EchoServerName } from "./echo-servers.ts";

export interface EchoPlan {
  servers: readonly EchoServerName[];
  concurrencies: readonly number[];
  /** Each server at each concurrency. */
  durationMs: number;
}

/** One server with one number of connections. */
export type EchoRow = Awaited<ReturnType<typeof measureRow>>;

interface EchoServer {
  name: EchoServerName;
  port: number;
  pid: number;
}

/** Needs no encoding in a path. */
const TEXT = "hello-fanfare!";
const WARM_UP_MS = 500;
const TIMEOUT_MS = 10_000;
const MOST_REQUESTS_PER_SECOND = 200_000;

/** Servers take turns at each concurrency, so that other load on the machine affects all of them. */
export async function measureEcho(plan: EchoPlan, context: RunContext) {
  const { progress, signal, defer } = context;
  const missing = plan.servers.filter((name) => name === "nginx" && !isNginxInstalled());
  const workplace = await Workplace.open();
  defer(() => workplace.close());
  const servers: EchoServer[] = [];
  for (const name of plan.servers) {
    if (missing.includes(name)) continue;
    const port = await freePort();
    const process = workplace.add(echoProgram(name, port, workplace.folder));
    await process.start(signal);
    servers.push({ name, port, pid: process.pid! });
  }
  const rows: EchoRow[] = [];
  const work = async () => {
    for (const connections of plan.concurrencies)
      for (const server of servers) rows.push(await measureRow(server, connections, plan, context));
  };
  const total = servers.length * plan.concurrencies.length;
  await progress
    .during("echo", total, () => rows.length, work)
    .catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  /** `missing`: servers not measured because they aren't installed. */
  return { bytes: TEXT.length, rows, missing };
}

async function measureRow(
  { name, port, pid }: EchoServer,
  connections: number,
  { durationMs }: EchoPlan,
  { errors, signal }: RunContext,
) {
  const calls = [{ method: "GET" as const, path: `/echo/${TEXT}` }];
  const url = `http://127.0.0.1:${port}`;
  const thread = await HttpThread.open({ url, connections, calls, bodyBytes: TEXT.length }, signal);
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
