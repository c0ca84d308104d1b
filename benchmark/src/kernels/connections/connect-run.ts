import { setTimeout as sleep } from "node:timers/promises";
import type { RunTools } from "../../cli/scenario.ts";
import { newRunId, StoredCopies } from "../../receivers/message-tag.ts";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import type { Prepared, Sender, ServerUsage } from "../../targets/target.ts";
import { nowMs, untilAborted } from "../broadcast/clock.ts";
import { mapValues, openPercentiles, sum } from "../broadcast/percentiles.ts";
import { watchLoop, watchServer, type ServerUse } from "../broadcast/resource-use.ts";
import { countsOf, deliveryOf, SentMessages } from "../broadcast/sent-messages.ts";
import { grownObjects, kernelBytes, memoryByKind, readKernelMemory, type KernelMemory } from "./memory.ts";
import { ReceiverProcesses, type ReceiverProcessesOptions } from "./receiver-processes.ts";

const MOST_SAMPLES = 240;
const SHORTEST_SAMPLE_MS = 1000;
const MOST_OBJECTS = 10;
/** Duplicates can arrive after everything else. */
const DRAIN_MS = 300;
const MS_PER_HOUR = 3_600_000;

export interface ConnectPlan extends Omit<ReceiverProcessesOptions, "urls" | "dialect" | "runId"> {
  payloadBytes: number;
  /** How long the connections are held, and how long they rest before memory is measured. */
  holdMs: number;
  settleMs: number;
  timeoutMs: number;
}

interface ConnectContext extends Prepared, RunTools {
  target: FanfareTarget;
  isLocalServer: boolean;
  plan: ConnectPlan;
}

export interface HoldSample {
  /** Since all were online. */
  atMs: number;
  rssBytes: number | null;
  cpuSeconds: number | null;
  online: number;
}

/** Memory of server and kernel at one moment. */
interface Snapshot {
  usage: ServerUsage | null;
  kernel: KernelMemory | null;
  byKind: Record<string, number> | null;
}

export type ConnectMeasurement = Awaited<ReturnType<typeof measureConnections>>;

/**
 * Connects members, holds the connections, sends messages and disconnects. Failed connections are part of the
 * result. On an abort signal, the measurement has everything up to then.
 */
export async function measureConnections(context: ConnectContext) {
  const { target, plan, credentials, registration, isLocalServer, progress, errors, signal } = context;
  const runId = newRunId();
  const sent = new SentMessages({ runId, payloadBytes: plan.payloadBytes, errors });
  const receivers = new ReceiverProcesses({ ...plan, urls: target.urls, dialect: target.dialect, runId });
  const samples: HoldSample[] = [];
  let before: Snapshot | undefined;
  let connected: Snapshot | undefined;
  let afterHold: ServerUsage | null = null;
  let afterMessages: ServerUsage | null = null;
  let connecting: ServerUse | undefined;
  let connectMs: number | null = null;
  let heldMs: number | null = null;
  let stored: number | null = null;
  let standstillMs = 0;
  let sender: Sender | undefined;
  await untilAborted(signal, measure()).finally(async () => {
    sender?.close();
    await receivers.close();
  });
  if (!signal.aborted) receivers.assertAlive();
  for (const report of receivers.reports) errors.addAll("connect", report.errors);
  return summarise();

  async function measure(): Promise<void> {
    await connect();
    // Before the hold, after which a token of --tokens can have expired.
    if (plan.messages > 0 && receivers.online > 0) sender = await target.openSender();
    await hold();
    if (sender) await sendAll(sender);
  }

  async function connect(): Promise<void> {
    const tokens = await credentials();
    before = await snapshot();
    const endWatch = await watchServer(target);
    const startedMs = nowMs();
    await progress.during(
      "connecting",
      plan.users,
      () => receivers.online,
      () => receivers.connect(tokens, signal),
    );
    connectMs = nowMs() - startedMs;
    connecting = await endWatch();
    await sleep(plan.settleMs, undefined, { signal });
    connected = await snapshot();
  }

  async function hold(): Promise<void> {
    const startedMs = nowMs();
    const everyMs = Math.max(SHORTEST_SAMPLE_MS, plan.holdMs / MOST_SAMPLES);
    const soFarMs = () => nowMs() - startedMs;
    const sample = async () => {
      receivers.assertAlive();
      const usage = await target.usage();
      samples.push({
        atMs: soFarMs(),
        rssBytes: usage?.rssBytes ?? null,
        cpuSeconds: usage?.cpuSeconds ?? null,
        online: stillOnline(),
      });
      heldMs = soFarMs();
    };
    const work = async () => {
      await sample();
      while (soFarMs() < plan.holdMs) {
        await sleep(Math.min(everyMs, plan.holdMs - soFarMs()), undefined, { signal });
        await sample();
      }
    };
    await progress.during("seconds held", Math.round(plan.holdMs / 1000), () => soFarMs() / 1000, work);
    afterHold = await target.usage();
  }

  async function sendAll(sender: Sender): Promise<void> {
    await receivers.measure(true);
    const endLoop = watchLoop();
    const work = async () => {
      while (sent.all.length < plan.messages) await send(sender);
    };
    await progress.during("sending messages", plan.messages, () => sent.all.length, work);
    const ownMs = endLoop();
    await sleep(DRAIN_MS, undefined, { signal });
    standstillMs = Math.max(ownMs, await receivers.measure(false));
    afterMessages = await target.usage();
    const copies = new StoredCopies(runId, plan.messages);
    await copies.addAll(target.contents());
    stored = copies.of(sent.acknowledged);
  }

  async function send(sender: Sender): Promise<void> {
    const message = sent.send(sender, stillOnline());
    await receivers.waitFor(message.index, plan.timeoutMs, signal, () => message.state === "failed");
    await message.settled;
    message.isOver = true;
  }

  function stillOnline(): number {
    return receivers.online - receivers.dropped;
  }

  async function snapshot(): Promise<Snapshot> {
    return {
      usage: await target.usage(),
      kernel: readKernelMemory(),
      byKind: target.platform ? memoryByKind(target.platform) : null,
    };
  }

  function summarise() {
    const { online, gaveUp, dropped, resyncs, tally, reports } = receivers;
    const onlineMs = Float64Array.from(reports.flatMap((report) => [...report.onlineMs])).sort();
    const { platform } = target;
    const cpu = connecting?.cpuSeconds ?? null;
    return {
      users: plan.users,
      /** null: a single instance, or unknown. */
      gateways: platform && platform.workers > 0 ? platform.gateways.length : null,
      processes: plan.processes,
      /** null: the tokens came from a file. */
      registration,
      connection:
        connectMs === null
          ? null
          : {
              perSecond: online / (connectMs / 1000),
              perServerCpuSecond: cpu === null || cpu <= 0 ? null : online / cpu,
              onlineMs: openPercentiles(onlineMs, gaveUp),
            },
      bytesPerConnection: bytesPerConnection(online),
      hold: holdResult(online),
      messages: sent.all.map((message) => deliveryOf(message, tally)),
      /** The longest time for which the tester itself stood still while messages were in flight. */
      standstillMs,
      counts: {
        online,
        gaveUp,
        dropped,
        resyncs,
        ...countsOf(sent.all, tally),
        /** Acknowledged messages that are stored as they were sent; null: the run was interrupted. */
        stored,
      },
      server: {
        beforeConnect: before?.usage ?? null,
        connected: connected?.usage ?? null,
        afterHold,
        afterMessages,
      },
      /** Cores used by unrelated programs while connections were made; null: unknown. */
      otherProgramsCores: connecting?.otherProgramsCores ?? null,
    };
  }

  /** With all members online, minus before they connected. */
  function bytesPerConnection(online: number) {
    if (!before || !connected || online === 0) return null;
    const per = (from: number | null | undefined, to: number | null | undefined) =>
      from === null || from === undefined || to === null || to === undefined ? null : (to - from) / online;
    const [old, now] = [before.kernel?.objects, connected.kernel?.objects];
    const grown = old && now ? grownObjects(old, now, MOST_OBJECTS) : [];
    const oldByKind = before.byKind ?? {};
    const testerBytes = sum(receivers.reports.map(({ rssBytes }) => rssBytes));
    return {
      /** Resident memory of all the server's processes. */
      server: per(before.usage?.rssBytes, connected.usage?.rssBytes),
      /** The same by kind of process, if the server was started for the run. */
      serverByKind: mapValues(connected.byKind ?? {}, (bytes, kind) => per(oldByKind[kind] ?? 0, bytes)!),
      /**
       * Kernel memory of this machine (slab and TCP buffers). If the server is on this machine, it includes both
       * ends of each connection; half of it is the server's.
       */
      kernel: per(kernelBytes(before.kernel), kernelBytes(connected.kernel)),
      isKernelOfBothEnds: isLocalServer,
      /** The kernel objects that grew most, if they are readable (as root). */
      kernelObjects: grown.map(({ name, bytes }) => ({ name, bytes: bytes / online })),
      tester: testerBytes / online,
    };
  }

  function holdResult(online: number) {
    const [first, last] = [samples[0], samples.at(-1)];
    if (heldMs === null || !first || !last) return null;
    const growth = (of: (sample: HoldSample) => number | null) => {
      const [from, to] = [of(first), of(last)];
      return from === null || to === null || first === last ? null : to - from;
    };
    const cpu = growth((sample) => sample.cpuSeconds);
    const hours = (last.atMs - first.atMs) / MS_PER_HOUR;
    return {
      heldMs,
      /** At most a few hundred, independent of the duration. */
      samples,
      rssGrowthBytes: growth((sample) => sample.rssBytes),
      /** Server CPU per connection and hour while idle, mostly for heartbeats. */
      cpuMsPerConnectionHour: cpu === null || online === 0 ? null : (cpu / online / hours) * 1000,
    };
  }
}
