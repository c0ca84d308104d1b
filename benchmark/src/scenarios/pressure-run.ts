import { choice, integer, time, type OptionValues } from "../cli/options.ts";
import type { RunContext } from "../cli/scenario.ts";
import { placesOf } from "../receivers/audience.ts";
import { newRunId } from "../receivers/message-tag.ts";
import type { FanfareTarget } from "../targets/fanfare/fanfare-target.ts";
import { nowMs, untilAborted } from "../kernels/broadcast/clock.ts";
import { openPercentiles, sum } from "../kernels/broadcast/percentiles.ts";
import { NOT_WATCHED, watchTester } from "../kernels/broadcast/tester-watch.ts";
import { settled } from "../kernels/requests/send-load.ts";
import { watchMemory } from "../kernels/requests/memory-watch.ts";
import { ackTimesWithin, Counted, counted } from "../kernels/requests/request-memory.ts";
import type { Pace } from "../kernels/requests/request-threads.ts";
import { MAX_UNANSWERED_PER_CONNECTION } from "../kernels/requests/seats.ts";
import { openMixThread, UNANSWERED, type MixPhase } from "../kernels/requests/mix-thread.ts";
import type { MixedCall } from "../kernels/requests/mix-operation.ts";

/** For the hostile readers: some 5 MB of the longest texts. */
const MESSAGES_PER_CHANNEL = 120;
const UPLOAD_BYTES = 10_000;

type Params = readonly Record<string, unknown>[];

const call = (weight: number, action: string, params: Params, name = action): MixedCall => {
  return { name, weight, kind: "call", action, params };
};

/** The most expensive requests a guest can make. */
function hostileReads(groupId: string, channelIds: readonly string[]): MixedCall[] {
  const around = Math.ceil(MESSAGES_PER_CHANNEL / 2);
  const cursors = channelIds.map((channelId) => ({ channelId, afterRev: 0 }));
  const pages = channelIds.map((channelId) => ({ channelId, around, limit: 100 }));
  return [
    call(3, "channel.sync", [{ cursors }]),
    call(3, "message.list", pages),
    call(2, "message.search", [{ groupId, text: "lorem ipsum" }]),
    call(2, "no.such", [{}], "unknown action"),
  ];
}

function mixture(channelIds: readonly string[]): MixedCall[] {
  const messages = channelIds.map((channelId) => ({ channelId, content: "hello ".repeat(15) }));
  const pages = channelIds.map((channelId) => ({ channelId, limit: 50 }));
  const file = { channelId: channelIds[0], name: "notes.txt", bytes: UPLOAD_BYTES };
  return [
    call(10, "message.send", messages),
    call(4, "message.list", pages),
    call(3, "user.me", [{}]),
    { name: "connect", weight: 2, kind: "connect" },
    { name: "file.upload", weight: 1, kind: "upload", params: [file] },
  ];
}

function ofBystander(channelId: string): MixedCall[] {
  return [call(5, "user.me", [{}]), call(2, "message.send", [{ channelId, content: "hello" }])];
}

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
/** A delay that users hardly notice. */
const SLOW_MS = 1000;
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
  const runId = newRunId();
  const shared = {
    ...(await placesOf(target, runId)),
    maxUnanswered: MAX_UNANSWERED_PER_CONNECTION,
    reopens: true,
  };
  const tokens = (await credentials()) as string[];
  // Another user, from another address: five `user.me` and two `message.send` a second.
  const bystander = openMixThread(
    {
      ...shared,
      tokens: tokens.slice(-1),
      localAddresses: [BYSTANDER_ADDRESS],
      calls: ofBystander(channelIds[0]!),
    },
    signal,
  );
  const calls = isHostile ? hostileReads(target.meeting.groupId, channelIds) : mixture(channelIds);
  const shares = isHostile ? [tokens.slice(0, 1), tokens.slice(1, -1)] : [tokens.slice(0, -1)];
  /** First one hostile guest, then the others. */
  const loads = shares.map((share, i) =>
    openMixThread({ ...shared, runId: `${runId}${i}`, tokens: share, calls }, signal),
  );
  const threads = [bystander, ...loads];
  const steps: Step[] = [];
  const services = watchMemory(target.platform!);
  let peak: number | null = null;
  let overloadedUntilMs = 0;
  await untilAborted(signal, measure());
  return summarise();

  async function measure(): Promise<void> {
    for (const thread of threads) await thread.connect();
    const phases = isHostile ? 3 : IN_FLIGHT_STEPS.length + 2;
    const work = isHostile ? readHostilely : overloadMixed;
    await progress.during("phases", phases, () => steps.length, work);
  }

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
      const acknowledged = counted(steps.at(-1)!.loads[0]!.memory, Counted.acknowledged);
      peak = Math.max(peak ?? 0, acknowledged / (stepMs / 1000));
    }
    const share = (part: number) => open(Math.max(1, Math.round(peak! * part)));
    await play("overload", plan.durationMs, [share(MIXED_FACTOR)]);
    overloadedUntilMs = nowMs();
    await play("afterwards", Math.min(AFTER_MS, plan.durationMs), [share(AFTER_SHARE)]);
  }

  async function play(name: string, durationMs: number, paces: readonly Pace[]): Promise<void> {
    const step = beginStep(
      name,
      paces,
      bystander.phase(durationMs, BYSTANDER),
      paces.map((pace, i) => loads[i]!.phase(durationMs, pace)),
    );
    const sampleLoads = async () => (await Promise.all(threads.map((thread) => thread.sampleLoads()))).flat();
    const watch = await watchTester({ sending: sampleLoads, server: target });
    try {
      const [span] = await Promise.all([step.bystander, ...step.loads].map((phase) => phase.run()));
      step.fromMs = span!.fromMs;
      step.toMs = span!.toMs;
    } finally {
      step.toMs ||= nowMs();
      const { server, ...tester } = await watch.end();
      step.serverCores = server!.cores;
      step.tester = tester;
      steps.push(step);
    }
  }

  async function summarise() {
    const played = steps.flatMap((step) => [step.bystander, ...step.loads]);
    await Promise.all(played.map(({ memory }) => settled(memory, SETTLE_MS, signal).catch(() => {})));
    services.stop();
    await Promise.all(threads.map((thread) => thread.close()));
    const phases = steps.map(({ fromMs, toMs, ...step }) => {
      const durationMs = toMs - fromMs;
      const load = resultsOf(step.loads, (failure) => UNANSWERED.includes(failure));
      // Answers after the phase are in the table, but not in the rate.
      const answered = step.loads.map(({ memory }) =>
        ackTimesWithin(memory, { from: 0, to: memory.requests, fromMs, toMs }),
      );
      const okPerSecond = sum(answered.map(({ length }) => length)) / (durationMs / 1000);
      return { ...step, durationMs, okPerSecond, load, seen: resultsOf([step.bystander], () => true) };
    });
    const overload = phases.find(({ name }) => name === "overload");
    const memory = services.result(steps[0]?.fromMs ?? 0, steps.at(-1)?.toMs ?? 0);
    const { beforeBytes, peakBytes } = memory;
    const last = steps.at(-1);
    return {
      kind: plan.load,
      phases,
      /** `mixed`: successful requests per second in the best closed loop, and the share of that under overload. */
      peakPerSecond: peak,
      goodputShare: overload === undefined || !peak ? null : overload.okPerSecond / peak,
      recoveredAfterMs: last?.name === "afterwards" ? recoveryIn(last, overloadedUntilMs) : null,
      /** From the first phase to the last. */
      memory,
      memoryGrowthBytes: peakBytes === null || beforeBytes === null ? null : peakBytes - beforeBytes,
    };
  }
}

/** From the end of the overload until no request failed or took longer than a second; null: some did up to the end. */
function recoveryIn({ fromMs, toMs, bystander, loads }: Step, overloadedUntilMs: number): number | null {
  let badMs = 0;
  for (const phase of [bystander, ...loads])
    for (const { failure, tookMs, intendedAtMs } of phase.outcomes())
      // What is unanswered is as bad as what failed.
      if (failure !== undefined || tookMs > SLOW_MS) badMs = Math.max(badMs, intendedAtMs);
  if (badMs === 0) return 0;
  return badMs > toMs - (toMs - fromMs) / 3 ? null : badMs - overloadedUntilMs;
}

async function openChannels({ api, meeting }: FanfareTarget): Promise<string[]> {
  const { groupId, owner, channelId } = meeting;
  const ids = [channelId];
  while (ids.length < CHANNELS) {
    const room = { groupId, name: `room-${ids.length}` };
    const { channel } = await api.call("channel.create", room, await owner.token());
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
      await api.call("message.send", message, await meeting.owner.token());
      done();
    }
  };
  await Promise.all(channelIds.map(one));
}

const open = (perSecond: number): Pace => ({ kind: "open", perSecond });

const beginStep = (name: string, paces: readonly Pace[], bystander: MixPhase, loads: MixPhase[]) => ({
  name,
  fromMs: nowMs(),
  toMs: 0,
  /** Requests offered per second; null: a closed loop, or only the bystander. */
  offeredPerSecond: sum(paces.map((pace) => (pace.kind === "open" ? pace.perSecond : 0))) || null,
  /** Cores used on average. */
  serverCores: null as number | null,
  tester: NOT_WATCHED,
  bystander,
  loads,
});
type Step = ReturnType<typeof beginStep>;

/**
 * By kind of request.
 * @param isSlow whether a request with this failure counts as the slowest, rather than in no time
 */
export function resultsOf(
  phases: readonly Pick<MixPhase, "names" | "outcomes">[],
  isSlow: (failure: string) => boolean,
) {
  const names = new Set(phases.flatMap((phase) => phase.names));
  const nothing = () => ({ intended: 0, okMs: [] as number[], failures: {} as Record<string, number> });
  const results = new Map([...names].map((name) => [name, { name, ...nothing() }]));
  for (const phase of phases)
    for (const { name, tookMs, failure } of phase.outcomes()) {
      const result = results.get(name)!;
      result.intended++;
      if (failure === undefined) result.okMs.push(tookMs);
      else result.failures[failure] = (result.failures[failure] ?? 0) + 1;
    }
  return [...results.values()].map(({ okMs, ...result }) => {
    const slow = Object.entries(result.failures).filter(([failure]) => isSlow(failure));
    const missing = sum(slow.map(([, times]) => times));
    return { ...result, ok: okMs.length, okMs: openPercentiles(Float64Array.from(okMs).sort(), missing) };
  });
}
