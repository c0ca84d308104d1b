import { taggedContent } from "../../receivers/message-tag.ts";
import type { Tally } from "../../receivers/tally.ts";
import type { Sender } from "../../targets/target.ts";
import { nowMs } from "./clock.ts";
import type { ErrorTable } from "./error-table.ts";
import { openPercentiles, sum } from "./percentiles.ts";

/** A message as the sender knows it; the tally has the receivers' data under its index. */
export type SentMessage = ReturnType<typeof newMessage>;

/**
 * @param sentAtMs the instant that counts as the sending
 * @param recipients how many members should receive it
 */
const newMessage = (index: number, sentAtMs: number, recipients: number) => ({
  index,
  sentAtMs,
  recipients,
  state: "sent" as "sent" | "acknowledged" | "failed",
  ackMs: null as number | null,
  /** false while it can still arrive: an interrupted run must not report it as lost. */
  isOver: false,
  settled: Promise.resolve(),
});

interface Run {
  runId: string;
  payloadBytes: number;
  errors: ErrorTable;
}

/** Sends a text of its own for each message of a run. */
export class SentMessages {
  readonly all: SentMessage[] = [];
  readonly #run: Run;

  constructor(run: Run) {
    this.#run = run;
  }

  get acknowledged(): SentMessage[] {
    return this.all.filter(({ state }) => state === "acknowledged");
  }

  send(sender: Pick<Sender, "send">, recipients: number, sentAtMs = nowMs()): SentMessage {
    const { runId, payloadBytes } = this.#run;
    const message = newMessage(this.all.length, sentAtMs, recipients);
    this.all.push(message);
    message.settled = this.#settle(message, sender.send(taggedContent(runId, message.index, payloadBytes)));
    return message;
  }

  async #settle(message: SentMessage, sending: Promise<void>): Promise<void> {
    try {
      await sending;
      message.state = "acknowledged";
      message.ackMs = nowMs() - message.sentAtMs;
    } catch (error) {
      message.state = "failed";
      this.#run.errors.add("send", (error as { type?: string }).type ?? (error as Error).message);
    }
  }
}

/** Unacknowledged messages are not expected to arrive, so they can't be lost. */
function isOwed({ state, isOver }: SentMessage): boolean {
  return state === "acknowledged" && isOver;
}

const sumOf = (messages: readonly SentMessage[], of: (message: SentMessage) => number): number =>
  sum(messages.map(of));

/** Deliveries that did not arrive in time; none are expected of rejected messages. */
export function missingOf(messages: readonly SentMessage[], { memory }: Tally): number {
  const missing = ({ recipients, index }: SentMessage) => recipients - Atomics.load(memory.received, index);
  return sumOf(messages, (message) => (isOwed(message) ? Math.max(0, missing(message)) : 0));
}

export function arrivalsOf(messages: readonly SentMessage[], tally: Tally) {
  const { received, duplicates, outOfOrder } = tally.memory;
  return {
    received: sumOf(messages, ({ index }) => Atomics.load(received, index)),
    lost: missingOf(messages, tally),
    duplicates: sumOf(messages, ({ index }) => Atomics.load(duplicates, index)),
    outOfOrder: sumOf(messages, ({ index }) => Atomics.load(outOfOrder, index)),
  };
}

export function countsOf(messages: readonly SentMessage[], tally: Tally) {
  return {
    sent: messages.length,
    acknowledged: messages.filter(({ state }) => state === "acknowledged").length,
    /** Deliveries of the acknowledged messages. */
    expected: sumOf(messages, (message) => (isOwed(message) ? message.recipients : 0)),
    ...arrivalsOf(messages, tally),
    /** Deliveries whose text differs from what was sent: not received. */
    corrupted: tally.memory.corrupted[0]!,
  };
}

/** One message. */
export function deliveryOf(message: SentMessage, tally: Tally) {
  const { index, sentAtMs, ackMs, recipients } = message;
  const missing = missingOf([message], tally);
  const latencyMs = openPercentiles(tally.latencies(index, sentAtMs), missing);
  const isComplete = Atomics.load(tally.memory.received, index) >= recipients;
  return {
    /** null: not acknowledged. */
    ackMs,
    /** Time to the last member; null if it did not reach everyone. */
    p100Ms: isComplete && latencyMs ? latencyMs.p100 : null,
    latencyMs,
    ...arrivalsOf([message], tally),
  };
}
