import { expect, test } from "vitest";
import { allocateDeliveries, DeliveryTally } from "../../receivers/delivery-tally.ts";
import {
  ackTimesWithin,
  allocateRequests,
  countMessages,
  countMissing,
  forgetInFlight,
  RequestState,
} from "./request-memory.ts";

const { acknowledged, refused, missed, unanswered, sent } = RequestState;

/** Eight requests to one channel with two connections. A third one isn't in it. */
function sources() {
  const memory = allocateRequests(8);
  memory.state.set([acknowledged, acknowledged, acknowledged, refused, missed, unanswered, sent]);
  const tally = new DeliveryTally(
    allocateDeliveries({
      receivers: 3,
      channels: [Int32Array.of(0, 1)],
      messages: 8,
      channelOf: () => 0,
      intendedAt: memory.intendedAt,
    }),
  );
  for (const [receiver, message] of [
    [0, 0],
    [1, 0],
    [0, 1],
    [0, 1],
    [2, 1],
    // Delivered without an acknowledgement.
    [0, 5],
  ] as const)
    tally.record(receiver, message, 1);
  return { memory, tally, connections: undefined, copies: Uint8Array.of(1, 2, 0, 0, 0, 1, 0, 0) };
}

test("counts acknowledged messages that are missing, stored twice or not delivered", () => {
  expect(countMessages({ ...sources(), isComplete: true })).toEqual({
    intended: 7,
    sent: 6,
    acknowledged: 3,
    refused: 1,
    unanswered: 2,
    missed: 1,
    stored: 4,
    unstored: 1,
    storedTwice: 1,
    expected: 6,
    received: 3,
    lost: 3,
    duplicates: 1,
    outOfOrder: 0,
    corrupted: 0,
    strays: 1,
    dropped: undefined,
    resyncs: undefined,
  });
});

test("counts what was expected and didn't arrive, without rejected messages", () => {
  // Not answered: missed, unanswered, sent. Only one delivery of them arrived, and three of six of the
  // acknowledged ones.
  expect(countMissing({ ...sources(), isComplete: true })).toEqual({
    answers: 3,
    deliveries: 8,
    messages: 5,
  });
});

test("an interrupted run reports nothing in flight as unanswered", () => {
  const interrupted = { ...sources(), isComplete: false };
  forgetInFlight(interrupted.memory);
  expect(countMessages(interrupted)).toMatchObject({ sent: 5, unanswered: 1, lost: 0 });
  expect(countMissing(interrupted)).toEqual({ answers: 2, deliveries: 0, messages: 0 });
});

test("an interrupted run reports nothing as lost, stored or unstored", () => {
  expect(countMessages({ ...sources(), copies: undefined, isComplete: false })).toMatchObject({
    stored: null,
    unstored: null,
    storedTwice: null,
    received: 3,
    lost: 0,
  });
});

test("what is acknowledged after a phase doesn't count for its rate", () => {
  const { memory } = sources();
  memory.intendedAt.fill(100);
  memory.answeredAt.set([150, 200, 900, 120]);
  const phase = { from: 0, to: 8, fromMs: 100, toMs: 200 };
  expect([...ackTimesWithin(memory, phase)]).toEqual([50]);
  expect([...ackTimesWithin(memory, { ...phase, fromMs: 160, toMs: 901 })]).toEqual([100, 800]);
});
