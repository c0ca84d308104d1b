import { setTimeout as sleep } from "node:timers/promises";
import type { RunTools } from "../../cli/scenario.ts";
import { Audience } from "../../receivers/audience.ts";
import { newRunId, StoredCopies } from "../../receivers/message-tag.ts";
import { allocateTally, Tally } from "../../receivers/tally.ts";
import { loadDialect } from "../../targets/plugins.ts";
import type { Prepared, Sender, Target } from "../../targets/target.ts";
import { plannedMessages, roundKinds, type BroadcastPlan, type RoundKind } from "./broadcast-plan.ts";
import { summarise, type BroadcastMessage, type SentBurst, type StoredCounts } from "./broadcast-summary.ts";
import { abortable, nowMs, untilAborted } from "./clock.ts";
import { GeneratorLoad } from "./generator-load.ts";
import { mapValues, sum } from "./percentiles.ts";
import { readingCost, usedSeconds, watchServer } from "./resource-use.ts";
import { SentMessages } from "./sent-messages.ts";
import type { NatsTraffic } from "./server-metrics.ts";
import { ServerSampler, unknownServer, type ServerResult } from "./server-samples.ts";

/** The server's work after the last arrival (acknowledgements, cleanup) still belongs to a burst. */
const SETTLE_MS = 250;
/** A shorter idle time says nothing about the server's CPU. */
export const SHORTEST_IDLE_MS = 1000;
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
export async function measureBroadcast(context: BroadcastContext) {
  const { target, prepared, progress, errors, signal, spread = context.target.urls.length } = context;
  const { transport } = await loadDialect(target.dialect);
  // The only client for long polling is the light one.
  const plan: BroadcastPlan =
    transport === "long-poll" ? { ...context.plan, kind: "light", probes: 0 } : context.plan;
  const runId = newRunId();
  const generator = new GeneratorLoad();
  const sent = new SentMessages({ runId, payloadBytes: plan.payloadBytes, errors });
  const messages: BroadcastMessage[] = [];
  const bursts: SentBurst[] = [];
  const server = unknownServer();
  /** CPU time that reading a server's metrics costs it; the operating system tells about a local one without that. */
  let readingSeconds = 0;
  let connectMs: number | null = null;
  let onlineAtMs = 0;
  let stored: StoredCounts = { stored: null, storedTwice: null };
  const audience = await Audience.start({
    ...plan,
    urls: target.urls.slice(0, spread),
    dialect: target.dialect,
    runId,
    tally: new Tally(allocateTally(plan.users, plannedMessages(plan), nowMs())),
  });
  const sampler = new ServerSampler({
    usage: () => target.usage(),
    totals: () => ({ acknowledged: sent.acknowledged.length, deliveries: audience.tally.deliveries }),
    readingSeconds: () => readingSeconds,
    ...(target.isThrowaway ? { cpuSeconds: () => target.cpuSeconds() } : {}),
  });
  let sender: Sender | undefined;
  await untilAborted(signal, measure()).finally(async () => {
    server.samples = sampler.samples(onlineAtMs);
    sender?.close();
    await audience.close();
    errors.addAll("connection", audience.errors);
  });
  const { registration } = prepared;
  return summarise({
    plan,
    target,
    registration,
    audience,
    connectMs,
    messages,
    bursts,
    ...stored,
    server,
    generator,
  });

  async function measure(): Promise<void> {
    await connect();
    sender = await target.openSender();
    await playRounds(sender);
    await playBursts(sender);
    await sleep(DRAIN_MS, undefined, { signal });
    for (const message of messages) message.isOver = true;
    if (!target.contents) return;
    const copies = new StoredCopies(runId, sent.all.length);
    await copies.addAll(target.contents());
    stored = { stored: copies.of(sent.acknowledged), storedTwice: copies.further };
  }

  async function connect(): Promise<void> {
    const credentials = await prepared.credentials();
    server.beforeConnect = await target.usage();
    const startedMs = nowMs();
    await audience.connectAll(credentials, context);
    onlineAtMs = nowMs();
    connectMs = onlineAtMs - startedMs;
    await sleep(plan.idleMs, undefined, { signal });
    server.connected = await target.usage();
    if (!target.isThrowaway) readingSeconds = await readingCost(() => target.cpuSeconds());
    const before = server.beforeConnect?.rssBytes;
    const after = server.connected?.rssBytes;
    if (before && after) server.rssPerConnectionBytes = (after - before) / plan.users;
  }

  async function playRounds(sender: Sender): Promise<void> {
    const kinds = roundKinds(plan);
    const firstWarm = kinds.indexOf("warm");
    audience.measure(true);
    await audience.sampleLoads();
    let cpuByKind: Record<string, number> | null = null;
    let natsBefore: NatsTraffic | null = null;
    let samplingBefore = 0;
    let endWatch: Awaited<ReturnType<typeof watchServer>> | undefined;
    const play = async () => {
      for (const [i, kind] of kinds.entries()) {
        if (kind === "cold") await rest();
        else if (i > 0) await sleep(plan.intervalMs, undefined, { signal });
        if (i === firstWarm) {
          natsBefore = await target.natsTraffic();
          cpuByKind = target.cpuSecondsByKind();
          samplingBefore = sampler.cpuSeconds;
          endWatch = await watchServer(target);
        }
        await playRound(kind, sender);
        await sampler.sampleIfDue();
      }
    };
    await progress.during("sending messages", kinds.length, () => messages.length, play);
    const use = await endWatch?.();
    if (use && use.cpuSeconds !== null) {
      const reading = readingSeconds + sampler.cpuSeconds - samplingBefore;
      const cpuMs = usedSeconds(0, use.cpuSeconds, reading)! * 1000;
      server.cpuMsPerMessage = cpuMs / plan.messages;
      const idleRate = server.idleCpuMsPerSecond;
      if (idleRate !== null) {
        const idleMs = (idleRate * use.durationMs) / 1000;
        server.netCpuMsPerMessage = Math.max(0, cpuMs - idleMs) / plan.messages;
      }
      generator.otherPrograms = use.otherProgramsCores;
    }
    const [kindsBefore, kindsAfter] = [cpuByKind as Record<string, number> | null, target.cpuSecondsByKind()];
    if (kindsBefore && kindsAfter)
      server.cpuMsPerMessageByKind = mapValues(
        kindsAfter,
        (seconds, kind) => ((seconds - (kindsBefore[kind] ?? 0)) * 1000) / plan.messages,
      );
    const natsAfter = natsBefore && (await target.natsTraffic());
    if (natsBefore && natsAfter) {
      const idle = target.urls.length - spread;
      server.natsPerMessage = natsPerMessage(natsBefore, natsAfter, idle, plan.messages);
    }
    server.afterRounds = sampler.worst(await target.usage());
  }

  /** The time before the cold message: also measures what the idle server uses, if that is long enough. */
  async function rest(): Promise<void> {
    const [before, fromMs] = [await target.cpuSeconds(), nowMs()];
    await sleep(plan.idleMs, undefined, { signal });
    const idleMs = nowMs() - fromMs;
    if (idleMs < SHORTEST_IDLE_MS) return;
    const idleSeconds = await cpuSince(before);
    if (idleSeconds !== null) server.idleCpuMsPerSecond = (idleSeconds * 1000) / (idleMs / 1000);
  }

  /** Without what reading it costs; null: unknown. */
  async function cpuSince(before: number | null): Promise<number | null> {
    return usedSeconds(before, await target.cpuSeconds(), readingSeconds);
  }

  async function playRound(kind: RoundKind, sender: Sender): Promise<void> {
    const before = await audience.sampleLoads();
    generator.startRound();
    const message = send(sender, kind);
    await audience.waitFor([message.index], plan.timeoutMs, signal, () => message.state === "failed");
    const deliveredMs = nowMs() - message.sentAtMs;
    generator.endRound();
    const after = await audience.sampleLoads();
    message.testerDelayMs = generator.delayMs(before, after);
    if (kind === "warm") generator.addWarmRound(before, after, deliveredMs);
    await endWait([message]);
  }

  async function playBursts(sender: Sender): Promise<void> {
    const sizes = plan.burst.flatMap((size) => Array.from({ length: plan.burstRepeats }, () => size));
    if (sizes.length === 0) return;
    const play = async () => {
      for (const size of sizes) {
        await sleep(plan.intervalMs, undefined, { signal });
        await playBurst(size, sender);
        await sampler.sampleIfDue();
      }
    };
    await progress.during("sending bursts", sizes.length, () => bursts.length, play);
    server.afterBursts = sampler.worst(await target.usage());
  }

  async function playBurst(size: number, sender: Sender): Promise<void> {
    const cpuBefore = await target.cpuSeconds();
    const before = await audience.sampleLoads();
    generator.startRound();
    const sentAtMs = nowMs();
    const all = Array.from({ length: size }, () => send(sender, "burst", sentAtMs));
    const burst: SentBurst = { messages: all, cpuSeconds: null, testerDelayMs: 0 };
    bursts.push(burst);
    const isHopeless = () => all.every((message) => message.state === "failed");
    const indexes = all.map((message) => message.index);
    await audience.waitFor(indexes, plan.timeoutMs, signal, isHopeless);
    generator.endRound();
    burst.testerDelayMs = generator.delayMs(before, await audience.sampleLoads());
    await endWait(all);
    await sleep(SETTLE_MS, undefined, { signal });
    burst.cpuSeconds = await cpuSince(cpuBefore);
  }

  /** The time for arrivals is up. Messages acknowledged later have until the end of the run. */
  async function endWait(all: readonly BroadcastMessage[]): Promise<void> {
    for (const message of all) message.isOver = message.state !== "sent";
    await abortable(Promise.all(all.map(({ settled }) => settled)), signal);
  }

  function send(sender: Sender, kind: BroadcastMessage["kind"], sentAtMs?: number): BroadcastMessage {
    const message = Object.assign(sent.send(sender, plan.users, sentAtMs), { kind, testerDelayMs: 0 });
    messages.push(message);
    return message;
  }
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
  return { rooms: (after.rooms - before.rooms) / messages, toIdleGateways: sum(received.slice(0, idle)) };
}
