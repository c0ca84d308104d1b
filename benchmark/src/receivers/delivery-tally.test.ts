import { expect, test } from "vitest";
import { LatencyHistogram } from "../kernels/requests/latency-histogram.ts";
import { allocateDeliveries, DeliveryTally, TallyCount } from "./delivery-tally.ts";

/** Two channels that share a connection; messages alternate. */
const PLAN = {
  receivers: 100,
  channels: [Int32Array.from({ length: 50 }, (_, i) => i), Int32Array.from({ length: 51 }, (_, i) => 49 + i)],
  messages: 6,
  channelOf: (message: number) => message % 2,
};

function tally() {
  const intendedAt = new Float64Array(new SharedArrayBuffer(8 * 6));
  for (let i = 0; i < 6; i++) intendedAt[i] = i * 10;
  const memory = allocateDeliveries({ ...PLAN, intendedAt });
  return { memory, threads: [new DeliveryTally(memory), new DeliveryTally(memory)] as const };
}

test("each delivery counts once, whichever thread sees it, and the last one completes the message", () => {
  const { memory, threads } = tally();
  const [a, b] = threads;
  for (let message = 0; message < 6; message++) {
    const members = PLAN.channels[message % 2]!;
    for (const receiver of members) threads[receiver % 2]!.record(receiver, message, message * 10 + receiver);
    expect([a.received(message), a.isComplete(message)]).toEqual([members.length, true]);
    expect(b.untilLast(message)).toBe(members.at(-1));
  }
  expect([...memory.counts]).toEqual([3 * 50 + 3 * 51, 0, 0, 0, 0]);
  // Each bit is used, and none twice.
  const set = memory.bits.reduce((sum, word) => sum + (word >>> 0).toString(2).replaceAll("0", "").length, 0);
  expect(set).toBe(3 * 50 + 3 * 51);
  expect(new LatencyHistogram(memory.latencies).count).toBe(3 * 50 + 3 * 51);
});

test("counts duplicates, and deliveries to connections outside the channel", () => {
  const { memory, threads } = tally();
  threads[0].record(49, 0, 5);
  threads[1].record(49, 0, 6);
  threads[0].record(50, 0, 5);
  threads[0].record(49, 1, 5);
  threads[0].record(3, -1, 5);
  threads[0].record(3, 6, 5);
  expect(memory.counts[TallyCount.received]).toBe(2);
  expect(memory.counts[TallyCount.duplicates]).toBe(1);
  expect(memory.counts[TallyCount.strays]).toBe(1);
  expect([threads[0].received(0), threads[0].expected(0), threads[0].expected(1)]).toEqual([1, 50, 51]);
  expect([threads[0].has(49, 0), threads[0].has(48, 0), threads[0].has(50, 0)]).toEqual([true, false, false]);
  expect([threads[0].isComplete(0), threads[0].untilLast(0), threads[0].untilLast(2)]).toEqual([
    false,
    5,
    null,
  ]);
});

test("order is per connection and channel, and a copy is a duplicate, not a delivery", () => {
  const { memory, threads } = tally();
  const [a, b] = threads;
  const outOfOrder = () => memory.counts[TallyCount.outOfOrder];
  a.record(49, 0, 5, "event", 7);
  b.record(48, 4, 5, "event", 9);
  a.record(49, 1, 5, "event", 3);
  expect(outOfOrder()).toBe(0);
  a.record(49, 4, 6, "event", 9);
  a.record(49, 2, 7, "event", 8);
  expect(outOfOrder()).toBe(1);
  a.record(49, 0, 8, "event", 7);
  // Fetched by sync, and from a server without revisions.
  b.record(48, 0, 9, "sync", 7);
  b.record(47, 0, 9);
  b.record(47, 2, 9);
  expect(outOfOrder()).toBe(1);
});

test("a single channel needs no memory for the channel of each message", () => {
  const intendedAt = new Float64Array(new SharedArrayBuffer(8 * 20));
  const channels = [Int32Array.of(0, 1)];
  const tally = new DeliveryTally(
    allocateDeliveries({ receivers: 2, channels, messages: 20, channelOf: () => 0, intendedAt }),
  );
  expect(tally.memory.channelOf.length).toBe(0);
  tally.record(0, 9, 10);
  tally.record(0, 9, 11);
  expect([tally.has(0, 9), tally.has(1, 9), tally.has(0, 8)]).toEqual([true, false, false]);
  tally.record(1, 9, 14);
  expect([tally.isComplete(9), tally.isComplete(8), tally.untilLast(9)]).toEqual([true, false, 14]);
  expect(tally.lastAtMs).toBe(14);
  expect(tally.memory.counts[TallyCount.duplicates]).toBe(1);
});
