import { setTimeout as sleep } from "node:timers/promises";
import { nowMs } from "../broadcast/clock.ts";
import type { ErrorTable } from "../broadcast/error-table.ts";
import { watchOtherPrograms } from "../broadcast/machine-load.ts";
import { percentiles } from "../broadcast/percentiles.ts";
import type { Platform } from "../../platform/platform.ts";
import { newRunId, taggedContent, taggedIndex } from "../../receivers/message-tag.ts";
import type { Progress } from "../../report/progress.ts";
import type { Api } from "../../targets/fanfare/api.ts";
import { openFanfareSender } from "../../targets/fanfare/fanfare-sender.ts";
import type { RegistrationResult } from "../../targets/registration.ts";
import type { Sender, ServerUsage } from "../../targets/target.ts";
import type { ConnectPlan } from "./connect-plan.ts";
import type { ConnectionBytes, ConnectMeasurement, CrowdMessage, HoldSample } from "./connect-result.ts";
import { Crowd } from "./crowd.ts";
import { logInOwner, type CrowdAccess } from "./crowd-access.ts";
import type { CrowdReport } from "./crowd-messages.ts";
import { grownObjects, readKernelMemory, type KernelMemory } from "./kernel-memory.ts";
import { memoryByKind } from "./memory-by-kind.ts";

const MOST_SAMPLES = 240;
const SHORTEST_SAMPLE_MS = 1000;
const MOST_OBJECTS = 10;
/** Duplicates can arrive after everything else. */
const DRAIN_MS = 300;
const MS_PER_HOUR = 3_600_000;
const PAGE_MESSAGES = 100;

/** The server under test. */
export interface CrowdServer {
  urls: readonly string[];
  platform: Platform | undefined;
  isLocal: boolean;
  api: Api;
  usage(): Promise<ServerUsage | null>;
  cpuSeconds(): Promise<number | null>;
}

export interface ConnectContext {
  server: CrowdServer;
  access: CrowdAccess;
  registration: RegistrationResult | null;
  plan: ConnectPlan;
  progress: Progress;
  errors: ErrorTable;
  signal: AbortSignal;
}

interface SentMessage {
  sentAtMs: number;
  ackMs: number | null;
  /** How many were online when it was sent. */
  online: number;
  isOver: boolean;
}

/** Memory of server and kernel at one moment. */
interface Snapshot {
  usage: ServerUsage | null;
  kernel: KernelMemory | null;
  byKind: Record<string, number> | null;
}

/**
 * Connects a crowd, holds the connections, sends messages and disconnects. Failed connections are part of the
 * result. On an abort signal, the measurement has everything up to then.
 */
export async function measureConnections(context: ConnectContext): Promise<ConnectMeasurement> {
  return new ConnectRun(context).measure();
}

class ConnectRun {
  readonly #context: ConnectContext;
  readonly #runId = newRunId();
  readonly #sent: SentMessage[] = [];
  readonly #samples: HoldSample[] = [];
  readonly #server: ConnectMeasurement["server"] = {
    beforeConnect: null,
    connected: null,
    afterHold: null,
    afterMessages: null,
  };
  #before: Snapshot | undefined;
  #connected: Snapshot | undefined;
  #connectMs: number | null = null;
  #connectCpuSeconds: number | null = null;
  #heldMs: number | null = null;
  #otherProgramsCores: number | null = null;
  #stored: number | null = null;

  constructor(context: ConnectContext) {
    this.#context = context;
  }

  async measure(): Promise<ConnectMeasurement> {
    const { plan, server, errors, signal } = this.#context;
    const crowd = new Crowd({ ...plan, urls: server.urls, dialect: "fanfare", runId: this.#runId });
    let reports: CrowdReport[] = [];
    let sender: Sender | undefined;
    try {
      await this.#connect(crowd);
      await this.#hold(crowd);
      if (plan.messages > 0 && crowd.online > 0) {
        const { access } = this.#context;
        const ownerToken = await logInOwner(server.api, access, signal);
        sender = await openFanfareSender(server.urls[0]!, ownerToken, access.channelId);
        await this.#sendAll(crowd, sender, ownerToken);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      sender?.close();
      // Not every process has a report if the run ended early.
      reports = await crowd.report().catch(() => []);
      await crowd.close();
    }
    for (const report of reports) {
      for (const [code, count] of Object.entries(report.errors)) errors.add("connect", code, count);
    }
    return this.#summarise(crowd, reports);
  }

  async #connect(crowd: Crowd): Promise<void> {
    const { plan, server, access, progress, signal } = this.#context;
    this.#before = await this.#snapshot();
    this.#server.beforeConnect = this.#before.usage;
    const cpuBefore = await server.cpuSeconds();
    const endWatch = server.platform && cpuBefore !== null ? watchOtherPrograms(cpuBefore) : undefined;
    const startedMs = nowMs();
    await progress.during(
      "connecting",
      plan.users,
      () => crowd.online,
      () => crowd.connect(access.tokens, signal),
    );
    this.#connectMs = nowMs() - startedMs;
    const cpuAfter = await server.cpuSeconds();
    if (cpuBefore !== null && cpuAfter !== null) this.#connectCpuSeconds = cpuAfter - cpuBefore;
    if (cpuAfter !== null) this.#otherProgramsCores = endWatch?.(cpuAfter) ?? null;
    await sleep(plan.settleMs, undefined, { signal });
    this.#connected = await this.#snapshot();
    this.#server.connected = this.#connected.usage;
  }

  async #hold(crowd: Crowd): Promise<void> {
    const { plan, server, progress, signal } = this.#context;
    const startedMs = nowMs();
    const everyMs = Math.max(SHORTEST_SAMPLE_MS, plan.holdMs / MOST_SAMPLES);
    const heldMs = () => nowMs() - startedMs;
    const sample = async () => {
      const usage = await server.usage();
      this.#samples.push({
        atMs: heldMs(),
        rssBytes: usage?.rssBytes ?? null,
        cpuSeconds: usage?.cpuSeconds ?? null,
        online: crowd.online - crowd.dropped,
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
    this.#server.afterHold = await server.usage();
  }

  async #sendAll(crowd: Crowd, sender: Sender, ownerToken: string): Promise<void> {
    const { plan, server, access, progress, signal } = this.#context;
    const { channelId } = access;
    const { head } = await server.api.call("message.list", { channelId, limit: 1 }, ownerToken, signal);
    crowd.measure(true);
    const work = async () => {
      for (let index = 0; index < plan.messages; index++) await this.#send(crowd, sender, index);
    };
    await progress.during("sending messages", plan.messages, () => this.#sent.length, work);
    await sleep(DRAIN_MS, undefined, { signal });
    crowd.measure(false);
    this.#server.afterMessages = await server.usage();
    const stored = new Set<number>();
    for (let after = head.seq, isLast = false; !isLast;) {
      const page = { channelId, after, limit: PAGE_MESSAGES };
      const { messages, hasMore } = await server.api.call("message.list", page, ownerToken, signal);
      for (const { content } of messages) stored.add(taggedIndex(this.#runId, content));
      after = messages.at(-1)?.seq ?? after;
      isLast = !hasMore;
    }
    this.#stored = this.#sent.filter(({ ackMs }, index) => ackMs !== null && stored.has(index)).length;
  }

  async #send(crowd: Crowd, sender: Sender, index: number): Promise<void> {
    const { plan, errors, signal } = this.#context;
    const online = crowd.online - crowd.dropped;
    const message: SentMessage = { sentAtMs: nowMs(), ackMs: null, online, isOver: false };
    this.#sent.push(message);
    let hasFailed = false;
    const settled = sender.send(taggedContent(this.#runId, index, plan.payloadBytes)).then(
      () => (message.ackMs = nowMs() - message.sentAtMs),
      (error: Error) => {
        hasFailed = true;
        errors.add("send", error.message);
      },
    );
    await crowd.waitFor(index, plan.timeoutMs, signal, () => hasFailed);
    await settled;
    message.isOver = true;
  }

  async #snapshot(): Promise<Snapshot> {
    const { platform } = this.#context.server;
    return {
      usage: await this.#context.server.usage(),
      kernel: readKernelMemory(),
      byKind: platform ? memoryByKind(platform) : null,
    };
  }

  #summarise(crowd: Crowd, reports: readonly CrowdReport[]): ConnectMeasurement {
    const { plan, server, registration, errors } = this.#context;
    const messages = this.#sent.map((message, index) => messageResult(message, index, reports));
    const sum = (of: (message: CrowdMessage) => number) =>
      messages.reduce((total, message) => total + of(message), 0);
    const online = crowd.online;
    const onlineMs = percentiles(Float64Array.from(reports.flatMap((r) => [...r.onlineMs])).sort());
    const cpu = this.#connectCpuSeconds;
    return {
      target: { name: "fanfare", url: server.urls.join(","), isThrowaway: server.platform !== undefined },
      users: plan.users,
      gateways: server.platform && server.platform.workers > 0 ? server.platform.gateways.length : null,
      workers: server.platform?.workers ? server.platform.workers : null,
      client: { processes: plan.processes, napMs: plan.napMs },
      registration,
      connection:
        this.#connectMs === null
          ? null
          : {
              users: online,
              durationMs: this.#connectMs,
              perSecond: online / (this.#connectMs / 1000),
              perServerCpuSecond: cpu === null || cpu <= 0 ? null : online / cpu,
              onlineMs,
            },
      bytesPerConnection: this.#bytesPerConnection(online, reports),
      hold: this.#holdResult(online),
      messages,
      counts: {
        online,
        gaveUp: crowd.gaveUp,
        dropped: crowd.dropped,
        resyncs: crowd.resyncs,
        sent: messages.length,
        acknowledged: this.#sent.filter(({ ackMs }) => ackMs !== null).length,
        stored: this.#stored,
        expected: this.#sent.reduce((total, message) => total + (isOwed(message) ? message.online : 0), 0),
        received: sum((message) => message.received),
        lost: sum((message) => message.lost),
        duplicates: sum((message) => message.duplicates),
        outOfOrder: sum((message) => message.outOfOrder),
        corrupted: reports.reduce((total, { corrupted }) => total + corrupted, 0),
      },
      server: this.#server,
      otherProgramsCores: this.#otherProgramsCores,
      errors: errors.rows(),
    };
  }

  #bytesPerConnection(online: number, reports: readonly CrowdReport[]): ConnectionBytes | null {
    const [before, after] = [this.#before, this.#connected];
    if (!before || !after || online === 0) return null;
    const per = (from: number | null | undefined, to: number | null | undefined) =>
      from === null || from === undefined || to === null || to === undefined ? null : (to - from) / online;
    const kernel = (memory: KernelMemory | null) => memory && memory.slabBytes + memory.tcpBufferBytes;
    const kinds = Object.entries(after.byKind ?? {});
    const [old, now] = [before.kernel?.objects, after.kernel?.objects];
    return {
      server: per(before.usage?.rssBytes, after.usage?.rssBytes),
      serverByKind:
        kinds.length === 0
          ? null
          : Object.fromEntries(kinds.map(([kind, bytes]) => [kind, per(before.byKind?.[kind] ?? 0, bytes)!])),
      kernel: per(kernel(before.kernel), kernel(after.kernel)),
      isKernelOfBothEnds: this.#context.server.isLocal,
      kernelObjects:
        old && now
          ? grownObjects(old, now, MOST_OBJECTS).map(({ name, bytes }) => ({ name, bytes: bytes / online }))
          : null,
      tester: reports.reduce((total, { rssBytes }) => total + rssBytes, 0) / online,
    };
  }

  #holdResult(online: number): ConnectMeasurement["hold"] {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (this.#heldMs === null || !first || !last) return null;
    const growth = (of: (sample: HoldSample) => number | null) => {
      const [from, to] = [of(first), of(last)];
      return from === null || to === null || first === last ? null : to - from;
    };
    const cpu = growth((sample) => sample.cpuSeconds);
    const hours = (last.atMs - first.atMs) / MS_PER_HOUR;
    return {
      plannedMs: this.#context.plan.holdMs,
      heldMs: this.#heldMs,
      samples: this.#samples,
      rssGrowthBytes: growth((sample) => sample.rssBytes),
      cpuSecondsPerConnectionHour: cpu === null || online === 0 ? null : cpu / online / hours,
    };
  }
}

/** Unacknowledged messages are not expected to arrive; messages within their timeout are not lost yet. */
function isOwed({ ackMs, isOver }: SentMessage): boolean {
  return ackMs !== null && isOver;
}

function messageResult(message: SentMessage, index: number, reports: readonly CrowdReport[]): CrowdMessage {
  const arrivals = Float64Array.from(
    reports.flatMap((report) => [...(report.arrivals[index] ?? [])]),
    (atMs) => atMs - message.sentAtMs,
  ).sort();
  const latencyMs = percentiles(arrivals);
  const lost = isOwed(message) ? Math.max(0, message.online - arrivals.length) : 0;
  const sum = (of: "duplicates" | "outOfOrder") =>
    reports.reduce((total, report) => total + (report[of][index] ?? 0), 0);
  return {
    ackMs: message.ackMs,
    p100Ms: lost === 0 && latencyMs && isOwed(message) ? latencyMs.p100 : null,
    latencyMs,
    received: arrivals.length,
    lost,
    duplicates: sum("duplicates"),
    outOfOrder: sum("outOfOrder"),
  };
}
