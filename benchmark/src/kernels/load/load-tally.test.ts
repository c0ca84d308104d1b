import { expect, test } from "vitest";
import { allocateLoadTally, LoadTally, TallyCount } from "./load-tally.ts";

/** Two channels that share a connection; messages alternate. */
const PLAN = {
  receivers: 100,
  channels: [Int32Array.from({ length: 50 }, (_, i) => i), Int32Array.from({ length: 51 }, (_, i) => 49 + i)],
  messages: 6,
  channelOf: (message: number) => message % 2,
};

function tally() {
  const memory = allocateLoadTally(PLAN);
  const intendedAt = Float64Array.from({ length: 6 }, (_, i) => i * 10);
  return { memory, threads: [new LoadTally(memory, intendedAt), new LoadTally(memory, intendedAt)] as const };
}

test("each delivery counts once, whichever thread sees it, and the last one completes the message", () => {
  const { memory, threads } = tally();
  const [a, b] = threads;
  for (let message = 0; message < 6; message++) {
    const members = PLAN.channels[message % 2]!;
    for (const receiver of members) threads[receiver % 2]!.record(receiver, message, message * 10 + receiver);
    expect(a.received(message)).toBe(a.expected(message));
  }
  expect([...memory.counts]).toEqual([3 * 50 + 3 * 51, 0, 0, 0, 0]);
  // Each bit is used, and none twice.
  const set = memory.bits.reduce((sum, word) => sum + (word >>> 0).toString(2).replaceAll("0", "").length, 0);
  expect(set).toBe(3 * 50 + 3 * 51);
  expect(a.arrivals.deliveries.count + b.arrivals.deliveries.count).toBe(3 * 50 + 3 * 51);
  // The last message of each channel has an odd number.
  expect(a.arrivals.lastDeliveries.count).toBe(0);
  expect(b.arrivals.lastDeliveries.count).toBe(6);
  expect(b.arrivals.lastDeliveries.percentiles()!.p100).toBe(99);
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
