import { setTimeout as sleep } from "node:timers/promises";
import type { RunTools } from "../../cli/scenario.ts";
import { Audience, isOnThisMachine } from "../../receivers/audience.ts";
import { newRunId, StoredCopies } from "../../receivers/message-tag.ts";
import { allocateTally, Tally } from "../../receivers/tally.ts";
import { loadDialect } from "../../targets/plugins.ts";
import type { Prepared, Sender, Target } from "../../targets/target.ts";
import { plannedMessages, roundKinds, type BroadcastPlan, type RoundKind } from "./broadcast-plan.ts";
import {
  summarise,
  type BroadcastMeasurement,
  type BroadcastMessage,
  type SentBurst,
  type StoredCounts,
} from "./broadcast-summary.ts";
import { abortable, nowMs } from "./clock.ts";
import { GeneratorLoad } from "./generator-load.ts";
import { watchServer } from "./resource-use.ts";
import { SentMessages } from "./sent-messages.ts";
import type { NatsTraffic } from "./server-metrics.ts";
import { ServerSampler, unknownServer, type ServerResult } from "./server-samples.ts";

/** The server's work after the last arrival (acknowledgements, cleanup) still belongs to a burst. */
const SETTLE_MS = 250;
/** A shorter idle time says nothing about the server's CPU. */
const SHORTEST_IDLE_MS = 1000;
/** Duplicates can arrive after everything else. */
const DRAIN_MS = 300;

interface BroadcastContext extends RunTools {
  target: Target;
  prepared: Prepared;
  plan: BroadcastPlan;
  /** How many of the target's addresses the audience uses, in order; default: all. */
  spread?: number;
}

/**
 * Connects an audience, sends messages one at a time and then in bursts, and disconnects. On an abort signal,
 * the measurement has everything up to then.
 * @throws {ExitError} if someone could not be connected
 */
export async function measureBroadcast(context: BroadcastContext): Promise<BroadcastMeasurement> {
  const { transport } = await loadDialect(context.target.dialect);
  // The only client for long polling is the light one.
  const plan =
    transport === "long-poll" ? ({ ...context.plan, kind: "light", probes: 0 } as const) : context.plan;
  return new BroadcastRun({ ...context, plan }).measure();
}

class BroadcastRun {
  readonly #context: BroadcastContext;
  readonly #runId = newRunId();
  readonly #generator = new GeneratorLoad();
  readonly #sent: SentMessages;
  readonly #messages: BroadcastMessage[] = [];
  readonly #bursts: SentBurst[] = [];
  readonly #server = unknownServer();
  #sampler: ServerSampler | undefined;
  #connectMs: number | null = null;
  #stored: StoredCounts = { stored: null, storedTwice: null };

  constructor(context: BroadcastContext) {
    const { errors, plan } = context;
    this.#context = context;
    this.#sent = new SentMessages({ runId: this.#runId, payloadBytes: plan.payloadBytes, errors });
  }

  async measure(): Promise<BroadcastMeasurement> {
    const { plan, target, prepared, errors, signal, spread = target.urls.length } = this.#context;
    const audience = await Audience.start({
      ...plan,
      urls: target.urls.slice(0, spread),
      dialect: target.dialect,
      runId: this.#runId,
      tally: new Tally(allocateTally(plan.users, plannedMessages(plan), nowMs())),
    });
    let sender: Sender | undefined;
    try {
      await this.#connect(audience);
      sender = await target.openSender();
      this.#sampler = new ServerSampler({
        usage: () => target.usage(),
        totals: () => ({
          acknowledged: this.#sent.acknowledged.length,
          deliveries: audience.tally.deliveries,
        }),
        ...(target.isThrowaway ? { cpuSeconds: () => target.cpuSeconds() } : {}),
      });
      await this.#rounds(audience, sender);
      await this.#allBursts(audience, sender);
      await sleep(DRAIN_MS, undefined, { signal });
      for (const message of this.#messages) message.isOver = true;
      this.#stored = await this.#countStored();
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      if (this.#sampler) this.#server.samples = this.#sampler.samples();
      sender?.close();
      await audience.close();
      errors.addAll("connection", audience.errors);
    }
    return summarise({
      plan,
      target,
      registration: prepared.registration,
      audience,
      connectMs: this.#connectMs,
      messages: this.#messages,
      bursts: this.#bursts,
      ...this.#stored,
      server: this.#server,
      generator: this.#generator,
    });
  }

  async #countStored(): Promise<StoredCounts> {
    const { all, acknowledged } = this.#sent;
    const stored = new StoredCopies(this.#runId, all.length);
    const count = await this.#context.target.countStored(stored.add);
    if (count === null) return { stored: null, storedTwice: null };
    return { stored: stored.of(acknowledged), storedTwice: stored.further };
  }

  async #connect(audience: Audience): Promise<void> {
    const { plan, target, prepared, signal } = this.#context;
    this.#server.beforeConnect = await target.usage();
    const startedMs = nowMs();
    await audience.connectAll(prepared.credentials, this.#context);
    this.#connectMs = nowMs() - startedMs;
    await sleep(plan.idleMs, undefined, { signal });
    this.#server.connected = await target.usage();
    const before = this.#server.beforeConnect?.rssBytes;
    const after = this.#server.connected?.rssBytes;
    if (before && after) this.#server.rssPerConnectionBytes = (after - before) / plan.users;
  }

  async #rounds(audience: Audience, sender: Sender): Promise<void> {
    const { plan, target, progress, signal } = this.#context;
    const kinds = roundKinds(plan);
    const firstWarm = kinds.indexOf("warm");
    audience.measure(true);
    await audience.sampleLoads();
    let cpuByKind: Record<string, number> | null = null;
    let natsBefore: NatsTraffic | null = null;
    let samplingBefore = 0;
    let endWatch: Awaited<ReturnType<typeof watchServer>> | undefined;
    const isLocal = await isOnThisMachine(target.urls[0]!);
    const play = async () => {
      for (const [i, kind] of kinds.entries()) {
        if (kind === "cold") await this.#idle();
        else if (i > 0) await sleep(plan.intervalMs, undefined, { signal });
        if (i === firstWarm) {
          natsBefore = await target.natsTraffic();
          cpuByKind = target.cpuSecondsByKind();
          samplingBefore = this.#sampler!.cpuSeconds;
          endWatch = await watchServer(target, isLocal);
        }
        await this.#round(kind, audience, sender);
        await this.#sampler!.sampleIfDue();
      }
    };
    await progress.during("sending messages", kinds.length, () => this.#messages.length, play);
    const use = await endWatch?.();
    if (use && use.cpuSeconds !== null) {
      const cpuMs = (use.cpuSeconds - (this.#sampler!.cpuSeconds - samplingBefore)) * 1000;
      this.#server.cpuMsPerMessage = cpuMs / plan.messages;
      const idleRate = this.#server.idleCpuMsPerSecond;
      if (idleRate !== null) {
        const idleMs = (idleRate * use.durationMs) / 1000;
        this.#server.netCpuMsPerMessage = Math.max(0, cpuMs - idleMs) / plan.messages;
      }
      this.#generator.otherPrograms = use.otherProgramsCores;
    }
    this.#server.cpuMsPerMessageByKind = cpuPerMessage(cpuByKind, target.cpuSecondsByKind(), plan.messages);
    const natsAfter = natsBefore && (await target.natsTraffic());
    if (natsBefore && natsAfter) {
      const idle = target.urls.length - (this.#context.spread ?? target.urls.length);
      this.#server.natsPerMessage = natsPerMessage(natsBefore, natsAfter, idle, plan.messages);
    }
    this.#server.afterRounds = this.#sampler!.worst(await target.usage());
  }

  /** The time before the cold message: also measures what the idle server uses, if that is long enough. */
  async #idle(): Promise<void> {
    const { plan, target, signal } = this.#context;
    const [before, fromMs] = [await target.cpuSeconds(), nowMs()];
    await sleep(plan.idleMs, undefined, { signal });
    const idleMs = nowMs() - fromMs;
    if (idleMs < SHORTEST_IDLE_MS) return;
    const after = await target.cpuSeconds();
    if (before !== null && after !== null)
      this.#server.idleCpuMsPerSecond = ((after - before) * 1000) / (idleMs / 1000);
  }

  async #round(kind: RoundKind, audience: Audience, sender: Sender): Promise<void> {
    const { plan, signal } = this.#context;
    const before = await audience.sampleLoads();
    this.#generator.startRound();
    const message = this.#send(sender, kind);
    await audience.waitFor([message.index], plan.timeoutMs, signal, () => message.state === "failed");
    const deliveredMs = nowMs() - message.sentAtMs;
    this.#generator.endRound();
    const after = await audience.sampleLoads();
    message.testerDelayMs = this.#generator.delayMs(before, after);
    if (kind === "warm") this.#generator.addWarmRound(before, after, deliveredMs);
    await this.#endWait([message]);
  }

  async #allBursts(audience: Audience, sender: Sender): Promise<void> {
    const { plan, target, progress, signal } = this.#context;
    const sizes = plan.burst.flatMap((size) => Array.from({ length: plan.burstRepeats }, () => size));
    if (sizes.length === 0) return;
    const play = async () => {
      for (const size of sizes) {
        await sleep(plan.intervalMs, undefined, { signal });
        await this.#burst(size, audience, sender);
        await this.#sampler!.sampleIfDue();
      }
    };
    await progress.during("sending bursts", sizes.length, () => this.#bursts.length, play);
    this.#server.afterBursts = this.#sampler!.worst(await target.usage());
  }

  async #burst(size: number, audience: Audience, sender: Sender): Promise<void> {
    const { plan, target, signal } = this.#context;
    const cpuBefore = await target.cpuSeconds();
    const before = await audience.sampleLoads();
    this.#generator.startRound();
    const sentAtMs = nowMs();
    const messages = Array.from({ length: size }, () => this.#send(sender, "burst", sentAtMs));
    const burst: SentBurst = { messages, cpuSeconds: null, testerDelayMs: 0 };
    this.#bursts.push(burst);
    const isHopeless = () => messages.every((message) => message.state === "failed");
    await audience.waitFor(
      messages.map((message) => message.index),
      plan.timeoutMs,
      signal,
      isHopeless,
    );
    this.#generator.endRound();
    burst.testerDelayMs = this.#generator.delayMs(before, await audience.sampleLoads());
    await this.#endWait(messages);
    await sleep(SETTLE_MS, undefined, { signal });
    const cpuAfter = await target.cpuSeconds();
    if (cpuBefore !== null && cpuAfter !== null) burst.cpuSeconds = cpuAfter - cpuBefore;
  }

  /** The time for arrivals is up. Messages acknowledged later have until the end of the run. */
  async #endWait(messages: readonly BroadcastMessage[]): Promise<void> {
    for (const message of messages) message.isOver = message.state !== "sent";
    await abortable(Promise.all(messages.map(({ settled }) => settled)), this.#context.signal);
  }

  #send(sender: Sender, kind: BroadcastMessage["kind"], sentAtMs?: number): BroadcastMessage {
    const sent = this.#sent.send(sender, this.#context.plan.users, sentAtMs);
    const message = Object.assign(sent, { kind, testerDelayMs: 0 });
    this.#messages.push(message);
    return message;
  }
}

function cpuPerMessage(
  before: Record<string, number> | null,
  after: Record<string, number> | null,
  messages: number,
): Record<string, number> | null {
  if (!before || !after) return null;
  const entries = Object.entries(after).map(([kind, seconds]) => [
    kind,
    ((seconds - (before[kind] ?? 0)) * 1000) / messages,
  ]);
  return Object.fromEntries(entries) as Record<string, number>;
}

/** @param idle how many gateways have no members of the audience */
function natsPerMessage(
  before: NatsTraffic,
  after: NatsTraffic,
  idle: number,
  messages: number,
): ServerResult["natsPerMessage"] {
  const received = after.perGateway
    .map((count, i) => count - (before.perGateway[i] ?? 0))
    .sort((a, b) => a - b);
  const toIdleGateways = received.slice(0, idle).reduce((sum, count) => sum + count, 0);
  return { rooms: (after.rooms - before.rooms) / messages, toIdleGateways };
}
