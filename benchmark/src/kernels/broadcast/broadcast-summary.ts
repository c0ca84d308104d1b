import type { Audience } from "../../receivers/audience.ts";
import type { RegistrationResult } from "../../targets/registration.ts";
import type { Target } from "../../targets/target.ts";
import type { BroadcastPlan, RoundKind } from "./broadcast-plan.ts";
import type { GeneratorLoad, Standstill } from "./generator-load.ts";
import { bucketsOf, openPercentiles, percentiles, spread, type Spread } from "./percentiles.ts";
import { arrivalsOf, countsOf, deliveryOf, missingOf, type SentMessage } from "./sent-messages.ts";
import type { ServerResult } from "./server-samples.ts";

/** A message of the rounds or of a burst. */
export interface BroadcastMessage extends SentMessage {
  kind: RoundKind | "burst";
  testerDelayMs: number;
}

export interface SentBurst {
  messages: BroadcastMessage[];
  cpuSeconds: number | null;
  testerDelayMs: number;
}

/** null: not counted. */
export interface StoredCounts {
  /** Acknowledged messages that are stored as they were sent. */
  stored: number | null;
  /** Further copies of stored messages. */
  storedTwice: number | null;
}

export interface RunRecord extends StoredCounts {
  plan: BroadcastPlan;
  target: Target;
  registration: RegistrationResult | null;
  audience: Audience;
  connectMs: number | null;
  messages: readonly BroadcastMessage[];
  bursts: readonly SentBurst[];
  server: ServerResult;
  generator: GeneratorLoad;
}

/** One audience, connected once, and what it received. */
export type BroadcastMeasurement = ReturnType<typeof summarise>;

/** Turns the raw data into the result. Done at the end, so that late arrivals are recognized as such. */
export function summarise(record: RunRecord) {
  const { plan, target, audience, connectMs } = record;
  const rounds = record.messages
    .filter((message) => message.kind !== "burst")
    .map((m) => roundResult(m, audience));
  const warm = rounds.filter((round) => round.kind === "warm");
  const { counted, disturbed, areLeftOut } = withoutDisturbed(record.messages, audience);
  const warmLatencies = joined(counted.map((m) => audience.tally.latencies(m.index, m.sentAtMs)));
  const p100Ms = headlineOf(counted, audience);
  const bursts = withoutDisturbedBursts(record.bursts.map((burst) => burstResult(burst, audience)));
  const online = audience.connections.onlineMs.filter((value) => value > 0);
  return {
    target: { name: target.name, url: target.urls.join(","), isThrowaway: target.isThrowaway },
    users: plan.users,
    client: { kind: plan.kind, probes: plan.probes, threads: plan.threads },
    registration: record.registration,
    connection:
      connectMs === null
        ? null
        : {
            perSecond: plan.users / (connectMs / 1000),
            onlineMs: percentiles(Float64Array.from(online).sort()),
          },
    counts: countAll(record),
    first: rounds.find((round) => round.kind === "first") ?? null,
    cold: rounds.find((round) => round.kind === "cold") ?? null,
    warm: {
      p100Ms,
      ackMs: spread(counted.map((message) => message.ackMs).filter(isNumber)),
      latencyMs: openPercentiles(warmLatencies, missingOf(counted, audience.tally)),
      histogram: bucketsOf(warmLatencies),
    },
    rounds,
    bursts,
    server: record.server,
    generator: record.generator.result({ messages: warm.length, disturbed, areLeftOut }, [
      ...standstillOfFirst(rounds),
      ...standstillsOfBursts(bursts),
    ]),
  };
}

/** A delay of the tester shorter than this, or than this share of the message's time, does not matter. */
const DELAY_MS = 5;
const DELAY_SHARE = 0.2;

function isDisturbed(testerDelayMs: number, p100Ms: number | null): boolean {
  return p100Ms !== null && testerDelayMs > Math.max(DELAY_MS, p100Ms * DELAY_SHARE);
}

/**
 * Warm messages, without those whose time is partly the tester's own. Messages that did not reach everyone always count, and so
 * do all if most are disturbed: then there is nothing better.
 */
function withoutDisturbed(
  messages: readonly BroadcastMessage[],
  audience: Audience,
): { counted: BroadcastMessage[]; disturbed: number; areLeftOut: boolean } {
  const warm = messages.filter(({ kind }) => kind === "warm");
  const undisturbed = warm.filter((message) => !roundResult(message, audience).isDisturbed);
  const areLeftOut = undisturbed.length >= warm.length / 2;
  return {
    counted: areLeftOut ? undisturbed : warm,
    disturbed: warm.length - undisturbed.length,
    areLeftOut: areLeftOut && undisturbed.length < warm.length,
  };
}

const FIRST_MESSAGES: Partial<Record<RoundKind, string>> = {
  first: "the first message after connecting",
  cold: "the first message after an idle time",
};

function standstillOfFirst(rounds: readonly RoundResult[]): Standstill[] {
  return rounds.flatMap(({ kind, isDisturbed: isLeftOut, testerDelayMs: delayMs }) => {
    const during = FIRST_MESSAGES[kind];
    return isLeftOut && during !== undefined ? [{ during, delayMs, isLeftOut }] : [];
  });
}

/** Disturbed bursts are left out like messages, unless most of their size are disturbed. */
function withoutDisturbedBursts(bursts: readonly BurstResult[]): BurstResult[] {
  return bursts.map((burst) => {
    const same = bursts.filter(({ messages }) => messages === burst.messages);
    const undisturbed = same.filter(({ isDisturbed: is }) => !is).length;
    return { ...burst, isLeftOut: burst.isDisturbed && undisturbed >= same.length / 2 };
  });
}

function standstillsOfBursts(bursts: readonly BurstResult[]): Standstill[] {
  return [...Map.groupBy(bursts, ({ messages }) => messages)].flatMap(([size, same]) => {
    const disturbed = same.filter(({ isDisturbed: is }) => is);
    if (disturbed.length === 0) return [];
    return [
      {
        during: `${disturbed.length} of ${same.length} bursts of ${size} messages`,
        delayMs: Math.max(...disturbed.map(({ testerDelayMs }) => testerDelayMs)),
        isLeftOut: disturbed[0]!.isLeftOut,
      },
    ];
  });
}

/** null if one of them did not reach everyone: leaving it out would make a worse server look better. */
function headlineOf(messages: readonly BroadcastMessage[], audience: Audience): Spread | null {
  const p100s = messages.filter(({ isOver }) => isOver).map((m) => roundResult(m, audience).p100Ms);
  const known = p100s.filter(isNumber);
  return known.length === p100s.length ? spread(known) : null;
}

export type RoundResult = ReturnType<typeof roundResult>;

function roundResult(message: BroadcastMessage, { tally }: Audience) {
  const { kind, testerDelayMs } = message;
  const delivery = deliveryOf(message, tally);
  return {
    kind: kind as RoundKind,
    ...delivery,
    /** The longest time for which the tester itself stood still while the message was in flight. */
    testerDelayMs,
    /** That delay can have made the time longer: the message is left out of the warm figures. */
    isDisturbed: isDisturbed(testerDelayMs, delivery.p100Ms),
  };
}

/** Of several messages sent in the same instant. */
export type BurstResult = ReturnType<typeof burstResult>;

function burstResult({ messages, cpuSeconds, testerDelayMs }: SentBurst, audience: Audience) {
  const isComplete = messages.every((message) => audience.tally.isComplete(message.index));
  const last = (message: SentMessage) =>
    audience.tally.latencies(message.index, message.sentAtMs).at(-1) ?? 0;
  const allMs = isComplete ? Math.max(...messages.map(last)) : null;
  const { received, lost } = arrivalsOf(messages, audience.tally);
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
