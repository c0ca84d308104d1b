import { setTimeout as sleep } from "node:timers/promises";
import { Audience, placesOf } from "../../receivers/audience.ts";
import { allocateDeliveries, DeliveryTally } from "../../receivers/delivery-tally.ts";
import { newRunId } from "../../receivers/message-tag.ts";
import type { Progress } from "../../report/progress.ts";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import { nowMs } from "../broadcast/clock.ts";
import { allocateRequests, Counted, counted, RequestState, times } from "./request-memory.ts";
import type { Range, RequestMemory } from "./request-memory.ts";
import { RequestThreads, type Pace, type Span } from "./request-threads.ts";
import type { SendSetup } from "./send-operation.ts";

export interface GroupLoadPlan {
  /** Members who only receive. */
  receivers: number;
  /** Additional members who send, and those whose clients hang. */
  senders: number;
  stalled?: number;
  /** At most this many messages. */
  requests: number;
  payloadBytes: number;
  /** Of those who receive. */
  workers: number;
  window: number;
  napMs: number;
}

interface GroupContext {
  target: Pick<FanfareTarget, "urls" | "dialect" | "meeting">;
  progress: Progress;
  signal: AbortSignal;
}

const POLL_MS = 20;

/**
 * The members of the run's group, and a thread of others who send to it in phases, without a limit of their own,
 * and don't read what arrives.
 */
export class GroupLoad {
  readonly runId: string;
  readonly memory: RequestMemory;
  readonly audience: Audience<DeliveryTally>;
  readonly threads: RequestThreads;
  readonly #plan: GroupLoadPlan;
  readonly #signal: AbortSignal;
  #sent = 0;

  private constructor(
    runId: string,
    memory: RequestMemory,
    audience: Audience<DeliveryTally>,
    threads: RequestThreads,
    plan: GroupLoadPlan,
    signal: AbortSignal,
  ) {
    this.runId = runId;
    this.memory = memory;
    this.audience = audience;
    this.threads = threads;
    this.#plan = plan;
    this.#signal = signal;
  }

  /**
   * Connects everyone.
   * @param tokens of the receivers, the senders and the stalled
   * @throws {ExitError} if someone could not be connected
   */
  static async open(
    { target, progress, signal }: GroupContext,
    tokens: readonly string[],
    plan: GroupLoadPlan,
  ): Promise<GroupLoad> {
    const { receivers, requests } = plan;
    const { urls, dialect } = target;
    const runId = newRunId();
    const memory = allocateRequests(requests);
    const deliveries = allocateDeliveries({
      receivers,
      channels: [Int32Array.from({ length: receivers }, (_, i) => i)],
      messages: requests,
      channelOf: () => 0,
      intendedAt: memory.intendedAt,
    });
    const tally = new DeliveryTally(deliveries);
    const audience = await Audience.start({ ...plan, urls, dialect, runId, tally });
    const setup: SendSetup = {
      ...(await placesOf(target, runId)),
      tokens: tokens.slice(receivers),
      channelIds: [target.meeting.channelId],
      channelOf: deliveries.channelOf,
      payloadBytes: plan.payloadBytes,
      stalled: plan.stalled ?? 0,
    };
    const module = new URL("./send-operation.ts", import.meta.url);
    const threads = new RequestThreads({ module, setup }, 1, signal);
    const load = new GroupLoad(runId, memory, audience, threads, plan, signal);
    try {
      await audience.connectAll(tokens.slice(0, receivers), { progress, signal });
      audience.measure(true);
      await threads.prepare();
      return load;
    } catch (error) {
      await load.close();
      throw error;
    }
  }

  /** The messages so far. */
  get all(): Range {
    return { from: 0, to: this.#sent };
  }

  /**
   * Sends for this long, without waiting for what is in flight.
   * @throws {Error} if the signal aborts
   */
  async send(pace: Pace, durationMs: number): Promise<Span> {
    const phase = { senders: this.#plan.senders, memory: this.memory, first: this.#sent };
    const span = await this.threads.runFor(durationMs, pace, phase);
    this.#sent = span.to;
    return span;
  }

  /**
   * Resolves when everything that was sent is answered, or at the deadline.
   * @throws {Error} if the signal aborts
   */
  settle(deadlineMs: number): Promise<void> {
    return settled(this.memory, deadlineMs, this.#signal);
  }

  isAcknowledged(message: number): boolean {
    return this.memory.state[message] === RequestState.acknowledged;
  }

  /** Of acknowledged messages: until the last receiver had it, of those who got it at all; ascending. */
  deliveryTimes(range: Range): Float64Array {
    const { tally } = this.audience;
    return times(range, (i) => (this.isAcknowledged(i) ? tally.untilLast(i) : null));
  }

  /** @returns errors of senders without a message, by code */
  async close(): Promise<Record<string, number>> {
    const errors = await this.threads.close();
    await this.audience.close();
    return errors;
  }
}

/**
 * Resolves when everything that was sent is answered, or at the deadline.
 * @throws {Error} if the signal aborts
 */
export async function settled(memory: RequestMemory, deadlineMs: number, signal: AbortSignal): Promise<void> {
  do await sleep(POLL_MS, undefined, { signal });
  while (nowMs() < deadlineMs && counted(memory, Counted.settled) < counted(memory, Counted.made));
}
