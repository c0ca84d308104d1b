import { nowMs } from "../broadcast/clock.ts";
import { DeliveryTally, type DeliveryMemory } from "../../receivers/delivery-tally.ts";
import { taggedContent } from "../../receivers/message-tag.ts";
import { Count, type ConnectionMemory } from "../../receivers/receiver-group.ts";
import type { Operation, OperationContext, Request, RequestOutcome } from "./operation.ts";
import { Seats, type SeatSetup } from "./seats.ts";

/** Where senders record what they receive. */
export interface SenderDeliveries {
  tally: DeliveryMemory;
  connections: ConnectionMemory;
  /** The number of the first sender among all receiving connections; the others follow. */
  firstReceiver: number;
}

export interface SendSetup extends SeatSetup {
  /** Run ID in the text of warm-up messages, if there are any. */
  warmUpRunId?: string;
  channelIds: readonly string[];
  /** Per message; empty: all in the first channel. */
  channelOf: Int32Array<SharedArrayBuffer>;
  payloadBytes: number;
  /** Default: they don't read. */
  deliveries?: SenderDeliveries;
  /** The last of the senders, who stop reading as soon as they are connected, and send nothing. */
  stalled?: number;
}

/** Sends messages to channels; what senders receive goes to the tally. */
class SendOperation implements Operation {
  readonly #setup: SendSetup;
  readonly #senders: number[];
  readonly #seats: Seats;

  constructor({ setup, worker, workers }: OperationContext<SendSetup>) {
    this.#setup = setup;
    this.#senders = setup.tokens.map((_, s) => s).filter((s) => s % workers === worker);
    const { deliveries } = setup;
    this.#seats = new Seats(setup, deliveries && observe(deliveries));
  }

  get errors(): Readonly<Record<string, number>> {
    return this.#seats.errors;
  }

  async prepare(): Promise<void> {
    const { tokens, stalled = 0 } = this.#setup;
    await this.#seats.connect(this.#senders);
    this.#seats.stall(this.#senders.filter((sender) => sender >= tokens.length - stalled));
  }

  begin({ index, sender, isWarmUp }: Request, done: (outcome: RequestOutcome) => void): boolean {
    const { channelIds, channelOf, runId, warmUpRunId, payloadBytes } = this.#setup;
    const run = (isWarmUp && warmUpRunId) || runId;
    const params = {
      channelId: channelIds[channelOf[index] ?? 0],
      content: taggedContent(run, index, payloadBytes),
      nonce: `${run}.${index}`,
    };
    return this.#seats.call(sender, "message.send", params, done);
  }

  close(): void {
    this.#seats.close();
  }
}

function observe({ tally: memory, connections, firstReceiver }: SenderDeliveries) {
  const tally = new DeliveryTally(memory);
  return (sender: number) => ({
    messages: (indexes: readonly number[], revs: readonly number[]) => {
      const atMs = nowMs();
      for (const [i, index] of indexes.entries())
        tally.record(firstReceiver + sender, index, atMs, "event", revs[i]);
    },
    resync: () => void Atomics.add(connections.counts, Count.resyncs, 1),
    ended: () => void Atomics.add(connections.counts, Count.dropped, 1),
  });
}

export function createOperation(context: OperationContext<SendSetup>): Operation {
  return new SendOperation(context);
}
