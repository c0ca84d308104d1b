import { setTimeout as sleep } from "node:timers/promises";
import {
  CLUSTER_OPTIONS,
  fraction,
  integer,
  names,
  PAYLOAD_OPTIONS,
  RECEIVER_OPTIONS,
  time,
  USERS_OPTION,
  type OptionValues,
} from "../cli/options.ts";
import type { RunTools } from "../cli/scenario.ts";
import { joined } from "../kernels/broadcast/broadcast-summary.ts";
import { nowMs, untilAborted, waitUntil } from "../kernels/broadcast/clock.ts";
import { openChannel } from "../kernels/broadcast/measured-channel.ts";
import { percentiles, sum, worst } from "../kernels/broadcast/percentiles.ts";
import { sampleThreadLoad } from "../kernels/broadcast/resource-use.ts";
import type { SentMessage } from "../kernels/broadcast/sent-messages.ts";
import { NOT_WATCHED, watchTester } from "../kernels/broadcast/tester-watch.ts";
import type { ClusterSize, Gateway } from "../platform/platform.ts";
import { StoredCopies } from "../receivers/message-tag.ts";
import { allocateTally, Tally } from "../receivers/tally.ts";
import type { FanfareTarget } from "../targets/fanfare/fanfare-target.ts";
import { openSdkMember, type SdkMember } from "./storm-members.ts";

/**
 * `rolling`: gateways are stopped one after the other, drain, and restart. `kill`: kill -9 of one gateway.
 * `all`: kill -9 of all of them in the same instant, so that all clients reconnect at once.
 */
const FAULTS = ["rolling", "kill", "all"] as const;
type Fault = (typeof FAULTS)[number];

export const STORM_OPTIONS = {
  ...CLUSTER_OPTIONS,
  gateways: { ...CLUSTER_OPTIONS.gateways, default: 2 },
  ...RECEIVER_OPTIONS,
  ...PAYLOAD_OPTIONS,
  users: USERS_OPTION,
  sdk: integer(
    "Receivers",
    "Users with the SDK, who know all gateways; the others are light receivers",
    [1, 500],
    { default: 20 },
  ),
  senders: integer("Messages", "Number of SDK users who send", [1, 500], { default: 4 }),
  rate: fraction("Messages", "Messages per second in total", { default: 5, max: 1000 }),
  steadyMs: time("Messages", "Time without a fault, as the baseline", { default: "5s", minMs: 1000 }),
  faults: names("Server", "rolling: gateways restart one by one; kill: kill -9 of one; all: of all at once", {
    default: FAULTS.join(","),
    known: FAULTS,
  }),
  timeoutMs: time("Server", "How long to wait, per fault, until all have recovered and messages are sent", {
    default: "60s",
    minMs: 1000,
  }),
};

export interface StormPlan extends Omit<
  OptionValues<typeof STORM_OPTIONS>,
  "gateways" | "workers" | "connecting" | "threads"
> {
  /** undefined: a single instance. */
  cluster: ClusterSize | undefined;
  threads: number;
}

/** More than any storm sends, because memory is allocated beforehand. */
export function mostMessages({ faults, cluster, rate, steadyMs, timeoutMs }: StormPlan): number {
  const outages = sum(faults.map((fault) => (fault === "rolling" ? (cluster?.gateways ?? 1) : 1)));
  const ms = steadyMs + outages * (timeoutMs + START_MS + QUIET_MS);
  return Math.ceil((ms / 1000) * rate) + 1;
}

/** The time a gateway may take to stop and restart. */
const START_MS = 15_000;
/** Between two faults. */
const QUIET_MS = 2000;
export const STEADY = "steady";
const POLL_MS = 5;
/** Messages sent shortly before a fault may still be in flight, and count as sent during it. */
const ON_THEIR_WAY_MS = 500;
/** For what is still in flight when sending ends. */
const LAST_ARRIVALS_MS = 20_000;
/** What the last retry of a message may take longer. */
const LAST_RETRY_MS = 15_000;

interface StormContext extends RunTools {
  target: Pick<FanfareTarget, "prepare" | "urls" | "dialect" | "meeting" | "platform" | "messages">;
  plan: StormPlan;
}

/** The steady time before, or one fault until all clients have recovered. */
const beginPhase = (name: string) => ({
  name,
  fromMs: nowMs(),
  toMs: Infinity,
  /** Connections that were lost. */
  moved: 0,
  /** Until the gateways answered again; null for the steady time. */
  serversBackMs: null as number | null,
  /** Until the last member had reconnected and caught up; null: not in time, or the steady time. */
  allBackMs: null as number | null,
  tester: NOT_WATCHED,
});
type Phase = ReturnType<typeof beginPhase>;

/** Gateways that go away at the same time. */
interface Outage {
  name: string;
  gateways: readonly Gateway[];
  /** SIGTERM, so that they drain; otherwise SIGKILL. */
  isGraceful: boolean;
}

export type StormMeasurement = Awaited<ReturnType<typeof measureStorm>>;
export type StormPhase = StormMeasurement["phases"][number];

/**
 * Members that keep a channel exact, messages at a steady rate, and gateways that go away meanwhile.
 * @throws {ExitError} if someone could not be connected
 */
export async function measureStorm({ target, plan, progress, signal, errors }: StormContext) {
  const [messages, lightMembers] = [mostMessages(plan), plan.users - plan.sdk];
  // Messages are sent during the whole of a fault.
  const sendGiveUpMs = plan.timeoutMs;
  const ofSdk = new Tally(allocateTally(plan.sdk, messages, nowMs()));
  const phases: Phase[] = [];
  const sdk: SdkMember[] = [];
  const stopping = new AbortController();
  let sending: Promise<void> | undefined;
  let stored: StoredCopies | undefined;
  let exactCopies: number | null = null;
  const prepared = await target.prepare(lightMembers, progress, signal);
  const channel = await openChannel({
    ...plan,
    target,
    errors,
    users: lightMembers,
    messages,
    // Reconnecting clients don't wait for each other.
    connecting: plan.users,
    exactChannel: target.meeting.channelId,
  });
  const { audience, sent, runId, tally: light } = channel;
  const tallies = [light, ofSdk];
  await untilAborted(signal, measure()).finally(async () => {
    await stopSending();
    for (const member of sdk) member.close();
    await channel.close();
  });
  return summarise();

  async function measure(): Promise<void> {
    await audience.connectAll(await prepared.credentials(), { progress, signal });
    const { code, channelId } = target.meeting;
    while (sdk.length < plan.sdk) {
      const receiver = sdk.length;
      const first = receiver % target.urls.length;
      const urls = [...target.urls.slice(first), ...target.urls.slice(0, first)];
      sdk.push(
        await openSdkMember({ urls, runId, code, channelId, tally: ofSdk, receiver, sendGiveUpMs, signal }),
      );
    }
    await storm();
    await compare();
  }

  async function storm(): Promise<void> {
    const { gateways } = target.platform!;
    const outages = plan.faults.flatMap((fault) => outagesOf(fault, gateways));
    audience.measure(true);
    sending = send();
    const playAll = async () => {
      await play(STEADY, () => sleep(plan.steadyMs, undefined, { signal }));
      await sleep(QUIET_MS, undefined, { signal });
      for (const outage of outages) {
        audience.renew(await prepared.credentials());
        await play(outage.name, (phase) => breakDown(outage, phase));
        await sleep(QUIET_MS, undefined, { signal });
      }
    };
    await progress.during("storm: phases", outages.length + 1, () => phases.length, playAll);
    await stopSending();
    await waitUntil(() => lost() === 0, LAST_ARRIVALS_MS, signal, POLL_MS);
  }

  /** At a steady rate, even while servers are down: latency is measured from the intended instant. */
  async function send(): Promise<void> {
    const startMs = nowMs();
    for (let i = 0; i < messages; i++) {
      const intendedMs = startMs + (i * 1000) / plan.rate;
      const waitMs = intendedMs - nowMs();
      if (waitMs > 0) await sleep(waitMs, undefined, { signal: stopping.signal });
      sent.send(sdk[i % plan.senders]!, plan.users, intendedMs);
    }
  }

  /** Waits, with a limit, until each message is acknowledged or has failed. */
  async function stopSending(): Promise<void> {
    stopping.abort();
    await sending?.catch(() => {});
    await waitUntil(() => sent.all.every(({ state }) => state !== "sent"), sendGiveUpMs + LAST_RETRY_MS);
  }

  async function play(name: string, work: (phase: Phase) => Promise<void>): Promise<void> {
    const phase = beginPhase(name);
    phases.push(phase);
    const movedBefore = audience.dropped;
    // The SDK's members, and the sending, are in this thread.
    const watch = await watchTester({
      sending: () => Promise.resolve([sampleThreadLoad()]),
      receiving: () => audience.sampleLoads(),
    });
    await work(phase);
    phase.moved = audience.dropped - movedBefore;
    phase.toMs = nowMs();
    phase.tester = await watch.end();
  }

  async function breakDown({ gateways, isGraceful }: Outage, phase: Phase): Promise<void> {
    await Promise.all(gateways.map(({ process }) => (isGraceful ? process.stop() : process.kill())));
    await Promise.all(gateways.map(({ process }) => process.start(signal)));
    phase.serversBackMs = nowMs() - phase.fromMs;
    const haveRecovered = () => audience.away === 0 && sdk.every((member) => member.isOnline);
    if (await waitUntil(haveRecovered, plan.timeoutMs, signal, POLL_MS))
      phase.allBackMs = nowMs() - phase.fromMs;
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

  /** Deliveries of acknowledged messages to members that don't have them. */
  function lost(): number {
    const missing = ({ index }: SentMessage) =>
      sum(tallies.map(({ memory }) => memory.receivers - Atomics.load(memory.received, index)));
    return sum(sent.acknowledged.map(missing));
  }

  /** Milliseconds from the intended sending until the last member had it; null: it did not reach everyone. */
  function untilLast({ index, sentAtMs }: SentMessage): number | null {
    return worst(tallies.map((tally) => tally.untilLast(index, sentAtMs)));
  }

  function summarise() {
    const { all, acknowledged } = sent;
    return {
      users: plan.users,
      /** null: a single instance. */
      gateways: plan.cluster?.gateways ?? null,
      sdkClients: plan.sdk,
      phases: phases.map(summarisePhase),
      counts: {
        sent: all.length,
        acknowledged: acknowledged.length,
        failed: all.filter(({ state }) => state === "failed").length,
        stored: stored?.found ?? null,
        storedTwice: stored?.further ?? null,
        /** Acknowledged but not in the database. */
        unstored: stored ? acknowledged.length - stored.of(acknowledged) : null,
        expected: acknowledged.length * plan.users,
        // Before the end it may be in flight.
        lost: stored ? lost() : 0,
        /** Events received twice: harmless, because clients apply them by id. */
        duplicates: sum(all.map(({ index }) => Atomics.load(light.memory.duplicates, index))),
        recovered: sum(all.map(({ index }) => light.recovered(index))),
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
    };
  }

  /** Acknowledged messages that were sent in this phase, or are hit by its fault. */
  function acknowledgedIn({ fromMs, toMs, serversBackMs }: Phase): SentMessage[] {
    const sentFromMs = fromMs - (serversBackMs === null ? 0 : ON_THEIR_WAY_MS);
    return sent.acknowledged.filter(({ sentAtMs }) => sentAtMs >= sentFromMs && sentAtMs < toMs);
  }

  /** Of each second of sending, until the last member had the worst of its messages; null: one did not reach everyone. */
  function secondsOf(phase: Phase): (number | null)[] {
    const second = ({ sentAtMs }: SentMessage) => Math.floor((sentAtMs - phase.fromMs) / 1000);
    const bySecond = Map.groupBy(acknowledgedIn(phase), second);
    return [...bySecond.values()].map((same) => worst(same.map(untilLast)));
  }

  function summarisePhase(phase: Phase) {
    const [acknowledged, secondsP100Ms] = [acknowledgedIn(phase), secondsOf(phase)];
    return {
      ...phase,
      /** From the intended sending to the acknowledgement, the maximum. */
      ackMaxMs: worst(acknowledged.map(({ ackMs }) => ackMs)),
      /** From the intended sending to the last member, the maximum; null: a message did not reach everyone. */
      p100Ms: worst(secondsP100Ms),
      secondsP100Ms,
      /** Of all deliveries to light members. */
      latencyMs: percentiles(
        joined(acknowledged.map(({ index, sentAtMs }) => light.latencies(index, sentAtMs))),
      ),
    };
  }
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
