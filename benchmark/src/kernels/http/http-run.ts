import { randomInt } from "node:crypto";
import { nowMs } from "../broadcast/clock.ts";
import type { Platform } from "../../platform/platform.ts";
import { addressOf } from "../../receivers/audience.ts";
import { newRunId, taggedContent } from "../../receivers/message-tag.ts";
import type { RunContext } from "../../cli/scenario.ts";
import type { Api } from "../../targets/fanfare/api.ts";
import { registerAll } from "../../targets/registration.ts";
import { createSharedGroup } from "../../targets/fanfare/shared-group.ts";
import type { ServerUsage } from "../../targets/target.ts";
import { abPercentiles } from "./ab-percentiles.ts";
import { folderBytes } from "./folder-bytes.ts";
import { HttpLoop, type HttpFault, type HttpLoopOutcome } from "./http-loop.ts";
import type { HttpMeasurement } from "./http-result.ts";
import { encodeRequest, type HttpAnswer } from "./light-http.ts";

export interface HttpPlan {
  users: number;
  channels: number;
  concurrency: number;
  requests: number;
  warmUp: number;
  payloadBytes: number;
  timeoutMs: number;
  /** Concurrent registrations and read-back calls. */
  calls: number;
}

export interface HttpServer {
  url: string;
  platform: Platform | undefined;
  api: Api;
  usage(): Promise<ServerUsage | null>;
  cpuSeconds(): Promise<number | null>;
}

interface User {
  id: string;
  token: string;
}

interface Pair {
  channelId: string;
  /** Both can send. */
  users: [User, User];
}

const WARM_UP_CONCURRENCY = 100;

/** `ab -k` against the endpoint that sends a direct message, with random senders and receivers. */
export async function measureHttp(
  server: HttpServer,
  plan: HttpPlan,
  { progress, errors, signal }: RunContext,
): Promise<HttpMeasurement> {
  const pairs = await openPairs(server.api, plan, progress, signal);
  await loopOf(
    { server, plan, pairs, signal, host: await addressOf(server.url) },
    "warm-up",
    plan.warmUp,
  ).run();
  const storedBefore = await storedIn(server.api, pairs, plan.calls);
  const bytesBefore = server.platform && folderBytes(server.platform.folder);
  const before = await server.usage();
  const cpuBefore = await server.cpuSeconds();
  const [testerBefore, startedMs] = [process.cpuUsage(), nowMs()];
  const loop = loopOf(
    { server, plan, pairs, signal, host: await addressOf(server.url) },
    "measured",
    plan.requests,
  );
  const outcome = await progress.during(
    "sending messages",
    plan.requests,
    () => loop.settled,
    () => loop.run(),
  );
  const { user, system } = process.cpuUsage(testerBefore);
  const testerBusy = Math.min(1, (user + system) / 1000 / (nowMs() - startedMs));
  const cpuAfter = await server.cpuSeconds();
  const stored = signal.aborted ? null : (await storedIn(server.api, pairs, plan.calls)) - storedBefore;
  const after = await server.usage();
  const bytesAfter = server.platform && folderBytes(server.platform.folder);
  for (const [code, count] of Object.entries(outcome.refusals)) errors.add("rejected", code, count);
  for (const [code, count] of Object.entries(outcome.failures)) errors.add("send", code, count);
  const { acknowledged, measuredMs } = outcome;
  const seconds = measuredMs / 1000;
  const cpuSeconds = cpuBefore === null || cpuAfter === null ? 0 : cpuAfter - cpuBefore;
  return {
    target: { name: "fanfare", url: server.url, isThrowaway: server.platform !== undefined },
    users: plan.users,
    channels: pairs.length,
    concurrency: plan.concurrency,
    requests: plan.requests,
    payloadBytes: plan.payloadBytes,
    connectMs: outcome.connectMs,
    measuredMs,
    percentiles: abPercentiles(outcome.latenciesMs.sort()),
    counts: {
      ...countsOf(outcome),
      stored,
      behind: stored === null ? null : Math.max(0, acknowledged - stored),
    },
    rates: {
      acknowledgedPerSecond: seconds > 0 ? acknowledged / seconds : null,
      acknowledgedPerCpuSecond: cpuSeconds > 0 ? acknowledged / cpuSeconds : null,
      storedPerSecond: stored !== null && stored >= acknowledged && seconds > 0 ? stored / seconds : null,
    },
    bytesPerMillion:
      bytesBefore !== undefined && bytesAfter !== undefined && stored
        ? ((bytesAfter - bytesBefore) / stored) * 1e6
        : null,
    server: { before, after },
    testerBusy,
    errors: errors.rows(),
  };
}

function countsOf({ sent, acknowledged, refused, unanswered }: HttpLoopOutcome) {
  return { sent, acknowledged, refused, unanswered };
}

/** Guests, and direct channels between random pairs of them. */
async function openPairs(
  api: Api,
  { users: count, channels, calls }: HttpPlan,
  progress: RunContext["progress"],
  signal: AbortSignal,
): Promise<Pair[]> {
  let done = 0;
  const work = async () => {
    const join = await createSharedGroup(api, signal);
    const register = async (): Promise<User> => {
      const { user, accessToken } = await api.call("user.createGuest", {}, undefined, signal);
      await join(accessToken);
      return { id: user.id, token: accessToken };
    };
    const { users } = await registerAll(count, calls, register, () => done++);
    const open = async (): Promise<Pair> => {
      const first = randomInt(count);
      const second = (first + 1 + randomInt(count - 1)) % count;
      const pair: Pair["users"] = [users[first]!, users[second]!];
      const { channel } = await api.call("channel.openDirect", { userId: pair[1].id }, pair[0].token, signal);
      return { channelId: channel.id, users: pair };
    };
    const { users: pairs } = await registerAll(channels, calls, open, () => done++);
    // The same pair may have been drawn twice.
    return [...new Map(pairs.map((pair) => [pair.channelId, pair])).values()];
  };
  return progress.during("registering guests, opening channels", count + channels, () => done, work);
}

interface LoopContext {
  server: HttpServer;
  plan: HttpPlan;
  pairs: readonly Pair[];
  signal: AbortSignal;
  /** The IP address of the server. */
  host: string;
}

function loopOf(
  { server, plan, pairs, signal, host }: LoopContext,
  phase: string,
  requests: number,
): HttpLoop {
  const { port, host: name } = new URL(server.url);
  const runId = newRunId();
  return new HttpLoop({
    place: { host, port: Number(port) || 80 },
    concurrency: phase === "measured" ? plan.concurrency : Math.min(WARM_UP_CONCURRENCY, plan.concurrency),
    requests,
    durationMs: Infinity,
    timeoutMs: plan.timeoutMs,
    request: (index) => {
      const { channelId, users } = pairs[Math.floor(Math.random() * pairs.length)]!;
      const { token } = users[Math.random() < 0.5 ? 0 : 1];
      const content = taggedContent(runId, index, plan.payloadBytes);
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const body = JSON.stringify({ channelId, content, nonce: `${runId}-${index}` });
      return encodeRequest("POST", "/api/message.send", name, headers, body);
    },
    faultOf,
    signal,
  });
}

function faultOf({ status, body }: HttpAnswer): HttpFault | undefined {
  if (status === 200) return undefined;
  const text = body.toString("latin1");
  const code = /"type":"([A-Z_]+)"/.exec(text)?.[1] ?? `HTTP_${status}`;
  const retryAfterMs = /"retryAfterMs":(\d+)/.exec(text)?.[1];
  // Not all in the same instant: that would be the next overload.
  return { code, waitMs: retryAfterMs === undefined ? 0 : Number(retryAfterMs) * (1 + Math.random()) };
}

/** Messages in all channels: each counts its own. */
async function storedIn(api: Api, pairs: readonly Pair[], calls: number): Promise<number> {
  let stored = 0;
  const read = async (index: number) => {
    const { channelId, users } = pairs[index]!;
    const { head } = await api.call("message.list", { channelId, limit: 1 }, users[0].token);
    stored += head.seq;
  };
  await registerAll(pairs.length, calls, read, () => {});
  return stored;
}
