import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ExpiringUsers } from "./presence.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("an indicator ends after its timeout, is extended, or ends with the message", () => {
  const typists = new ExpiringUsers(20);
  let told = 0;
  typists.subscribe(() => (told += 1));
  typists.start("c", "ada", 6000);
  typists.start("c", "bob", 6000);
  vi.advanceTimersByTime(4000);
  typists.start("c", "ada", 6000);
  expect(typists.in("c")).toEqual(["ada", "bob"]);
  vi.advanceTimersByTime(3000);
  expect(typists.in("c")).toEqual(["ada"]);
  typists.end("c", "ada");
  typists.end("c", "ada");
  expect(typists.in("c")).toEqual([]);
  expect(typists.in("c")).toBe(typists.in("other"));
  expect(told).toBe(4);
  expect(vi.getTimerCount()).toBe(0);
});

test("limits the number of users", () => {
  const typists = new ExpiringUsers(20);
  for (let user = 0; user < 50; user++) typists.start("c", `${user}`, 6000);
  expect(typists.in("c")).toHaveLength(20);
});
