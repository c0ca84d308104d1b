import type { Audience } from "../../receivers/audience.ts";
import type { Tally } from "../../receivers/tally.ts";
import type { RegistrationResult } from "../../targets/registration.ts";
import type { Target } from "../../targets/target.ts";
import type { BroadcastPlan, RoundKind } from "./broadcast-plan.ts";
import { generatorResult, type RoundLoad, type Standstill } from "./generator-load.ts";
import { openPercentiles, percentiles, spread, worst } from "./percentiles.ts";
import { arrivalsOf, countsOf, deliveryOf, missingOf, type SentMessage } from "./sent-messages.ts";
import type { ServerResult } from "./server-samples.ts";

/** A message of the rounds or of a burst. */
export interface BroadcastMessage extends SentMessage {
  kind: RoundKind | "burst";
  /** While it was in flight. */
  tester: RoundLoad;
}

/** Messages that are sent in the same instant. */
export interface SentBurst {
  messages: BroadcastMessage[];
  cpuSeconds: number | null;
}

/** What is recorded while a broadcast is measured; null: unknown. */
export interface RunRecord {
  plan: BroadcastPlan;
  target: Target;
  registration: RegistrationResult | null;
  audience: Audience;
  connectMs: number | null;
  messages: BroadcastMessage[];
  bursts: SentBurst[];
  /** Acknowledged messages that are stored as they were sent, and further copies of stored messages. */
  stored: number | null;
  storedTwice: number | null;
  server: ServerResult;
  /** Cores used by unrelated programs during the warm messages. */
  otherProgramsCores: number | null;
}

/** One audience, connected once, and what it received. */
export type BroadcastMeasurement = ReturnType<typeof summarise>;

/** Turns the raw data into the result. Done at the end, so that late arrivals are recognized as such. */
export function summarise(record: RunRecord) {
  const { plan, target, audience, connectMs } = record;
  const { tally } = audience;
  const messages = record.messages.filter(({ kind }) => kind !== "burst");
  const rounds = messages.map((message) => roundResult(message, tally));
  const all = rounds.map((round, i) => ({ ...round, message: messages[i]! }));
  const warm = withoutDisturbed(all.filter(({ kind }) => kind === "warm"));
  const counted = warm.counted.map(({ message }) => message);
  const latencies = joined(counted.map(({ index, sentAtMs }) => tally.latencies(index, sentAtMs)));
  const times = warm.counted.filter(({ message }) => message.isOver).map(({ p100Ms }) => p100Ms);
  const bursts = record.bursts.map((burst) => burstResult(burst, tally));
  const sizes = [...Map.groupBy(bursts, (burst) => burst.messages)].map(([size, same]) => {
    return { size, ...withoutDisturbed(same) };
  });
  const onlineMs = audience.connections.onlineMs.filter((value) => value > 0).sort();
  const standstills = [
    ...rounds.flatMap(({ kind, isDisturbed, testerDelayMs: delayMs }): Standstill[] => {
      const during = FIRST_MESSAGES[kind];
      return isDisturbed && during !== undefined ? [{ during, delayMs, isLeftOut: true }] : [];
    }),
    ...sizes.flatMap(({ size, all: same, disturbed, areLeftOut }): Standstill[] => {
      const during = `${disturbed.length} of ${same.length} bursts of ${size} messages`;
      const delayMs = Math.max(...disturbed.map(({ testerDelayMs }) => testerDelayMs));
      return disturbed.length === 0 ? [] : [{ during, delayMs, isLeftOut: areLeftOut }];
    }),
  ];
  const { disturbed, areLeftOut } = warm;
  const loads = warm.all.map(({ message }) => message.tester);
  return {
    target: { name: target.name, url: target.urls.join(","), isThrowaway: target.isThrowaway },
    users: plan.users,
    client: { kind: plan.kind, probes: plan.probes, threads: plan.threads },
    registration: record.registration,
    connection:
      connectMs === null
        ? null
        : { perSecond: plan.users / (connectMs / 1000), onlineMs: percentiles(onlineMs) },
    counts: countAll(record),
    first: rounds.find((round) => round.kind === "first") ?? null,
    cold: rounds.find((round) => round.kind === "cold") ?? null,
    warm: {
      /** null if one of them did not reach everyone: leaving it out would make a worse server look better. */
      p100Ms: times.every(isNumber) ? spread(times) : null,
      ackMs: spread(counted.map(({ ackMs }) => ackMs).filter(isNumber)),
      latencyMs: openPercentiles(latencies, missingOf(counted, tally)),
      deliveries: latencies.length,
    },
    rounds,
    bursts: sizes.flatMap((of) =>
      of.all.map((burst) => ({ ...burst, isLeftOut: burst.isDisturbed && of.areLeftOut })),
    ),
    server: record.server,
    generator: generatorResult(
      { loads, disturbed: disturbed.length, areLeftOut },
      standstills,
      record.otherProgramsCores,
    ),
  };
}

const FIRST_MESSAGES: Partial<Record<RoundKind, string>> = {
  first: "the first message after connecting",
  cold: "the first message after an idle time",
};

/** A delay of the tester shorter than this, or than this share of the message's time, does not matter. */
const DELAY_MS = 5;
const DELAY_SHARE = 0.2;

/** What did not reach everyone always counts. */
function isDisturbed(testerDelayMs: number, p100Ms: number | null): boolean {
  return p100Ms !== null && testerDelayMs > Math.max(DELAY_MS, p100Ms * DELAY_SHARE);
}

/** Leaves out messages or bursts whose time is partly the tester's own, unless most are: then there is nothing better. */
function withoutDisturbed<T extends { isDisturbed: boolean }>(all: readonly T[]) {
  const disturbed = all.filter((one) => one.isDisturbed);
  const areLeftOut = disturbed.length > 0 && disturbed.length <= all.length / 2;
  return { all, disturbed, areLeftOut, counted: areLeftOut ? all.filter((one) => !one.isDisturbed) : all };
}

export type RoundResult = ReturnType<typeof roundResult>;

function roundResult(message: BroadcastMessage, tally: Tally) {
  const delivery = deliveryOf(message, tally);
  const testerDelayMs = message.tester.delayMs;
  return {
    kind: message.kind as RoundKind,
    ...delivery,
    testerDelayMs,
    /** That delay can have made the time longer: the message is left out of the warm figures. */
    isDisturbed: isDisturbed(testerDelayMs, delivery.p100Ms),
  };
}

/** Of several messages sent in the same instant. */
export type BurstResult = ReturnType<typeof burstResult>;

function burstResult({ messages, cpuSeconds }: SentBurst, tally: Tally) {
  const testerDelayMs = messages[0]!.tester.delayMs;
  const allMs = worst(messages.map(({ index, sentAtMs }) => tally.untilLast(index, sentAtMs)));
  const { received, lost } = arrivalsOf(messages, tally);
  return {
    messages: messages.length,
    /** Until all members had all of them; null if one never arrived. */
    allMs,
    lost,
    testerDelayMs,
    isDisturbed: isDisturbed(testerDelayMs, allMs),
    isLeftOut: false,
    deliveriesPerSecond: allMs === null ? null : received / (allMs / 1000),
    deliveriesPerCpuSecond: cpuSeconds !== null && cpuSeconds > 0 ? received / cpuSeconds : null,
  };
}

function countAll({ messages, audience, stored, storedTwice }: RunRecord) {
  const { tally, dropped, resyncs } = audience;
  return {
    ...countsOf(messages, tally),
    stored,
    storedTwice,
    /** Messages in the channel that are not of this run. */
    foreign: tally.memory.foreign[0]!,
    /** Connections that ended during the run; times that the server requested a resync. */
    dropped,
    resyncs,
  };
}

/** In ascending order. */
export function joined(arrays: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(arrays.reduce((length, array) => length + array.length, 0));
  let at = 0;
  for (const array of arrays) {
    all.set(array, at);
    at += array.length;
  }
  return all.sort();
}

function isNumber(value: number | null): value is number {
  return value !== null;
}
