import type { Call } from "@fanfare/contract";
import { createServices } from "@fanfare/kernel";
import { expect, test } from "vitest";
import { countDaysAt, nextCount } from "./trends.ts";

const next = (time: string) => nextCount(Date.parse(time)).toISOString();

test("days are counted every hour, just before they end, and again once they are over", () => {
  expect(next("2026-11-30T10:20:00.000Z")).toBe("2026-11-30T11:20:00.000Z");
  expect(next("2026-11-30T23:20:00.000Z")).toBe("2026-11-30T23:59:00.000Z");
  expect(next("2026-11-30T23:59:00.000Z")).toBe("2026-12-01T00:01:00.000Z");
  expect(next("2026-11-30T23:59:40.000Z")).toBe("2026-12-01T00:01:00.000Z");
  expect(next("2026-12-01T00:00:20.000Z")).toBe("2026-12-01T00:01:00.000Z");
  expect(next("2026-12-01T00:01:00.000Z")).toBe("2026-12-01T01:01:00.000Z");
});

const NOW_MS = Date.parse("2026-11-30T10:20:00.000Z");

/** Counts with services whose actions return these values, or fail. */
async function countWith(values: Record<string, (params: { from: string }) => object>) {
  const stored: unknown[] = [];
  const actions: typeof values = {
    "user.countActive": () => ({ activeUsers: 5, firstAt: "2026-11-27T10:00:00.000Z" }),
    "user.countCreated": () => ({ newUsers: 1 }),
    "file.countBytes": () => ({ bytes: 7 }),
    "message.countBetween": () => ({ messages: 3 }),
    ...values,
  };
  const call = async (name: string, params: { from: string }) => actions[name]!(params);
  const store = async (startsAt: Date, counts: object) =>
    void stored.push([startsAt.toISOString().slice(0, 10), counts]);
  const counted = countDaysAt(
    { services: createServices(call as unknown as Call) },
    { list: async () => [], observe: store, complete: store },
    NOW_MS,
  );
  const error = await counted.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return { stored, error };
}

const complete = { messages: 3, newUsers: 1 };
const away = new Error("away");
const fail = () => {
  throw away;
};

test("a day that can't be counted doesn't hide the days after it, and is reported", async () => {
  const slow = ({ from }: { from: string }) =>
    from.startsWith("2026-11-28") ? fail() : { messages: complete.messages };
  expect(await countWith({ "message.countBetween": slow })).toEqual({
    stored: [
      ["2026-11-30", { activeUsers: 5, fileBytes: 7 }],
      ["2026-11-27", complete],
      ["2026-11-29", complete],
    ],
    error: away,
  });
});

test("an unavailable service only hides its own numbers", async () => {
  const days = ["2026-11-27", "2026-11-28", "2026-11-29"].map((day) => [day, complete]);
  expect(await countWith({ "file.countBytes": fail })).toEqual({
    stored: [["2026-11-30", { activeUsers: 5 }], ...days],
    error: away,
  });
  expect(await countWith({ "user.countActive": fail })).toEqual({
    stored: [["2026-11-30", { fileBytes: 7 }]],
    error: away,
  });
});
