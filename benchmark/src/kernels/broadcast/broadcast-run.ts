import { setTimeout as sleep } from "node:timers/promises";
import type { RunTools } from "../../cli/scenario.ts";
import { loadDialect } from "../../targets/plugins.ts";
import type { Prepared, Sender, ServerUsage, Target } from "../../targets/target.ts";
import { plannedMessages, roundKinds, type BroadcastPlan } from "./broadcast-plan.ts";
import { summarise, type BroadcastMessage, type RunRecord, type SentBurst } from "./broadcast-summary.ts";
import { abortable, nowMs, untilAborted } from "./clock.ts";
import { NO_LOAD, roundLoad } from "./generator-load.ts";
import { openChannel } from "./measured-channel.ts";
import { difference, mapValues, sum } from "./percentiles.ts";
import { readingCost, usedSeconds, watchLoop, watchServer } from "./resource-use.ts";
import { unknownServer } from "./server-samples.ts";

/** Of the watch over this thread while a message is in flight. */
const TICK_MS = 1;
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
  /** CPU time that reading a server's metrics costs it; the operating system tells about a local one without that. */
  let readingSeconds = 0;
  const { dialect, urls } = target;
  const place = { dialect, urls: urls.slice(0, spread) };
  const channel = await openChannel({ ...plan, target: place, errors, messages: plannedMessages(plan) });
  const { audience, sent } = channel;
  const run: RunRecord = {
    plan,
    target,
    registration: prepared.registration,
    audience,
    connectMs: null,
    messages: [],
    bursts: [],
    stored: null,
    storedTwice: null,
    server: unknownServer(),
    otherProgramsCores: null,
  };
  const { server, messages, bursts } = run;
  let sender: Sender | undefined;
  await untilAborted(signal, measure()).finally(async () => {
    sender?.close();
    await channel.close();
  });
  return summarise(run);

  async function measure(): Promise<void> {
    await connect();
    sender = await target.openSender();
    await playRounds(sender);
    await playBursts(sender);
    await sleep(DRAIN_MS, undefined, { signal });
    for (const message of messages) message.isOver = true;
    if (!target.contents) return;
    const copies = await channel.stored(target.contents());
    run.stored = copies.of(sent.acknowledged);
    run.storedTwice = copies.further;
  }

  async function connect(): Promise<void> {
    const credentials = await prepared.credentials();
    server.beforeConnect = await target.usage();
    const startedMs = nowMs();
    await audience.connectAll(credentials, context);
    run.connectMs = nowMs() - startedMs;
    await sleep(plan.idleMs, undefined, { signal });
    server.connected = await target.usage();
    if (!target.isThrowaway) readingSeconds = await readingCost(() => target.cpuSeconds());
    const grown = difference(server.beforeConnect?.rssBytes, server.connected?.rssBytes);
    if (grown !== null) server.rssPerConnectionBytes = grown / plan.users;
  }

  async function playRounds(sender: Sender): Promise<void> {
    const kinds = roundKinds(plan);
    const firstWarm = kinds.indexOf("warm");
    audience.measure(true);
    await audience.sampleLoads();
    let endWarm: Awaited<ReturnType<typeof watchWarm>> | undefined;
    const play = async () => {
      for (const [i, kind] of kinds.entries()) {
        if (kind === "cold") await rest();
        else if (i > 0) await sleep(plan.intervalMs, undefined, { signal });
        if (i === firstWarm) endWarm = await watchWarm();
        await deliver(() => [send(sender, kind)]);
      }
    };
    await progress.during("sending messages", kinds.length, () => messages.length, play);
    await endWarm?.();
    server.afterRounds = await usageSince();
  }

  /** @returns ends the watch over what warm messages cost */
  async function watchWarm() {
    const natsBefore = await target.natsTraffic();
    const endWatch = await watchServer(target);
    return async () => {
      const use = await endWatch();
      run.otherProgramsCores = use.otherProgramsCores;
      const seconds = usedSeconds(0, use.cpuSeconds, readingSeconds);
      if (seconds !== null) {
        server.cpuMsPerMessage = (seconds * 1000) / plan.messages;
        const idleRate = server.idleCpuMsPerSecond;
        const netMs = seconds * 1000 - ((idleRate ?? 0) * use.durationMs) / 1000;
        if (idleRate !== null) server.netCpuMsPerMessage = Math.max(0, netMs) / plan.messages;
      }
      const byKind = use.cpuSecondsByKind;
      server.cpuMsPerMessageByKind = byKind && mapValues(byKind, (cpu) => (cpu * 1000) / plan.messages);
      const natsAfter = natsBefore && (await target.natsTraffic());
      if (!natsBefore || !natsAfter) return;
      const perGateway = natsAfter.perGateway.map((count, i) => count - (natsBefore.perGateway[i] ?? 0));
      const idle = target.urls.length - spread;
      server.natsPerMessage = {
        rooms: (natsAfter.rooms - natsBefore.rooms) / plan.messages,
        toIdleGateways: sum(perGateway.toSorted((a, b) => a - b).slice(0, idle)),
      };
    };
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

  /** Each reading of a remote server's CPU time resets its longest event-loop delay. */
  async function usageSince(): Promise<ServerUsage | null> {
    const usage = await target.usage();
    return usage && !target.isThrowaway ? { ...usage, eventLoopMaxMs: null } : usage;
  }

  /** Without what reading it costs; null: unknown. */
  async function cpuSince(before: number | null): Promise<number | null> {
    return usedSeconds(before, await target.cpuSeconds(), readingSeconds);
  }

  /** Sends messages in one instant, and waits until everyone has all of them. */
  async function deliver(sendAll: () => readonly BroadcastMessage[]): Promise<void> {
    const before = await audience.sampleLoads();
    const endLoop = watchLoop(TICK_MS);
    const all = sendAll();
    const isHopeless = () => all.every(({ state }) => state === "failed");
    const indexes = all.map(({ index }) => index);
    await audience.waitFor(indexes, plan.timeoutMs, signal, isHopeless);
    const loopDelayMs = endLoop();
    const tester = roundLoad(loopDelayMs, before, await audience.sampleLoads());
    // The time for arrivals is up. Messages acknowledged later have until the end of the run.
    for (const message of all) Object.assign(message, { tester, isOver: message.state !== "sent" });
    await abortable(Promise.all(all.map(({ settled }) => settled)), signal);
  }

  async function playBursts(sender: Sender): Promise<void> {
    const sizes = plan.burst.flatMap((size) => Array.from({ length: plan.burstRepeats }, () => size));
    if (sizes.length === 0) return;
    const play = async () => {
      for (const size of sizes) {
        await sleep(plan.intervalMs, undefined, { signal });
        await playBurst(size, sender);
      }
    };
    await progress.during("sending bursts", sizes.length, () => bursts.length, play);
    server.afterBursts = await usageSince();
  }

  async function playBurst(size: number, sender: Sender): Promise<void> {
    const cpuBefore = await target.cpuSeconds();
    const burst: SentBurst = { messages: [], cpuSeconds: null };
    await deliver(() => {
      const sentAtMs = nowMs();
      bursts.push(burst);
      burst.messages = Array.from({ length: size }, () => send(sender, "burst", sentAtMs));
      return burst.messages;
    });
    await sleep(SETTLE_MS, undefined, { signal });
    burst.cpuSeconds = await cpuSince(cpuBefore);
  }

  function send(sender: Sender, kind: BroadcastMessage["kind"], sentAtMs?: number): BroadcastMessage {
    const message = Object.assign(sent.send(sender, plan.users, sentAtMs), { kind, tester: NO_LOAD });
    messages.push(message);
    return message;
  }
}
