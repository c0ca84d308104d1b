import { HttpLoop } from "../http/http-loop.ts";
import { encodeRequest } from "../http/light-http.ts";
import { nowMs } from "../broadcast/clock.ts";
import { percentiles } from "../broadcast/percentiles.ts";
import { processUsage } from "../broadcast/process-usage.ts";
import { freePort } from "../../platform/free-port.ts";
import { Workplace } from "../../platform/workplace.ts";
import type { RunContext } from "../../cli/scenario.ts";
import type { EchoMeasurement, EchoRow } from "./echo-result.ts";
import { echoProgram, isNginxInstalled, type EchoServerName } from "./echo-servers.ts";

export interface EchoPlan {
  servers: readonly EchoServerName[];
  concurrencies: readonly number[];
  /** Each server at each concurrency. */
  durationMs: number;
}

/** Needs no encoding in a path. */
const TEXT = "hello-fanfare!";
const WARM_UP_MS = 500;
const TIMEOUT_MS = 10_000;
const MOST_REQUESTS_PER_SECOND = 200_000;

/** Servers take turns at each concurrency, so that other load on the machine affects all of them. */
export async function measureEcho(plan: EchoPlan, context: RunContext): Promise<EchoMeasurement> {
  const { progress, errors, signal, defer } = context;
  const missing = plan.servers.filter((name) => name === "nginx" && !isNginxInstalled());
  const workplace = await Workplace.open();
  defer(() => workplace.close());
  const servers: { name: EchoServerName; port: number; pid: number }[] = [];
  for (const name of plan.servers) {
    if (missing.includes(name)) continue;
    const port = await freePort();
    const process = workplace.add(echoProgram(name, port, workplace.folder));
    await process.start(signal);
    servers.push({ name, port, pid: process.pid! });
  }
  const rows: EchoRow[] = [];
  const turn = async ({ name, port, pid }: (typeof servers)[number], concurrency: number) => {
    await echo(port, concurrency, WARM_UP_MS, signal);
    const cpuBefore = processUsage(pid)?.cpuSeconds;
    const [testerBefore, startedMs] = [process.cpuUsage(), nowMs()];
    const outcome = await echo(port, concurrency, plan.durationMs, signal);
    const { user, system } = process.cpuUsage(testerBefore);
    const cpuSeconds = (processUsage(pid)?.cpuSeconds ?? 0) - (cpuBefore ?? 0);
    for (const [code, count] of Object.entries({ ...outcome.refusals, ...outcome.failures }))
      errors.add(name, code, count);
    const { acknowledged, measuredMs } = outcome;
    rows.push({
      server: name,
      concurrency,
      perSecond: measuredMs > 0 ? acknowledged / (measuredMs / 1000) : null,
      perCpuSecond: cpuSeconds > 0 ? acknowledged / cpuSeconds : null,
      latencyMs: percentiles(outcome.latenciesMs.sort()),
      acknowledged,
      failed: outcome.refused + outcome.unanswered,
      testerBusy: Math.min(1, (user + system) / 1000 / (nowMs() - startedMs)),
    });
  };
  const work = async () => {
    for (const concurrency of plan.concurrencies) {
      for (const server of servers) if (!signal.aborted) await turn(server, concurrency);
    }
  };
  await progress.during("echo", servers.length * plan.concurrencies.length, () => rows.length, work);
  return { bytes: TEXT.length, rows, missing, errors: errors.rows() };
}

function echo(port: number, concurrency: number, durationMs: number, signal: AbortSignal) {
  const request = encodeRequest("GET", `/echo/${TEXT}`, `127.0.0.1:${port}`);
  return new HttpLoop({
    place: { host: "127.0.0.1", port },
    concurrency,
    requests: Math.ceil((MOST_REQUESTS_PER_SECOND * durationMs) / 1000),
    durationMs,
    timeoutMs: TIMEOUT_MS,
    request: () => request,
    faultOf: ({ status, body }) => {
      if (status !== 200) return { code: `HTTP_${status}`, waitMs: 0 };
      return body.length === TEXT.length ? undefined : { code: "WRONG_LENGTH", waitMs: 0 };
    },
    signal,
  }).run();
}
