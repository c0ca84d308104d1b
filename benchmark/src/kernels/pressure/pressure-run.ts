import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { LatencyHistogram } from "../load/latency-histogram.ts";
import { nowMs } from "../broadcast/clock.ts";
import { MemoryWatch } from "../overload/memory-watch.ts";
import { addressOf } from "../../receivers/audience.ts";
import { newRunId } from "../../receivers/message-tag.ts";
import type { RunContext } from "../../cli/scenario.ts";
import type { Api } from "../../targets/fanfare/api.ts";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import type {
  CallLoop,
  CallOperation,
  CallSetup,
  FromCallThread,
  OperationReport,
  ToCallThread,
} from "./call-messages.ts";
import {
  judgePressure,
  type OperationResult,
  type PressureMeasurement,
  type PressurePhase,
} from "./pressure-result.ts";

export interface PressurePlan {
  kind: PressureMeasurement["kind"];
  /** Connections that make the load under `mixed`. */
  users: number;
  factor: number;
  /** Of one phase of pressure. */
  phaseMs: number;
  gatewayThreads: number;
}

const HOSTILE = 20;
/** Far more than one user's limits allow. */
const HOSTILE_CALLS_PER_SECOND = 100;
const CHANNELS = 10;
/** For the hostile readers: some 5 MB of the longest texts. */
const MESSAGES_PER_CHANNEL = 120;
const LONG_TEXT = "lorem ipsum ".repeat(330);
const QUIET_MS = 10_000;
const STEP_MS = 5000;
const IN_FLIGHT_STEPS = [16, 64, 256];
const AFTER_MS = 15_000;
/** Share of the capacity offered after the overload, to see when it is answered again. */
const AFTER_SHARE = 0.1;
const SETTLE_MS = 15_000;
const BYSTANDER: CallLoop = { kind: "open", perSecond: 7 };
const BYSTANDER_ADDRESS = "127.0.0.2";
const UPLOAD_BYTES = 10_000;

/** Phases of pressure on a server of this run's own, with a bystander through all of them. */
export async function measurePressure(
  target: FanfareTarget,
  api: Api,
  plan: PressurePlan,
  { progress, errors, signal }: RunContext,
): Promise<PressureMeasurement> {
  const loadUsers = plan.kind === "reads" ? HOSTILE : plan.users;
  const { credentials } = await target.prepare(loadUsers + 1, progress, signal);
  const tokens = credentials as string[];
  const channelIds = await openChannels(target, api);
  if (plan.kind === "reads") {
    const total = channelIds.length * MESSAGES_PER_CHANNEL;
    let written = 0;
    await progress.during(
      "writing messages",
      total,
      () => written,
      () => fill(api, target, channelIds, () => written++),
    );
    // As in production: the tester's own servers allow a thousand times as much.
    await target.platform!.refresh(signal, { RATE_LIMIT_FACTOR: "1" });
  }
  const run = new PressureRun(target, plan, signal);
  try {
    await run.open(tokens.slice(0, loadUsers), tokens.at(-1)!, channelIds);
    const phases = plan.kind === "reads" ? 3 : IN_FLIGHT_STEPS.length + 2;
    await progress.during(
      "phases",
      phases,
      () => run.phases,
      () => run.measure(),
    );
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  const result = await run.summarise();
  return { ...result, errors: errors.rows() };
}

async function openChannels(target: FanfareTarget, api: Api): Promise<string[]> {
  const { groupId, ownerToken, channelId } = target.meeting;
  const ids = [channelId];
  while (ids.length < CHANNELS) {
    const { channel } = await api.call("channel.create", { groupId, name: `room-${ids.length}` }, ownerToken);
    ids.push(channel.id);
  }
  return ids;
}

async function fill(
  api: Api,
  { meeting }: FanfareTarget,
  channelIds: readonly string[],
  done: () => void,
): Promise<void> {
  const one = async (channelId: string): Promise<void> => {
    for (let i = 0; i < MESSAGES_PER_CHANNEL; i += 1) {
      await api.call(
        "message.send",
        { channelId, content: LONG_TEXT, nonce: `fill-${channelId}-${i}` },
        meeting.ownerToken,
      );
      done();
    }
  };
  await Promise.all(channelIds.map(one));
}

/** The most expensive requests a guest can make. */
function hostileReads(groupId: string, channelIds: readonly string[]): CallOperation[] {
  const middle = Math.ceil(MESSAGES_PER_CHANNEL / 2);
  const cursors = channelIds.map((channelId) => ({ channelId, afterRev: 0 }));
  return [
    { name: "channel.sync", weight: 3, kind: "call", action: "channel.sync", params: [{ cursors }] },
    {
      name: "message.list",
      weight: 3,
      kind: "call",
      action: "message.list",
      params: channelIds.map((channelId) => ({ channelId, around: middle, limit: 100 })),
    },
    {
      name: "message.search",
      weight: 2,
      kind: "call",
      action: "message.search",
      params: [{ groupId, text: "lorem ipsum" }],
    },
    { name: "unknown action", weight: 2, kind: "call", action: "no.such", params: [{}] },
  ];
}

function mixture(channelIds: readonly string[]): CallOperation[] {
  const [channelId] = channelIds;
  return [
    {
      name: "message.send",
      weight: 10,
      kind: "call",
      action: "message.send",
      params: channelIds.map((id) => ({ channelId: id, content: "hello ".repeat(15) })),
    },
    {
      name: "message.list",
      weight: 4,
      kind: "call",
      action: "message.list",
      params: channelIds.map((id) => ({ channelId: id, limit: 50 })),
    },
    { name: "user.me", weight: 3, kind: "call", action: "user.me", params: [{}] },
    { name: "connect", weight: 2, kind: "connect" },
    {
      name: "file.upload",
      weight: 1,
      kind: "upload",
      params: [{ channelId, name: "notes.txt", bytes: UPLOAD_BYTES }],
    },
  ];
}

function ofBystander(channelId: string): CallOperation[] {
  return [
    { name: "user.me", weight: 5, kind: "call", action: "user.me", params: [{}] },
    {
      name: "message.send",
      weight: 2,
      kind: "call",
      action: "message.send",
      params: [{ channelId, content: "hello" }],
    },
  ];
}

interface Step {
  name: string;
  fromMs: number;
  toMs: number;
  hasLoad: boolean;
  offeredPerSecond: number | null;
  readyzOverloaded: number;
  readyzAsked: number;
  serverCores: number | null;
}

class PressureRun {
  readonly #target: FanfareTarget;
  readonly #plan: PressurePlan;
  readonly #signal: AbortSignal;
  readonly #steps: Step[] = [];
  readonly #loads: CallThread[] = [];
  #bystander: CallThread | undefined;
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
    const url = this.#target.urls[0]!;
    const shared = { url, address: await addressOf(url), runId: newRunId() };
    this.#bystander = new CallThread({
      ...shared,
      tokens: [bystander],
      localAddress: BYSTANDER_ADDRESS,
      operations: ofBystander(channelIds[0]!),
    });
    const { groupId } = this.#target.meeting;
    const isHostile = this.#plan.kind === "reads";
    const operations = isHostile ? hostileReads(groupId, channelIds) : mixture(channelIds);
    // First one hostile guest, then nineteen more.
    const shares = isHostile ? [tokens.slice(0, 1), tokens.slice(1)] : [tokens];
    for (const [i, share] of shares.entries())
      this.#loads.push(
        new CallThread({
          ...shared,
          runId: `${shared.runId}${i}`,
          tokens: share,
          localAddress: undefined,
          operations,
        }),
      );
    for (const thread of [this.#bystander, ...this.#loads]) await thread.connect();
  }

  async measure(): Promise<void> {
    const { kind, phaseMs, factor } = this.#plan;
    this.#memory = new MemoryWatch(this.#target.platform!);
    if (kind === "reads") {
      await this.#phase("bystander alone", Math.min(QUIET_MS, phaseMs), []);
      const rate = (guests: number): CallLoop => ({
        kind: "open",
        perSecond: HOSTILE_CALLS_PER_SECOND * guests,
      });
      await this.#phase("1 hostile guest", phaseMs, [rate(1)]);
      await this.#phase(`${HOSTILE} hostile guests`, phaseMs, [rate(1), rate(HOSTILE - 1)]);
      return;
    }
    const stepMs = Math.min(STEP_MS, phaseMs);
    for (const inFlight of IN_FLIGHT_STEPS) {
      const name = `${inFlight} at once`;
      await this.#phase(name, stepMs, [{ kind: "closed", inFlight }]);
      const { phases } = await this.#loads[0]!.report();
      const ok = sum(phases.at(-1)!.operations.map((operation) => operation.ok));
      this.#peak = Math.max(this.#peak ?? 0, ok / (stepMs / 1000));
    }
    const offered = { kind: "open", perSecond: Math.max(1, Math.round(this.#peak! * factor)) } as const;
    await this.#phase("overload", phaseMs, [offered]);
    this.#overloadedUntilMs = nowMs();
    const after = { kind: "open", perSecond: Math.max(1, Math.round(this.#peak! * AFTER_SHARE)) } as const;
    await this.#phase("afterwards", Math.min(AFTER_MS, phaseMs), [after]);
  }

  async #phase(name: string, durationMs: number, loops: readonly CallLoop[]): Promise<void> {
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
    const cpuBefore = await this.#target.cpuSeconds();
    for (const [i, thread] of this.#loads.entries())
      thread.order({ type: "phase", name, loop: loops[i] ?? null });
    this.#bystander!.order({ type: "phase", name, loop: BYSTANDER });
    const asking = setInterval(() => void this.#pollReadyz(step), 1000);
    try {
      await sleep(durationMs, undefined, { signal: this.#signal });
    } finally {
      clearInterval(asking);
      step.toMs = nowMs();
      const cpuAfter = await this.#target.cpuSeconds();
      if (cpuBefore !== null && cpuAfter !== null)
        step.serverCores = ((cpuAfter - cpuBefore) * 1000) / (step.toMs - step.fromMs);
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

  async summarise(): Promise<Omit<PressureMeasurement, "errors">> {
    const threads = [this.#bystander!, ...this.#loads];
    for (const thread of threads) thread.order({ type: "phase", name: "end", loop: null });
    await this.#settle(threads);
    this.#memory?.stop();
    const [bystander, ...loads] = await Promise.all(threads.map((thread) => thread.report()));
    await Promise.all(threads.map((thread) => thread.close()));
    const phases = this.#steps.map((step, i): PressurePhase => {
      const durationMs = step.toMs - step.fromMs;
      const load = merged(loads.flatMap(({ phases: all }) => all[i]?.operations ?? []));
      return {
        name: step.name,
        durationMs,
        offeredPerSecond: step.offeredPerSecond,
        okPerSecond: sum(load.map(({ ok }) => ok)) / (durationMs / 1000),
        load: step.hasLoad ? load : [],
        bystander: merged(bystander!.phases[i]?.operations ?? []),
        readyzOverloaded: step.readyzOverloaded,
        readyzAsked: step.readyzAsked,
        serverCores: step.serverCores,
        generatorCores: sum(loads.map(({ cpu }) => cpu[i] ?? 0)) / durationMs,
      };
    });
    const isMixed = this.#plan.kind === "mixed";
    const overload = phases.find(({ name }) => name === "overload");
    const memory = this.#memory!.result(this.#steps[0]?.fromMs ?? 0, this.#steps.at(-1)?.toMs ?? 0);
    const result = {
      kind: this.#plan.kind,
      users: isMixed ? this.#plan.users : HOSTILE,
      gatewayThreads: this.#plan.gatewayThreads,
      phases,
      peakPerSecond: this.#peak,
      goodputShare: overload === undefined || !this.#peak ? null : overload.okPerSecond / this.#peak,
      recoveredAfterMs:
        isMixed && this.#steps.at(-1)?.name === "afterwards" ? this.#recovery([bystander!, ...loads]) : null,
      memory,
      memoryGrowthBytes:
        memory.peakBytes === null || memory.beforeBytes === null
          ? null
          : memory.peakBytes - memory.beforeBytes,
    };
    return { ...result, verdicts: this.#signal.aborted ? [] : judgePressure({ ...result, errors: [] }) };
  }

  /** Until the last bad request after the overload; null: some were bad up to the end. */
  #recovery(reports: readonly ThreadReport[]): number | null {
    const last = this.#steps.length - 1;
    const bad = Math.max(0, ...reports.map(({ phases }) => phases[last]?.lastBadMs ?? 0));
    if (bad === 0) return 0;
    const { fromMs, toMs } = this.#steps[last]!;
    return bad > toMs - (toMs - fromMs) / 3 ? null : bad - this.#overloadedUntilMs;
  }

  async #settle(threads: readonly CallThread[]): Promise<void> {
    const deadlineMs = nowMs() + SETTLE_MS;
    while (nowMs() < deadlineMs && !this.#signal.aborted) {
      const reports = await Promise.all(threads.map((thread) => thread.report()));
      const open = reports.flatMap(({ phases }) =>
        phases.flatMap(({ operations }) => operations.map(({ unanswered }) => unanswered)),
      );
      if (sum(open) === 0) return;
      await sleep(500);
    }
  }
}

interface ThreadReport {
  phases: (FromCallThread & { type: "report" })["phases"];
  /** Milliseconds of CPU in each phase. */
  cpu: number[];
}

class CallThread {
  readonly #worker: Worker;

  constructor(setup: CallSetup) {
    this.#worker = new Worker(new URL("./call-worker.ts", import.meta.url), { workerData: setup });
  }

  async connect(): Promise<void> {
    const done = once(this.#worker, "message");
    this.order({ type: "connect" });
    await done;
  }

  order(order: ToCallThread): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#worker.postMessage(order);
  }

  async report(): Promise<ThreadReport> {
    const answer = once(this.#worker, "message");
    this.order({ type: "report" });
    const [{ phases, cpuMs }] = (await answer) as [FromCallThread & { type: "report" }];
    return { phases, cpu: cpuMs };
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** Merges the reports of the same operation. */
function merged(reports: readonly OperationReport[]): OperationResult[] {
  return [...new Set(reports.map(({ name }) => name))].map((name) => {
    const same = reports.filter((report) => report.name === name);
    const histogram = new LatencyHistogram();
    const refusedByCode: Record<string, number> = {};
    for (const report of same) {
      histogram.add(report.latencies);
      for (const [code, count] of Object.entries(report.refusedByCode))
        refusedByCode[code] = (refusedByCode[code] ?? 0) + count;
    }
    const total = (field: "intended" | "ok" | "notSent" | "unanswered") =>
      sum(same.map((report) => report[field]));
    return {
      name,
      intended: total("intended"),
      ok: total("ok"),
      notSent: total("notSent"),
      unanswered: total("unanswered"),
      refusedByCode,
      okMs: histogram.percentiles(),
    };
  });
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
