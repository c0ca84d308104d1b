import { setTimeout as sleep } from "node:timers/promises";
import type { RunTools } from "../../cli/scenario.ts";
import { newRunId, StoredCopies } from "../../receivers/message-tag.ts";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import type { GroupAccess } from "../../targets/fanfare/meeting.ts";
import type { Prepared, Sender, ServerUsage } from "../../targets/target.ts";
import { nowMs } from "../broadcast/clock.ts";
import { percentiles } from "../broadcast/percentiles.ts";
import { watchServer, type ServerUse } from "../broadcast/resource-use.ts";
import { countsOf, deliveryOf, SentMessages } from "../broadcast/sent-messages.ts";
import type { ConnectPlan } from "./connect-plan.ts";
import { grownObjects, kernelBytes, memoryByKind, readKernelMemory, type KernelMemory } from "./memory.ts";
import { ReceiverProcesses } from "./receiver-processes.ts";

const MOST_SAMPLES = 240;
const SHORTEST_SAMPLE_MS = 1000;
const MOST_OBJECTS = 10;
/** Duplicates can arrive after everything else. */
const DRAIN_MS = 300;
const MS_PER_HOUR = 3_600_000;

export interface ConnectContext extends Prepared, RunTools {
  target: FanfareTarget;
  /** The group of the members. */
  access: GroupAccess;
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
export function measureConnections(context: ConnectContext) {
  return new ConnectRun(context).measure();
}

class ConnectRun {
  readonly #context: ConnectContext;
  readonly #runId = newRunId();
  readonly #sent: SentMessages;
  readonly #receivers: ReceiverProcesses;
  readonly #samples: HoldSample[] = [];
  #afterHold: ServerUsage | null = null;
  #afterMessages: ServerUsage | null = null;
  #before: Snapshot | undefined;
  #connected: Snapshot | undefined;
  #connectMs: number | null = null;
  #connecting: ServerUse | undefined;
  #heldMs: number | null = null;
  #stored: number | null = null;

  constructor(context: ConnectContext) {
    const { plan, target, errors } = context;
    const runId = this.#runId;
    this.#context = context;
    this.#sent = new SentMessages({ runId, payloadBytes: plan.payloadBytes, errors });
    this.#receivers = new ReceiverProcesses({ ...plan, urls: target.urls, dialect: target.dialect, runId });
  }

  async measure() {
    const { target, access, plan, errors, signal } = this.#context;
    let sender: Sender | undefined;
    try {
      await this.#connect();
      await this.#hold();
      if (plan.messages > 0 && this.#receivers.online > 0) {
        await target.resume(access, signal);
        sender = await target.openSender();
        await this.#sendAll(sender);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      sender?.close();
      await this.#receivers.close();
    }
    for (const report of this.#receivers.reports) errors.addAll("connect", report.errors);
    return this.#summarise();
  }

  async #connect(): Promise<void> {
    const { plan, target, credentials, progress, signal } = this.#context;
    this.#before = await this.#snapshot();
    const endWatch = await watchServer(target);
    const startedMs = nowMs();
    await progress.during(
      "connecting",
      plan.users,
      () => this.#receivers.online,
      () => this.#receivers.connect(credentials, signal),
    );
    this.#connectMs = nowMs() - startedMs;
    this.#connecting = await endWatch();
    await sleep(plan.settleMs, undefined, { signal });
    this.#connected = await this.#snapshot();
  }

  async #hold(): Promise<void> {
    const { plan, target, progress, signal } = this.#context;
    const startedMs = nowMs();
    const everyMs = Math.max(SHORTEST_SAMPLE_MS, plan.holdMs / MOST_SAMPLES);
    const heldMs = () => nowMs() - startedMs;
    const sample = async () => {
      const usage = await target.usage();
      this.#samples.push({
        atMs: heldMs(),
        rssBytes: usage?.rssBytes ?? null,
        cpuSeconds: usage?.cpuSeconds ?? null,
        online: this.#online,
      });
      this.#heldMs = heldMs();
    };
    const hold = async () => {
      await sample();
      while (heldMs() < plan.holdMs) {
        await sleep(Math.min(everyMs, plan.holdMs - heldMs()), undefined, { signal });
        await sample();
      }
    };
    await progress.during("seconds held", Math.round(plan.holdMs / 1000), () => heldMs() / 1000, hold);
    this.#afterHold = await target.usage();
  }

  async #sendAll(sender: Sender): Promise<void> {
    const { plan, target, progress, signal } = this.#context;
    this.#receivers.measure(true);
    const work = async () => {
      while (this.#sent.all.length < plan.messages) await this.#send(sender);
    };
    await progress.during("sending messages", plan.messages, () => this.#sent.all.length, work);
    await sleep(DRAIN_MS, undefined, { signal });
    this.#receivers.measure(false);
    this.#afterMessages = await target.usage();
    const stored = new StoredCopies(this.#runId, plan.messages);
    await target.countStored(stored.add);
    this.#stored = stored.of(this.#sent.acknowledged);
  }

  async #send(sender: Sender): Promise<void> {
    const { plan, signal } = this.#context;
    const message = this.#sent.send(sender, this.#online);
    await this.#receivers.waitFor(message.index, plan.timeoutMs, signal, () => message.state === "failed");
    await message.settled;
    message.isOver = true;
  }

  get #online(): number {
    return this.#receivers.online - this.#receivers.dropped;
  }

  async #snapshot(): Promise<Snapshot> {
    const { target } = this.#context;
    return {
      usage: await target.usage(),
      kernel: readKernelMemory(),
      byKind: target.platform ? memoryByKind(target.platform) : null,
    };
  }

  #summarise() {
    const { plan, target, registration } = this.#context;
    const { online, gaveUp, dropped, resyncs, tally, reports } = this.#receivers;
    const { platform } = target;
    const isCluster = platform !== undefined && platform.workers > 0;
    const cpu = this.#connecting?.cpuSeconds ?? null;
    return {
      url: target.urls.join(","),
      isThrowaway: target.isThrowaway,
      users: plan.users,
      /** null: a single instance, or unknown. */
      gateways: isCluster ? platform.gateways.length : null,
      workers: isCluster ? platform.workers : null,
      processes: plan.processes,
      /** null: the tokens came from a file. */
      registration,
      connection:
        this.#connectMs === null
          ? null
          : {
              perSecond: online / (this.#connectMs / 1000),
              perServerCpuSecond: cpu === null || cpu <= 0 ? null : online / cpu,
              onlineMs: percentiles(
                Float64Array.from(reports.flatMap((report) => [...report.onlineMs])).sort(),
              ),
            },
      bytesPerConnection: this.#bytesPerConnection(online),
      hold: this.#holdResult(online),
      messages: this.#sent.all.map((message) => deliveryOf(message, tally)),
      counts: {
        online,
        gaveUp,
        dropped,
        resyncs,
        ...countsOf(this.#sent.all, tally),
        /** Acknowledged messages that are stored as they were sent; null: the run was interrupted. */
        stored: this.#stored,
      },
      server: {
        beforeConnect: this.#before?.usage ?? null,
        connected: this.#connected?.usage ?? null,
        afterHold: this.#afterHold,
        afterMessages: this.#afterMessages,
      },
      /** Cores used by unrelated programs while connections were made; null: unknown. */
      otherProgramsCores: this.#connecting?.otherProgramsCores ?? null,
    };
  }

  /** With all members online, minus before they connected. */
  #bytesPerConnection(online: number) {
    const [before, after] = [this.#before, this.#connected];
    if (!before || !after || online === 0) return null;
    const per = (from: number | null | undefined, to: number | null | undefined) =>
      from === null || from === undefined || to === null || to === undefined ? null : (to - from) / online;
    const kinds = Object.entries(after.byKind ?? {});
    const [old, now] = [before.kernel?.objects, after.kernel?.objects];
    const grown = old && now ? grownObjects(old, now, MOST_OBJECTS) : [];
    const testerBytes = this.#receivers.reports.reduce((sum, { rssBytes }) => sum + rssBytes, 0);
    return {
      /** Resident memory of all the server's processes. */
      server: per(before.usage?.rssBytes, after.usage?.rssBytes),
      /** The same by kind of process, if the server was started for the run. */
      serverByKind: Object.fromEntries(
        kinds.map(([kind, bytes]) => [kind, per(before.byKind?.[kind] ?? 0, bytes)!]),
      ),
      /**
       * Kernel memory of this machine (slab and TCP buffers). If the server is on this machine, it includes both
       * ends of each connection; half of it is the server's.
       */
      kernel: per(kernelBytes(before.kernel), kernelBytes(after.kernel)),
      isKernelOfBothEnds: this.#context.isLocalServer,
      /** The kernel objects that grew most, if they are readable (as root). */
      kernelObjects: grown.map(({ name, bytes }) => ({ name, bytes: bytes / online })),
      tester: testerBytes / online,
    };
  }

  #holdResult(online: number) {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (this.#heldMs === null || !first || !last) return null;
    const growth = (of: (sample: HoldSample) => number | null) => {
      const [from, to] = [of(first), of(last)];
      return from === null || to === null || first === last ? null : to - from;
    };
    const cpu = growth((sample) => sample.cpuSeconds);
    const hours = (last.atMs - first.atMs) / MS_PER_HOUR;
    return {
      heldMs: this.#heldMs,
      /** At most a few hundred, independent of the duration. */
      samples: this.#samples,
      rssGrowthBytes: growth((sample) => sample.rssBytes),
      /** Server CPU per connection and hour while idle, mostly for heartbeats. */
      cpuMsPerConnectionHour: cpu === null || online === 0 ? null : (cpu / online / hours) * 1000,
    };
  }
}
