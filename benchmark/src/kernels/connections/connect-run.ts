import { setTimeout as sleep } from "node:timers/promises";
import type { RunTools } from "../../cli/scenario.ts";
import type { Platform } from "../../platform/platform.ts";
import type { AudienceOptions } from "../../receivers/audience.ts";
import type { Tally } from "../../receivers/tally.ts";
import { readText } from "../../report/environment.ts";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import type { Prepared, Sender, ServerUsage } from "../../targets/target.ts";
import { abortable, nowMs, untilAborted } from "../broadcast/clock.ts";
import { openChannel } from "../broadcast/measured-channel.ts";
import { mapValues } from "../broadcast/percentiles.ts";
import { watchLoop, watchServer, type ProcessUsage, type ServerUse } from "../broadcast/resource-use.ts";
import { countsOf, deliveryOf } from "../broadcast/sent-messages.ts";

const MOST_SAMPLES = 240;
const SHORTEST_SAMPLE_MS = 1000;
/** Duplicates can arrive after everything else. */
const DRAIN_MS = 300;

export interface ConnectPlan extends Pick<
  AudienceOptions<Tally>,
  "connecting" | "connectTimeoutMs" | "napMs"
> {
  users: number;
  /** How many receiving processes the members spread over. */
  processes: number;
  messages: number;
  payloadBytes: number;
  /** How long the connections are held, and how long they rest before memory is measured. */
  holdMs: number;
  settleMs: number;
  timeoutMs: number;
}

interface ConnectContext extends Prepared, RunTools {
  target: FanfareTarget;
  plan: ConnectPlan;
}

export interface HoldSample {
  /** Since all were online. */
  atMs: number;
  rssBytes: number | null;
  cpuSeconds: number | null;
  online: number;
}

export type ConnectMeasurement = Awaited<ReturnType<typeof measureConnections>>;

/**
 * Connects members, holds the connections, sends messages and disconnects. Failed connections are part of the
 * result. On an abort signal, the measurement has everything up to then.
 */
export async function measureConnections(context: ConnectContext) {
  const { target, plan, credentials, registration, progress, errors, signal } = context;
  const channel = await openChannel({ ...plan, target, errors, threads: plan.processes, areProcesses: true });
  const { audience, sent, tally } = channel;
  /** null: interrupted before. */
  const run = {
    connectMs: null as number | null,
    /** Until all were online or given up. */
    connecting: null as ServerUse | null,
    before: null as MemoryNow | null,
    connected: null as MemoryNow | null,
    afterHold: null as ServerUsage | null,
    afterMessages: null as ServerUsage | null,
    /** While the connections were held: at most a few hundred, independent of the duration. */
    samples: [] as HoldSample[],
    /** Acknowledged messages that are stored as they were sent. */
    stored: null as number | null,
    /** The longest time for which the tester itself stood still while messages were in flight. */
    standstillMs: 0,
  };
  let sender: Sender | undefined;
  await untilAborted(signal, measure()).finally(async () => {
    sender?.close();
    await channel.close("connect");
  });
  if (!signal.aborted) audience.assertAlive();
  const { online, gaveUp, dropped, resyncs } = audience;
  return {
    ...run,
    users: plan.users,
    /** null: a single instance, or unknown. */
    gateways: target.platform && target.platform.workers > 0 ? target.platform.gateways.length : null,
    /** null: the tokens came from a file. */
    registration,
    /** Of each connection, ascending. */
    onlineMs: audience.connections.onlineMs.filter((value) => value > 0).sort(),
    messages: sent.all.map((message) => deliveryOf(message, tally)),
    counts: { online, gaveUp, dropped, resyncs, ...countsOf(sent.all, tally), stored: run.stored },
  };

  async function measure(): Promise<void> {
    const tokens = await credentials();
    run.before = await memoryNow(target);
    const endWatch = await watchServer(target);
    const startedMs = nowMs();
    const connect = () => abortable(audience.connect(tokens), signal);
    await progress.during("connecting", plan.users, () => audience.online, connect);
    run.connectMs = nowMs() - startedMs;
    run.connecting = await endWatch();
    await sleep(plan.settleMs, undefined, { signal });
    run.connected = await memoryNow(target);
    // Before the hold, after which a token of --tokens can have expired.
    if (plan.messages > 0 && audience.online > 0) sender = await target.openSender();
    await hold();
    if (sender) await sendAll(sender);
  }

  async function hold(): Promise<void> {
    const startedMs = nowMs();
    const everyMs = Math.max(SHORTEST_SAMPLE_MS, plan.holdMs / MOST_SAMPLES);
    const soFarMs = () => nowMs() - startedMs;
    const sample = async () => {
      audience.assertAlive();
      const { rssBytes = null, cpuSeconds = null } = (await target.usage()) ?? {};
      run.samples.push({ atMs: soFarMs(), rssBytes, cpuSeconds, online: stillOnline() });
    };
    const work = async () => {
      await sample();
      while (soFarMs() < plan.holdMs) {
        await sleep(Math.min(everyMs, plan.holdMs - soFarMs()), undefined, { signal });
        await sample();
      }
    };
    await progress.during("seconds held", Math.round(plan.holdMs / 1000), () => soFarMs() / 1000, work);
    run.afterHold = await target.usage();
  }

  async function sendAll(sender: Sender): Promise<void> {
    await audience.sampleLoads();
    audience.measure(true);
    const endLoop = watchLoop();
    const work = async () => {
      while (sent.all.length < plan.messages) await send(sender);
    };
    await progress.during("sending messages", plan.messages, () => sent.all.length, work);
    const ownMs = endLoop();
    await sleep(DRAIN_MS, undefined, { signal });
    audience.measure(false);
    const loads = await audience.sampleLoads();
    run.standstillMs = Math.max(ownMs, ...loads.map((load) => load.standstillMs));
    run.afterMessages = await target.usage();
    run.stored = (await channel.stored(target.contents())).of(sent.acknowledged);
  }

  async function send(sender: Sender): Promise<void> {
    const message = sent.send(sender, stillOnline());
    await audience.waitFor([message.index], plan.timeoutMs, signal, () => message.state === "failed");
    await message.settled;
    message.isOver = true;
  }

  function stillOnline(): number {
    return audience.online - audience.dropped;
  }
}

type MemoryNow = Awaited<ReturnType<typeof memoryNow>>;

/** Memory of server and kernel. */
async function memoryNow(target: FanfareTarget) {
  const byKind = target.platform ? memoryByKind(target.platform) : null;
  return { usage: await target.usage(), kernelBytes: readKernelBytes(), byKind };
}

/** sockstat counts pages: 4 KiB on x86-64 and on most arm64 systems. */
const PAGE_BYTES = 4096;

/** Memory of this machine's kernel, for all programs together: all kernel objects, and data in the buffers of TCP sockets. null: unknown. */
function readKernelBytes(): number | null {
  const meminfo = readText("/proc/meminfo");
  const sockstat = readText("/proc/net/sockstat");
  if (meminfo === undefined || sockstat === undefined) return null;
  const slabBytes = numberIn(meminfo, /^Slab:\s+(\d+) kB$/m) * 1024;
  return slabBytes + numberIn(sockstat, /^TCP:.* mem (\d+)$/m) * PAGE_BYTES;
}

function numberIn(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1] ?? 0);
}

/** Resident memory by kind of process (gateway, worker, database, …); null if unavailable. */
function memoryByKind(platform: Platform): Record<string, number> | null {
  const usage = platform.usage();
  if (usage === null || platform.workers > 0) return usage && mapValues(usage, ({ rssBytes }) => rssBytes);
  const [{ rssBytes, ownRssBytes }] = Object.values(usage) as [ProcessUsage];
  return { instance: ownRssBytes, database: rssBytes - ownRssBytes };
}
