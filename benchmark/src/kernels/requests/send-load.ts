import { Audience, placesOf, sourceAddresses } from "../../receivers/audience.ts";
import { allocateDeliveries, DeliveryTally } from "../../receivers/delivery-tally.ts";
import { newRunId } from "../../receivers/message-tag.ts";
import type { Progress } from "../../report/progress.ts";
import type { Target } from "../../targets/target.ts";
import { waitUntil } from "../broadcast/clock.ts";
import type { LoadPlan } from "./load.ts";
import {
  allocateRequests,
  Counted,
  counted,
  RequestState,
  times,
  type Range,
  type RequestMemory,
} from "./request-memory.ts";
import { RequestThreads, type Pace, type Span } from "./request-threads.ts";
import { MAX_UNANSWERED_PER_CONNECTION } from "./seats.ts";
import type { SendSetup } from "./send-operation.ts";

export interface Channel {
  id: string;
  /** Connections that get its messages, ascending: first those that only receive, then those that send. */
  connections: Int32Array;
}

/** Who sends what to whom. */
export interface People {
  /** Tokens of those who only receive: connection 0, 1, … */
  receivers: readonly string[];
  /** Tokens of those who send. */
  senders: readonly string[];
  /** The last of the senders, whose clients hang. */
  stalled?: number;
  /** false: senders don't read what arrives, and have no limit of unanswered calls. */
  sendersReceive: boolean;
  channels: readonly Channel[];
  /** The channel of each message. */
  channelOf: (message: number) => number;
}

type SendPlan = Pick<
  LoadPlan,
  "payloadBytes" | "sendingThreads" | "receivingThreads" | "connecting" | "napMs"
> & {
  /** At most this many messages. */
  requests: number;
};

/** Members who send messages, and those who receive them. */
export async function openSendLoad(
  { urls, dialect }: Pick<Target, "urls" | "dialect">,
  people: People,
  plan: SendPlan,
  signal: AbortSignal,
) {
  const { receivers, senders, sendersReceive, channels, stalled = 0 } = people;
  const runId = newRunId();
  const memory = allocateRequests(plan.requests);
  const deliveries = allocateDeliveries({
    receivers: receivers.length + (sendersReceive ? senders.length : 0),
    channels: channels.map(({ connections }) => connections),
    messages: plan.requests,
    channelOf: people.channelOf,
    intendedAt: memory.intendedAt,
  });
  const tally = new DeliveryTally(deliveries);
  const receivingThreads = receivers.length === 0 ? 0 : plan.receivingThreads;
  const audience = await Audience.start({ ...plan, urls, dialect, runId, tally, threads: receivingThreads });
  const { connections } = audience;
  const places = await placesOf({ urls, dialect }, runId);
  const setup: SendSetup = {
    ...places,
    tokens: senders,
    localAddresses: sourceAddresses(places.addresses[0]!).take(senders.length),
    channelIds: channels.map(({ id }) => id),
    channelOf: deliveries.channelOf,
    payloadBytes: plan.payloadBytes,
    stalled,
    ...(sendersReceive && {
      maxUnanswered: MAX_UNANSWERED_PER_CONNECTION,
      deliveries: { tally: deliveries, connections, firstReceiver: receivers.length },
    }),
  };
  const threads = new RequestThreads("send", setup, plan.sendingThreads, signal);
  let sent = 0;
  const isAcknowledged = (message: number) => memory.state[message] === RequestState.acknowledged;
  return {
    runId,
    memory,
    audience,
    threads,
    /**
     * Connects everyone.
     * @throws {ExitError} if someone could not be connected
     */
    async connect(progress: Progress): Promise<void> {
      if (receivers.length > 0) {
        await audience.connectAll(receivers, { progress, signal });
        audience.measure(true);
      }
      await threads.prepare();
    },
    /** The messages so far. */
    get all(): Range {
      return { from: 0, to: sent };
    },
    /**
     * Sends for this long, without waiting for what is in flight.
     * @throws {Error} if the signal aborts
     */
    async send(loop: Pace, durationMs: number): Promise<Span> {
      const phase = { senders: senders.length - stalled, memory, first: sent };
      const span = await threads.run({ ...phase, loop, durationMs });
      signal.throwIfAborted();
      sent = span.to;
      return span;
    },
    settle: (timeoutMs: number) => settled(memory, timeoutMs, signal),
    isAcknowledged,
    /** Of acknowledged messages: until the last receiver had it, of those who got it at all; ascending. */
    deliveryTimes: (range: Range) => times(range, (i) => (isAcknowledged(i) ? tally.untilLast(i) : null)),
    /** @returns errors of senders without a message, by code */
    async close(): Promise<Record<string, number>> {
      const errors = await threads.close();
      await audience.close();
      return errors;
    },
  };
}

/**
 * Resolves when everything that was sent is answered, or after this time.
 * @throws {Error} if the signal aborts
 */
export async function settled(memory: RequestMemory, timeoutMs: number, signal: AbortSignal): Promise<void> {
  const isSettled = () => counted(memory, Counted.settled) >= counted(memory, Counted.made);
  await waitUntil(isSettled, timeoutMs, signal);
}
