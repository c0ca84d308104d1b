import { DeliveryTally, type DeliveryMemory } from "../../receivers/delivery-tally.ts";
import { newRunId, taggedContent } from "../../receivers/message-tag.ts";
import type { Operation, OperationContext } from "./operation.ts";
import { openSeats, type Receiving, type SeatSetup } from "./seats.ts";

export interface SendSetup extends SeatSetup {
  channelIds: readonly string[];
  /** Per message; empty: all in the first channel. */
  channelOf: Int32Array<SharedArrayBuffer>;
  payloadBytes: number;
  /** Default: they don't read. */
  deliveries?: Omit<Receiving, "tally"> & { tally: DeliveryMemory };
  /** The last of the senders, who stop reading as soon as they are connected, and send nothing. */
  stalled?: number;
}

/** Sends messages to channels; what senders receive goes to the tally. */
export function createOperation({ setup, worker, workers }: OperationContext<SendSetup>): Operation {
  const { tokens, stalled = 0, deliveries, channelIds, channelOf, payloadBytes } = setup;
  const senders = tokens.map((_, sender) => sender).filter((sender) => sender % workers === worker);
  const receiving = deliveries && { ...deliveries, tally: new DeliveryTally(deliveries.tally) };
  const seats = openSeats(setup, receiving);
  // Not part of the run's: receivers would take a warm-up message for a changed one.
  const warmUpRunId = newRunId();
  return {
    get errors() {
      return seats.errors;
    },
    async prepare() {
      await seats.connect(senders);
      seats.stall(senders.filter((sender) => sender >= tokens.length - stalled));
    },
    begin({ index, sender, isWarmUp }, done) {
      const run = isWarmUp ? warmUpRunId : setup.runId;
      const params = {
        channelId: channelIds[channelOf[index] ?? 0],
        content: taggedContent(run, index, payloadBytes),
        nonce: `${run}.${index}`,
      };
      return seats.call(sender, "message.send", params, done);
    },
    close: () => seats.close(),
  };
}
