import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RecentJoins } from "./publisher.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const extended = (joins: RecentJoins, room: string): string[] => {
  const subjects = new Set<string>();
  joins.extend(subjects, room);
  return [...subjects].sort();
};

test("publishes to a room on the subject of its latest joins for two seconds", () => {
  const joins = new RecentJoins("all");
  joins.joined("group", ["user:1", "user:2"]);
  vi.advanceTimersByTime(1500);
  joins.joined("group", ["user:3"]);
  expect(extended(joins, "group")).toEqual(["user:1", "user:2", "user:3"]);
  expect(extended(joins, "other")).toEqual([]);
  vi.advanceTimersByTime(1000);
  expect(extended(joins, "group")).toEqual(["user:3"]);
  vi.advanceTimersByTime(1000);
  expect(extended(joins, "group")).toEqual([]);
  expect(joins.size).toBe(0);
});

test("after many joins, publishes one message to all servers", () => {
  const joins = new RecentJoins("all");
  for (let n = 0; n < 17; n++) joins.joined("group", [`user:${n}`]);
  expect(extended(joins, "group")).toEqual(["all"]);
});

test("limits the number of tracked rooms", () => {
  const joins = new RecentJoins("all");
  for (let n = 0; n < 20_000; n++) joins.joined(`group:${n}`, ["user"]);
  expect(joins.size).toBe(10_000);
  vi.advanceTimersByTime(3000);
  joins.joined("group", ["user"]);
  expect(joins.size).toBe(1);
});
