import { setTimeout as sleep } from "node:timers/promises";
import type { RunTools } from "../../cli/scenario.ts";
import type { Gateway } from "../../platform/platform.ts";
import { Audience } from "../../receivers/audience.ts";
import { newRunId, StoredCopies } from "../../receivers/message-tag.ts";
import { allocateTally, Tally } from "../../receivers/tally.ts";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import type { ServerUsage } from "../../targets/target.ts";
import { nowMs } from "../broadcast/clock.ts";
import { busiestThread } from "../broadcast/resource-use.ts";
import { SentMessages, type SentMessage } from "../broadcast/sent-messages.ts";
import { openBalancer } from "./balancer.ts";
import { openSdkMember, stormArrivals, type SdkMember, type StormArrivals } from "./storm-members.ts";
import { mostMessages, QUIET_MS, startSending, type Fault, type StormPlan } from "./storm-plan.ts";

const POLL_MS = 5;
/** Messages sent shortly before a fault may still be in flight, and count as sent during it. */
const ON_THEIR_WAY_MS = 500;
/** For what is still in flight when sending ends. */
const LAST_ARRIVALS_MS = 20_000;

export interface StormContext extends RunTools {
  target: Pick<FanfareTarget, "prepare" | "urls" | "dialect" | "meeting" | "platform" | "messages" | "usage">;
  plan: StormPlan;
}

interface Phase {
  name: string;
  fromMs: number;
  toMs: number;
  movedBefore: number;
  moved: number;
  /** Until the gateways answered again; null for the steady time. */
  serversBackMs: number | null;
  /** Until the last member had reconnected and caught up; null: not in time, or the steady time. */
  allBackMs: number | null;
  receiverBusy: number | null;
}

export type StormMeasurement = Awaited<ReturnType<typeof measureStorm>>;

/**
 * Members that keep a channel exact, messages at a steady rate, and gateways that go away meanwhile.
 * @throws {ExitError} if someone could not be connected
 */
export async function measureStorm(context: StormContext) {
  const { target, plan, progress, signal, errors } = context;
  const runId = newRunId();
  const sent = new SentMessages({ runId, payloadBytes: plan.payloadBytes, errors });
  const tally = new Tally(allocateTally(plan.users - plan.sdk, mostMessages(plan), nowMs()));
  const phases: Phase[] = [];
  const sdk: SdkMember[] = [];
  let stopSending: () => Promise<void> = async () => {};
  let stored: StoredCopies | undefined;
  let exactCopies: number | null = null;
  let before: ServerUsage | null = null;
  let after: ServerUsage | null = null;
  const prepared = await target.prepare(plan.users - plan.sdk, progress, signal);
  const audience = await Audience.start({
    urls: target.urls,
    dialect: target.dialect,
    runId,
    tally,
    threads: plan.threads,
    // Reconnecting clients don't wait for each other.
    connecting: plan.users,
    napMs: plan.napMs,
    exactChannel: target.meeting.channelId,
  });
  const balancer = await openBalancer(target.urls);
  try {
    await audience.connectAll(prepared.credentials, context);
    await openSdk(balancer.url);
    before = await target.usage();
    await storm();
    after = await target.usage();
    await compare();
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await stopSending();
    for (const member of sdk) member.close();
    await audience.close();
    await balancer.close();
    errors.addAll("connection", audience.errors);
  }
  return summarise();

  async function openSdk(url: string): Promise<void> {
    const { code, channelId } = target.meeting;
    while (sdk.length < plan.sdk) sdk.push(await openSdkMember({ url, runId, code, channelId, signal }));
  }

  async function storm(): Promise<void> {
    const { gateways } = target.platform!;
    const outages = plan.faults.flatMap((fault) => outagesOf(fault, gateways));
    audience.measure(true);
    const senders = sdk.slice(0, plan.senders);
    const sending = { ...plan, messages: sent, senders, most: mostMessages(plan) };
    stopSending = startSending(sending);
    const playAll = async () => {
      await play("steady", () => sleep(plan.steadyMs, undefined, { signal }));
      await sleep(QUIET_MS, undefined, { signal });
      for (const outage of outages) {
        await play(outage.name, (phase) => breakDown(outage, phase));
        await sleep(QUIET_MS, undefined, { signal });
      }
    };
    await progress.during("storm: phases", outages.length + 1, () => phases.length, playAll);
    await stopSending();
    await waitUntil(LAST_ARRIVALS_MS, () => lost() === 0);
  }

  async function play(name: string, work: (phase: Phase) => Promise<void>): Promise<void> {
    const phase: Phase = {
      name,
      fromMs: nowMs(),
      toMs: Infinity,
      movedBefore: audience.dropped,
      moved: 0,
      serversBackMs: null,
      allBackMs: null,
      receiverBusy: null,
    };
    phases.push(phase);
    const loads = await audience.sampleLoads();
    await work(phase);
    phase.moved = audience.dropped - phase.movedBefore;
    phase.toMs = nowMs();
    phase.receiverBusy = busiestThread(loads, await audience.sampleLoads()).busy;
  }

  async function breakDown({ gateways, isGraceful }: Outage, phase: Phase): Promise<void> {
    await Promise.all(gateways.map(({ process }) => (isGraceful ? process.stop() : process.kill())));
    await Promise.all(gateways.map(({ process }) => process.start(signal)));
    phase.serversBackMs = nowMs() - phase.fromMs;
    const haveRecovered = () => audience.away === 0 && sdk.every((member) => member.isOnline);
    if (await waitUntil(plan.timeoutMs, haveRecovered)) phase.allBackMs = nowMs() - phase.fromMs;
  }

  /** Compares the SDK clients' copies with the database. */
  async function compare(): Promise<void> {
    const all = new StoredCopies(runId, sent.all.length);
    const ids: string[] = [];
    for await (const { id, content } of target.messages()) {
      ids.push(id);
      all.add(content);
    }
    stored = all;
    const copies = await Promise.all(sdk.map((member) => member.messageIds()));
    exactCopies = copies.filter((copy) => copy.join() === ids.join()).length;
  }

  async function waitUntil(timeoutMs: number, isDone: () => boolean): Promise<boolean> {
    const deadline = nowMs() + timeoutMs;
    while (!isDone()) {
      if (nowMs() >= deadline) return false;
      await sleep(POLL_MS, undefined, { signal });
    }
    return true;
  }

  function lost(): number {
    const arrivals = stormArrivals(tally, sdk);
    return sent.acknowledged.reduce((sum, message) => sum + arrivals.missing(message), 0);
  }

  function summarise() {
    const arrivals = stormArrivals(tally, sdk);
    const { all: messages, acknowledged } = sent;
    const results: StormPhase[] = [];
    for (const phase of phases)
      results.push(summarisePhase(phase, messages, arrivals, results[0]?.p100Ms ?? null));
    return {
      users: plan.users,
      /** null: a single instance. */
      gateways: plan.cluster?.gateways ?? null,
      sdkClients: plan.sdk,
      messagesPerSecond: plan.rate,
      phases: results,
      counts: {
        sent: messages.length,
        acknowledged: acknowledged.length,
        failed: messages.filter(({ state }) => state === "failed").length,
        stored: stored?.found ?? null,
        storedTwice: stored?.further ?? null,
        /** Acknowledged but not in the database. */
        unstored: stored ? acknowledged.length - stored.of(acknowledged) : null,
        expected: acknowledged.length * plan.users,
        // Before the end it may be in flight.
        lost: stored ? lost() : 0,
        /** Events received twice: harmless, because clients apply them by id. */
        duplicates: arrivals.duplicates(messages),
        recovered: arrivals.recovered(messages),
        moved: audience.dropped,
        resyncs: audience.resyncs,
        /** Members that had not recovered at the end. */
        away: audience.away,
      },
      /**
       * SDK clients whose copy of the channel has the same messages in the same order as the database; null: not
       * compared.
       */
      exactCopies,
      server: { before, after },
    };
  }
}

/** Gateways that go away at the same time. */
interface Outage {
  name: string;
  gateways: readonly Gateway[];
  /** SIGTERM, so that they drain; otherwise SIGKILL. */
  isGraceful: boolean;
}

function outagesOf(fault: Fault, gateways: readonly Gateway[]): Outage[] {
  switch (fault) {
    case "rolling":
      return gateways.map((gateway, i) => ({
        name: `rolling ${i + 1}`,
        gateways: [gateway],
        isGraceful: true,
      }));
    case "kill":
      return [{ name: "kill -9 one", gateways: gateways.slice(0, 1), isGraceful: false }];
    case "all":
      return [{ name: "all kill -9", gateways, isGraceful: false }];
  }
}

/** The steady time before, or one fault until all clients have recovered. */
export type StormPhase = ReturnType<typeof summarisePhase>;

function summarisePhase(
  phase: Phase,
  all: readonly SentMessage[],
  arrivals: StormArrivals,
  steadyP100Ms: number | null,
) {
  const { name, fromMs, serversBackMs, allBackMs, moved, receiverBusy } = phase;
  const toMs = Math.min(phase.toMs, nowMs());
  const sentFromMs = fromMs - (serversBackMs === null ? 0 : ON_THEIR_WAY_MS);
  const messages = all.filter(({ sentAtMs }) => sentAtMs >= sentFromMs && sentAtMs < toMs);
  const acknowledged = messages.filter(({ state }) => state === "acknowledged");
  const bySecond = Map.groupBy(acknowledged, ({ sentAtMs }) => Math.floor((sentAtMs - fromMs) / 1000));
  const secondsP100Ms = [...bySecond.values()].map((second) =>
    worst(second.map((message) => arrivals.untilLast(message))),
  );
  const isDisturbed = (p100: number | null) => p100 === null || p100 > steadyP100Ms!;
  return {
    name,
    /** Connections that were lost. */
    moved,
    serversBackMs,
    allBackMs,
    /** From the intended sending to the acknowledgement, the maximum. */
    ackMaxMs: worst(acknowledged.map(({ ackMs }) => ackMs)),
    /** From the intended sending to the last member, the maximum; null: a message did not reach everyone. */
    p100Ms: worst(secondsP100Ms),
    secondsP100Ms,
    /** Seconds that were worse than the worst of the steady time. */
    disturbedSeconds: steadyP100Ms === null ? null : secondsP100Ms.filter(isDisturbed).length,
    latencyMs: arrivals.latencies(acknowledged),
    receiverBusy,
  };
}

/** null if one is null, or there is none. */
export function worst(values: readonly (number | null)[]): number | null {
  return values.length === 0 || values.includes(null) ? null : Math.max(...(values as number[]));
}
