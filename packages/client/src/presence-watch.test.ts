import type { Call, Params, Presence } from "@fanfare/contract";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FanfareError } from "./errors.ts";
import { PresenceWatch, type Status } from "./presence-watch.ts";

const EXPIRES_IN_MS = 600_000;

let statuses: Map<string, Status>;
let asked: string[][];
let unwatched: string[][];
let failures: FanfareError[];
let online: boolean;
let onAsk: () => void;
let watch: PresenceWatch;

const call = (async (name: string, { userIds }: Params<"presence.watch">) => {
  if (name === "presence.unwatch") {
    unwatched.push([...userIds]);
    return {};
  }
  asked.push([...userIds]);
  onAsk();
  const failure = failures.shift();
  if (failure !== undefined) throw failure;
  const presences = userIds.flatMap((userId): Presence[] => {
    const status = statuses.get(userId);
    return status === undefined ? [] : [{ userId, status }];
  });
  return { presences, ownStatus: "online", expiresInMs: EXPIRES_IN_MS };
}) as unknown as Call;

beforeEach(() => {
  vi.useFakeTimers();
  statuses = new Map([
    ["ann", "online"],
    ["ben", "idle"],
  ]);
  asked = [];
  unwatched = [];
  failures = [];
  online = true;
  onAsk = () => undefined;
  watch = new PresenceWatch({
    call,
    isOnline: () => online,
    backoff: { baseMs: 100, maxMs: 1000 },
    spreadMs: 2000,
  });
});
afterEach(() => {
  watch.close();
  vi.useRealTimers();
});

const settle = () => vi.advanceTimersByTimeAsync(0);
const names = (count: number) => Array.from({ length: count }, (_, index) => `user${index}`);

test("watches users in one call, and receives their changes", async () => {
  let changes = 0;
  watch.subscribe(() => (changes += 1));
  watch.watch(["ann"]);
  watch.watch(["ben", "eve"]);
  await settle();
  expect(asked).toEqual([["ann", "ben", "eve"]]);
  expect([watch.status("ann"), watch.status("ben"), watch.status("eve")]).toEqual([
    "online",
    "idle",
    undefined,
  ]);
  watch.receive([
    { userId: "ann", status: "offline" },
    { userId: "eve", status: "online" },
  ]);
  // Eve is not in the result, because she isn't visible to this user.
  expect([watch.status("ann"), watch.status("eve")]).toEqual(["offline", undefined]);
  expect(changes).toBe(2);
});

test("a call has at most 100 users, and at most 500 are watched", async () => {
  const end = watch.watch(names(499));
  await settle();
  expect(asked.map(({ length }) => length)).toEqual([100, 100, 100, 100, 99]);
  expect(() => watch.watch(["ann", "ben"])).toThrow(expect.objectContaining({ type: "TOO_MANY_WATCHED" }));
  watch.watch(["ann", "user0"]);
  end();
  watch.watch(["ben"]);
  await settle();
  expect(asked.slice(5)).toEqual([["ann", "ben"]]);
});

test("requests all users again after reconnecting, and none while offline", async () => {
  online = false;
  watch.watch(["ann"]);
  await settle();
  expect(asked).toEqual([]);
  online = true;
  watch.refetch();
  await settle();
  expect(watch.status("ann")).toBe("online");
  statuses.set("ann", "idle");
  watch.refetch();
  await settle();
  expect(watch.status("ann")).toBe("idle");
});

test("a watch is renewed before it expires", async () => {
  watch.watch(["ann"]);
  await settle();
  await vi.advanceTimersByTimeAsync(EXPIRES_IN_MS * 0.79);
  expect(asked).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(EXPIRES_IN_MS * 0.02);
  expect(asked).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(EXPIRES_IN_MS);
  expect(asked).toHaveLength(3);
});

test("an event during a call is newer than its result", async () => {
  onAsk = () => watch.receive([{ userId: "ann", status: "offline" }]);
  watch.watch(["ann"]);
  await settle();
  expect(watch.status("ann")).toBe("offline");
});

test("a user who is no longer visible has no status", async () => {
  watch.watch(["ann", "ben"]);
  await settle();
  statuses.delete("ann");
  watch.refetchLater(["ann", "eve"]);
  watch.refetchLater(["ann"]);
  await vi.advanceTimersByTimeAsync(2000);
  expect(asked).toHaveLength(2);
  expect(asked.at(-1)).toEqual(["ann"]);
  expect([watch.status("ann"), watch.status("ben")]).toEqual([undefined, "idle"]);
});

test("a watch ends with its last subscriber", async () => {
  const [first, second] = [watch.watch(["ann", "ben"]), watch.watch(["ann"])];
  await settle();
  first();
  first();
  expect(unwatched).toEqual([["ben"]]);
  expect([watch.status("ann"), watch.status("ben")]).toEqual(["online", undefined]);
  second();
  expect(unwatched.at(-1)).toEqual(["ann"]);
  watch.refetch();
  await settle();
  expect(asked).toHaveLength(1);
});

describe("a failure", () => {
  const failure = (retryable: boolean) =>
    new FanfareError({
      type: "UNAVAILABLE",
      message: "",
      retryable,
      requestId: "",
      data: { retryAfterMs: 2000 },
    });

  test("is retried if retryable, after the delay requested by the server", async () => {
    failures = [failure(true)];
    watch.watch(["ann"]);
    await vi.advanceTimersByTimeAsync(1999);
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(600);
    expect(asked).toHaveLength(2);
    expect(watch.status("ann")).toBe("online");
  });

  test("is not retried for a minute if not retryable", async () => {
    watch.watch(["ben"]);
    await settle();
    failures = [failure(false)];
    watch.watch(["ann"]);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(asked).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(2000);
    expect(watch.status("ann")).toBe("online");
  });
});
