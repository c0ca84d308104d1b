import { choice, integer, time, type OptionValues } from "../../cli/options.ts";
import type { RunContext } from "../../cli/scenario.ts";
import { placesOf } from "../../receivers/audience.ts";
import { newRunId } from "../../receivers/message-tag.ts";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import { nowMs } from "../broadcast/clock.ts";
import { percentiles } from "../broadcast/percentiles.ts";
import { watchServer } from "../broadcast/resource-use.ts";
import { settled } from "../requests/send-load.ts";
import { watchMemory } from "../requests/memory-watch.ts";
import { Counted, counted } from "../requests/request-memory.ts";
import type { Pace } from "../requests/request-threads.ts";
import { MAX_UNANSWERED_PER_CONNECTION } from "../requests/seats.ts";
import {
  hostileReads,
  MESSAGES_PER_CHANNEL,
  mixture,
  ofBystander,
  openMixThread,
  type MixThread,
  type OperationResult,
} from "./mix-thread.ts";

const USERS = 100;
const MIXED_FACTOR = 3;
/** `reads`: hostile readers within their limits. `mixed`: more of everything than the server can take. */
export const LOADS = {
  reads: "1, then 20 hostile guests read as fast as their limits allow",
  mixed: `messages, reads, connections and uploads at ${MIXED_FACTOR} times the capacity`,
} as const;

export const PRESSURE_OPTIONS = {
  load: choice(
    "Load",
    Object.entries(LOADS)
      .map(([name, text]) => `${name}: ${text}`)
      .join("; "),
    { default: "reads", choices: ["reads", "mixed"] },
  ),
  users: integer("Load", `Connections of the mixed load; default: ${USERS}`, [1, 1000], { alias: "u" }),
  durationMs: time("Load", "How long each phase lasts", { default: "60s", minMs: 1000, maxMs: 600_000 }),
};

type PressurePlan = OptionValues<typeof PRESSURE_OPTIONS>;

const HOSTILE = 20;
/** Far more than one user's limits allow. */
const HOSTILE_CALLS_PER_SECOND = 100;
const CHANNELS = 10;
const LONG_TEXT = "lorem ipsum ".repeat(330);
const QUIET_MS = 10_000;
const STEP_MS = 5000;
const IN_FLIGHT_STEPS = [16, 64, 256];
const AFTER_MS = 15_000;
/** Share of the capacity offered after the overload, to see when it is answered again. */
const AFTER_SHARE = 0.1;
const SETTLE_MS = 15_000;
const BYSTANDER: Pace = { kind: "open", perSecond: 7 };
const BYSTANDER_ADDRESS = "127.0.0.2";

export type PressureMeasurement = Awaited<ReturnType<typeof measurePressure>>;
export type PressurePhase = PressureMeasurement["phases"][number];

/** Phases of pressure on a server of this run's own, with a bystander through all of them. */
export async function measurePressure(
  target: FanfareTarget,
  plan: PressurePlan,
  { progress, signal }: RunContext,
) {
  const isHostile = plan.load === "reads";
  const loadUsers = isHostile ? HOSTILE : (plan.users ?? USERS);
  const { credentials } = await target.prepare(loadUsers + 1, progress, signal);
  const channelIds = await openChannels(target);
  if (isHostile) {
    const total = channelIds.length * MESSAGES_PER_CHANNEL;
    let written = 0;
    const write = () => fill(target, channelIds, () => written++);
    await progress.during("writing messages", total, () => written, write);
    // As in production: the tester's own servers allow a thousand times as much.
    await target.platform!.refresh(signal, { RATE_LIMIT_FACTOR: "1" });
  }
  const steps: Step[] = [];
  const { bystander, loads } = await mixThreads(
    target,
    plan.load,
    credentials as string[],
    channelIds,
    signal,
  );
  const threads = [bystander, ...loads];
  const services = watchMemory(target.platform!);
  let peak: number | null = null;
  let overloadedUntilMs = 0;
  let otherProgramsCores: number | null = null;
  try {
    for (const thread of threads) await thread.connect();
    const phases = isHostile ? 3 : IN_FLIGHT_STEPS.length + 2;
    const work = isHostile ? readHostilely : overloadMixed;
    await progress.during("phases", phases, () => steps.length, work);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return summarise();

  async function readHostilely(): Promise<void> {
    const rate = (guests: number) => open(HOSTILE_CALLS_PER_SECOND * guests);
    await play("bystander alone", Math.min(QUIET_MS, plan.durationMs), []);
    await play("1 hostile guest", plan.durationMs, [rate(1)]);
    await play(`${HOSTILE} hostile guests`, plan.durationMs, [rate(1), rate(HOSTILE - 1)]);
  }

  async function overloadMixed(): Promise<void> {
    const stepMs = Math.min(STEP_MS, plan.durationMs);
    for (const inFlight of IN_FLIGHT_STEPS) {
      await play(`${inFlight} at once`, stepMs, [{ kind: "closed", inFlight }]);
      const acknowledged = counted(loads[0]!.memories.at(-1)!, Counted.acknowledged);
      peak = Math.max(peak ?? 0, acknowledged / (stepMs / 1000));
    }
    const share = (part: number) => open(Math.max(1, Math.round(peak! * part)));
    await play("overload", plan.durationMs, [share(MIXED_FACTOR)]);
    overloadedUntilMs = nowMs();
    await play("afterwards", Math.min(AFTER_MS, plan.durationMs), [share(AFTER_SHARE)]);
  }

  async function play(name: string, durationMs: number, loops: readonly Pace[]): Promise<void> {
    const step: Step = {
      name,
      fromMs: nowMs(),
      toMs: 0,
      hasLoad: loops.length > 0,
      offeredPerSecond: sum(loops.map((loop) => (loop.kind === "open" ? loop.perSecond : 0))) || null,
      readyzOverloaded: 0,
      readyzAsked: 0,
      serverCores: null,
    };
    const endWatch = await watchServer(target);
    const asking = setInterval(() => void pollReadyz(step), 1000);
    try {
      const [span] = await Promise.all([
        bystander.run(durationMs, BYSTANDER),
        ...loads.map((thread, i) => thread.run(durationMs, loops[i])),
      ]);
      step.fromMs = span!.fromMs;
      step.toMs = span!.toMs;
    } finally {
      clearInterval(asking);
      step.toMs ||= nowMs();
      const use = await endWatch();
      step.serverCores = use.cores;
      otherProgramsCores = Math.max(otherProgramsCores ?? 0, use.otherProgramsCores ?? 0);
      steps.push(step);
    }
  }

  async function pollReadyz(step: Step): Promise<void> {
    const { metricsUrl } = target.platform!.gateways[0]!;
    const answer = await fetch(new URL("/readyz", metricsUrl), { signal: AbortSignal.timeout(SETTLE_MS) })
      .then((response) => response.text())
      .catch(() => null);
    step.readyzAsked += 1;
    if (answer === null || answer.includes("overloaded")) step.readyzOverloaded += 1;
  }

  async function summarise() {
    const deadlineMs = nowMs() + SETTLE_MS;
    for (const memory of threads.flatMap(({ memories }) => memories))
      await settled(memory, deadlineMs, signal).catch(() => {});
    services.stop();
    await Promise.all(threads.map((thread) => thread.close()));
    const phases = steps.map((step, i) => {
      const { fromMs, toMs, hasLoad, ...shown } = step;
      const durationMs = toMs - fromMs;
      const load = hasLoad ? resultsOf(loads, i) : [];
      const okPerSecond = sum(load.map(({ ok }) => ok)) / (durationMs / 1000);
      // Another user, from another address: five `user.me` and two `message.send` a second.
      return { ...shown, durationMs, okPerSecond, load, bystander: resultsOf([bystander], i) };
    });
    const overload = phases.find(({ name }) => name === "overload");
    const memory = services.result(steps[0]?.fromMs ?? 0, steps.at(-1)?.toMs ?? 0);
    const { beforeBytes, peakBytes } = memory;
    return {
      kind: plan.load,
      phases,
      /** `mixed`: successful requests per second in the best closed loop, and the share of that under overload. */
      peakPerSecond: peak,
      goodputShare: overload === undefined || !peak ? null : overload.okPerSecond / peak,
      /** `mixed`: from the end of the overload until no request failed or took longer than a second. */
      recoveredAfterMs: !isHostile && phases.at(-1)?.name === "afterwards" ? recovery() : null,
      /** From the first phase to the last. */
      memory,
      /** Cores used by unrelated programs, in the phase with most. */
      otherProgramsCores,
      memoryGrowthBytes: peakBytes === null || beforeBytes === null ? null : peakBytes - beforeBytes,
    };
  }

  /** Until the last bad request after the overload; null: some were bad up to the end. */
  function recovery(): number | null {
    const last = steps.length - 1;
    const badMs = Math.max(...threads.map((thread) => thread.lastBadMs(last)));
    if (badMs === 0) return 0;
    const { fromMs, toMs } = steps[last]!;
    return badMs > toMs - (toMs - fromMs) / 3 ? null : badMs - overloadedUntilMs;
  }
}

async function openChannels({ api, meeting }: FanfareTarget): Promise<string[]> {
  const { groupId, ownerToken, channelId } = meeting;
  const ids = [channelId];
  while (ids.length < CHANNELS) {
    const { channel } = await api.call("channel.create", { groupId, name: `room-${ids.length}` }, ownerToken);
    ids.push(channel.id);
  }
  return ids;
}

async function fill(
  { api, meeting }: FanfareTarget,
  channelIds: readonly string[],
  done: () => void,
): Promise<void> {
  const one = async (channelId: string): Promise<void> => {
    for (let i = 0; i < MESSAGES_PER_CHANNEL; i += 1) {
      const message = { channelId, content: LONG_TEXT, nonce: `fill-${channelId}-${i}` };
      await api.call("message.send", message, meeting.ownerToken);
      done();
    }
  };
  await Promise.all(channelIds.map(one));
}

const open = (perSecond: number): Pace => ({ kind: "open", perSecond });

/** The connections of the bystander, and of those who make the load: first one hostile guest, then the others. */
async function mixThreads(
  target: FanfareTarget,
  load: PressurePlan["load"],
  tokens: readonly string[],
  channelIds: readonly string[],
  signal: AbortSignal,
) {
  const runId = newRunId();
  const place = await placesOf(target, runId);
  const shared = { ...place, maxUnanswered: MAX_UNANSWERED_PER_CONNECTION, reopens: true };
  const bystander = {
    ...shared,
    tokens: tokens.slice(-1),
    localAddresses: [BYSTANDER_ADDRESS],
    calls: ofBystander(channelIds[0]!),
  };
  const calls = load === "reads" ? hostileReads(target.meeting.groupId, channelIds) : mixture(channelIds);
  const shares = load === "reads" ? [tokens.slice(0, 1), tokens.slice(1, -1)] : [tokens.slice(0, -1)];
  return {
    bystander: openMixThread(bystander, signal),
    loads: shares.map((share, i) =>
      openMixThread({ ...shared, runId: `${runId}${i}`, tokens: share, calls }, signal),
    ),
  };
}

interface Step {
  name: string;
  fromMs: number;
  toMs: number;
  hasLoad: boolean;
  /** Requests offered per second; null: a closed loop, or only the bystander. */
  offeredPerSecond: number | null;
  /** How often /readyz reported overload, and how often it was asked (once a second). */
  readyzOverloaded: number;
  readyzAsked: number;
  /** Cores used on average. */
  serverCores: number | null;
}

function resultsOf(threads: readonly MixThread[], phase: number) {
  const results = new Map<string, OperationResult>();
  for (const thread of threads) thread.count(phase, results);
  return [...results.values()].map(({ okMs, ...result }) => {
    return { ...result, ok: okMs.length, okMs: percentiles(Float64Array.from(okMs).sort()) };
  });
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
