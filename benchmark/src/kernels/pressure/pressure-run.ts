import { choice, integer, time, type OptionValues } from "../../cli/options.ts";
import type { RunContext } from "../../cli/scenario.ts";
import { placesOf } from "../../receivers/audience.ts";
import { newRunId } from "../../receivers/message-tag.ts";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import { nowMs } from "../broadcast/clock.ts";
import { watchServer } from "../broadcast/resource-use.ts";
import { settled } from "../requests/send-load.ts";
import { MemoryWatch } from "../requests/memory-watch.ts";
import { Counted, counted } from "../requests/request-memory.ts";
import type { Pace } from "../requests/request-threads.ts";
import { MAX_UNANSWERED_PER_CONNECTION } from "../requests/seats.ts";
import {
  hostileReads,
  MESSAGES_PER_CHANNEL,
  MixThread,
  mixture,
  ofBystander,
  type OperationCount,
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

export interface PressurePlan extends OptionValues<typeof PRESSURE_OPTIONS> {
  gatewayThreads: number;
}

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
  const { load, users = USERS } = plan;
  const loadUsers = load === "reads" ? HOSTILE : users;
  const { credentials } = await target.prepare(loadUsers + 1, progress, signal);
  const tokens = credentials as string[];
  const channelIds = await openChannels(target);
  if (load === "reads") {
    const total = channelIds.length * MESSAGES_PER_CHANNEL;
    let written = 0;
    const write = () => fill(target, channelIds, () => written++);
    await progress.during("writing messages", total, () => written, write);
    // As in production: the tester's own servers allow a thousand times as much.
    await target.platform!.refresh(signal, { RATE_LIMIT_FACTOR: "1" });
  }
  const run = new PressureRun(target, plan, signal);
  try {
    await run.open(tokens.slice(0, loadUsers), tokens.at(-1)!, channelIds);
    const phases = load === "reads" ? 3 : IN_FLIGHT_STEPS.length + 2;
    await progress.during(
      "phases",
      phases,
      () => run.phases,
      () => run.measure(),
    );
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return run.summarise();
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

class PressureRun {
  readonly #target: FanfareTarget;
  readonly #plan: PressurePlan;
  readonly #signal: AbortSignal;
  readonly #steps: Step[] = [];
  readonly #loads: MixThread[] = [];
  readonly #bystanders: MixThread[] = [];
  #memory: MemoryWatch | undefined;
  #peak: number | null = null;
  #overloadedUntilMs = 0;

  constructor(target: FanfareTarget, plan: PressurePlan, signal: AbortSignal) {
    this.#target = target;
    this.#plan = plan;
    this.#signal = signal;
  }

  get phases(): number {
    return this.#steps.length;
  }

  async open(tokens: readonly string[], bystander: string, channelIds: readonly string[]): Promise<void> {
    const runId = newRunId();
    const shared = {
      ...(await placesOf(this.#target, runId)),
      maxUnanswered: MAX_UNANSWERED_PER_CONNECTION,
      reopens: true,
    };
    const calls = ofBystander(channelIds[0]!);
    const alone = { ...shared, tokens: [bystander], localAddresses: [BYSTANDER_ADDRESS], calls };
    this.#bystanders.push(new MixThread(alone, this.#signal));
    const { groupId } = this.#target.meeting;
    const isHostile = this.#plan.load === "reads";
    const mix = isHostile ? hostileReads(groupId, channelIds) : mixture(channelIds);
    // First one hostile guest, then nineteen more.
    const shares = isHostile ? [tokens.slice(0, 1), tokens.slice(1)] : [tokens];
    for (const [i, share] of shares.entries()) {
      const setup = { ...shared, runId: `${runId}${i}`, tokens: share, calls: mix };
      this.#loads.push(new MixThread(setup, this.#signal));
    }
    for (const thread of this.#threads) await thread.connect();
  }

  async measure(): Promise<void> {
    const { load, durationMs: phaseMs } = this.#plan;
    this.#memory = new MemoryWatch(this.#target.platform!);
    const open = (perSecond: number): Pace => ({ kind: "open", perSecond });
    if (load === "reads") {
      const rate = (guests: number) => open(HOSTILE_CALLS_PER_SECOND * guests);
      await this.#phase("bystander alone", Math.min(QUIET_MS, phaseMs), []);
      await this.#phase("1 hostile guest", phaseMs, [rate(1)]);
      await this.#phase(`${HOSTILE} hostile guests`, phaseMs, [rate(1), rate(HOSTILE - 1)]);
      return;
    }
    const stepMs = Math.min(STEP_MS, phaseMs);
    for (const inFlight of IN_FLIGHT_STEPS) {
      await this.#phase(`${inFlight} at once`, stepMs, [{ kind: "closed", inFlight }]);
      const acknowledged = counted(this.#loads[0]!.memories.at(-1)!, Counted.acknowledged);
      this.#peak = Math.max(this.#peak ?? 0, acknowledged / (stepMs / 1000));
    }
    const share = (part: number) => open(Math.max(1, Math.round(this.#peak! * part)));
    await this.#phase("overload", phaseMs, [share(MIXED_FACTOR)]);
    this.#overloadedUntilMs = nowMs();
    await this.#phase("afterwards", Math.min(AFTER_MS, phaseMs), [share(AFTER_SHARE)]);
  }

  async #phase(name: string, durationMs: number, loops: readonly Pace[]): Promise<void> {
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
    const endWatch = await watchServer(this.#target);
    const asking = setInterval(() => void this.#pollReadyz(step), 1000);
    try {
      const [span] = await Promise.all([
        ...this.#bystanders.map((thread) => thread.run(durationMs, BYSTANDER)),
        ...this.#loads.map((thread, i) => thread.run(durationMs, loops[i])),
      ]);
      step.fromMs = span!.fromMs;
      step.toMs = span!.toMs;
    } finally {
      clearInterval(asking);
      step.toMs ||= nowMs();
      step.serverCores = (await endWatch()).cores;
      this.#steps.push(step);
    }
  }

  async #pollReadyz(step: Step): Promise<void> {
    const { metricsUrl } = this.#target.platform!.gateways[0]!;
    const answer = await fetch(new URL("/readyz", metricsUrl), { signal: AbortSignal.timeout(SETTLE_MS) })
      .then((response) => response.text())
      .catch(() => null);
    step.readyzAsked += 1;
    if (answer === null || answer.includes("overloaded")) step.readyzOverloaded += 1;
  }

  async summarise() {
    const deadlineMs = nowMs() + SETTLE_MS;
    for (const memory of this.#threads.flatMap(({ memories }) => memories))
      await settled(memory, deadlineMs, this.#signal).catch(() => {});
    this.#memory?.stop();
    await Promise.all(this.#threads.map((thread) => thread.close()));
    const phases = this.#steps.map((step, i) => {
      const { fromMs, toMs, hasLoad, ...shown } = step;
      const durationMs = toMs - fromMs;
      const load = hasLoad ? resultsOf(this.#loads, i) : [];
      const okPerSecond = sum(load.map(({ ok }) => ok)) / (durationMs / 1000);
      // Another user, from another address: five `user.me` and two `message.send` a second.
      const bystander = resultsOf(this.#bystanders, i);
      return { ...shown, durationMs, okPerSecond, load, bystander };
    });
    const isMixed = this.#plan.load === "mixed";
    const overload = phases.find(({ name }) => name === "overload");
    const memory = this.#memory!.result(this.#steps[0]?.fromMs ?? 0, this.#steps.at(-1)?.toMs ?? 0);
    const { beforeBytes, peakBytes } = memory;
    return {
      kind: this.#plan.load,
      gatewayThreads: this.#plan.gatewayThreads,
      phases,
      /** `mixed`: successful requests per second in the best closed loop, and the share of that under overload. */
      peakPerSecond: this.#peak,
      goodputShare: overload === undefined || !this.#peak ? null : overload.okPerSecond / this.#peak,
      /** `mixed`: from the end of the overload until no request failed or took longer than a second. */
      recoveredAfterMs: isMixed && phases.at(-1)?.name === "afterwards" ? this.#recovery() : null,
      /** From the first phase to the last. */
      memory,
      memoryGrowthBytes: peakBytes === null || beforeBytes === null ? null : peakBytes - beforeBytes,
    };
  }

  get #threads(): MixThread[] {
    return [...this.#bystanders, ...this.#loads];
  }

  /** Until the last bad request after the overload; null: some were bad up to the end. */
  #recovery(): number | null {
    const last = this.#steps.length - 1;
    const badMs = Math.max(...this.#threads.map((thread) => thread.lastBadMs(last)));
    if (badMs === 0) return 0;
    const { fromMs, toMs } = this.#steps[last]!;
    return badMs > toMs - (toMs - fromMs) / 3 ? null : badMs - this.#overloadedUntilMs;
  }
}

function resultsOf(threads: readonly MixThread[], phase: number): OperationResult[] {
  const counts = new Map<string, OperationCount>();
  for (const thread of threads) thread.count(phase, counts);
  return [...counts.values()].map(({ result }) => result);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
