import { expect, test } from "vitest";
import { allocateTally, Tally } from "./tally.ts";

const EPOCH = 1_000_000;

test("counts received, duplicate and out-of-order arrivals per message, and knows when it is complete", () => {
  const tally = new Tally(allocateTally(2, 3, EPOCH));
  expect(tally.record(0, 0, EPOCH + 10)).toBe(false);
  expect(tally.record(0, 0, EPOCH + 11)).toBe(false);
  expect(tally.isComplete(0)).toBe(false);
  expect(tally.record(1, 0, EPOCH + 12.5)).toBe(true);
  expect(tally.isComplete(0)).toBe(true);
  tally.record(1, 2, EPOCH + 20);
  tally.record(1, 1, EPOCH + 21);
  expect([...tally.memory.received]).toEqual([2, 1, 1]);
  expect([...tally.memory.duplicates]).toEqual([1, 0, 0]);
  expect([...tally.memory.outOfOrder]).toEqual([0, 1, 0]);
});

test("latencies are sorted, count from the sending and leave out lost messages", () => {
  const tally = new Tally(allocateTally(3, 1, EPOCH));
  tally.record(2, 0, EPOCH + 12.5);
  tally.record(0, 0, EPOCH + 10);
  expect([...tally.latencies(0, EPOCH + 8)]).toEqual([2, 4.5]);
});

test("a message of another run is foreign, not received", () => {
  const tally = new Tally(allocateTally(1, 1, EPOCH));
  tally.record(0, -1, EPOCH + 1);
  tally.record(0, 1, EPOCH + 1);
  expect(tally.memory.foreign[0]).toBe(2);
  expect(tally.memory.received[0]).toBe(0);
});

test("messages fetched by sync are counted separately from events", () => {
  const tally = new Tally(allocateTally(2, 2, EPOCH));
  tally.record(0, 0, EPOCH + 10, "event");
  tally.record(0, 0, EPOCH + 12, "sync");
  expect(tally.record(1, 0, EPOCH + 30, "sync")).toBe(true);
  expect(tally.recovered(0)).toBe(1);
  expect(tally.untilLast(0, EPOCH + 5)).toBe(25);
  // The event arrives late: it is no duplicate, but the next one is.
  tally.record(1, 0, EPOCH + 40, "event");
  expect([...tally.memory.duplicates]).toEqual([0, 0]);
  tally.record(1, 0, EPOCH + 41, "event");
  expect([...tally.memory.duplicates]).toEqual([1, 0]);
  expect([...tally.latencies(0, EPOCH)]).toEqual([10, 30]);
  expect(tally.untilLast(1, EPOCH)).toBeNull();
});
