import { describe, expect, test } from "vitest";
import { Lookup, batchedCall } from "./lookup.ts";
import type { FanfareClient } from "@fanfare/client";
import type { Params } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

function newLookup(max = 100, isDown = { value: false }) {
  const calls: string[][] = [];
  const lookup = new Lookup<string>({
    max,
    perCall: 3,
    async load(ids) {
      calls.push(ids);
      if (isDown.value) throw new Error("The server is away.");
      return new Map(ids.filter((id) => id !== "nobody").map((id) => [id, id.toUpperCase()]));
    },
  });
  return { lookup, calls };
}

describe("Lookup", () => {
  test("batches and deduplicates lookups up to the limit per call", async () => {
    const { lookup, calls } = newLookup();
    for (const id of ["a", "b", "a", "c", "d", "nobody"]) lookup.request(id);
    await turn();
    for (const id of ["a", "nobody"]) lookup.request(id);
    await turn();
    expect(calls).toEqual([
      ["a", "b", "c"],
      ["d", "nobody"],
    ]);
    expect(lookup.get("d")).toBe("D");
    expect(lookup.get("nobody")).toBeUndefined();
  });

  test("evicts the oldest values", async () => {
    const { lookup, calls } = newLookup(2);
    for (const id of ["a", "b", "c"]) lookup.request(id);
    await turn();
    expect(lookup.get("a")).toBeUndefined();
    lookup.request("a");
    await turn();
    expect(calls).toEqual([["a", "b", "c"], ["a"]]);
    expect(lookup.get("a")).toBe("A");
  });

  test("retries failed lookups and refreshes all values", async () => {
    const isDown = { value: true };
    const { lookup, calls } = newLookup(100, isDown);
    lookup.request("a");
    await turn();
    isDown.value = false;
    lookup.request("a");
    await turn();
    lookup.refresh();
    await turn();
    expect(calls).toEqual([["a"], ["a"], ["a"]]);
    expect(lookup.get("a")).toBe("A");
  });

  test("requests what failed again when asked to, once", async () => {
    const isDown = { value: true };
    const { lookup, calls } = newLookup(100, isDown);
    lookup.request("a");
    await turn();
    isDown.value = false;
    lookup.retry();
    lookup.retry();
    await turn();
    lookup.retry();
    await turn();
    expect(calls).toEqual([["a"], ["a"]]);
    expect(lookup.get("a")).toBe("A");
  });

  test("a result that is older than a change doesn't replace it", async () => {
    const answers: ((found: Map<string, string>) => void)[] = [];
    const load = () => new Promise<Map<string, string>>((resolve) => answers.push(resolve));
    const lookup = new Lookup<string>({ max: 10, perCall: 3, load });
    lookup.request("a");
    lookup.request("b");
    await turn();
    answers[0]!(new Map([["a", "old"]]));
    await turn();
    lookup.refresh();
    await turn();
    lookup.change("a", (value) => `${value} and changed`);
    answers[1]!(new Map([["a", "old"]]));
    await turn();
    expect(lookup.get("a")).toBe("old and changed");
    answers[2]!(new Map([["a", "new"]]));
    await turn();
    expect(lookup.get("a")).toBe("new");
    // Nor one that is not there yet.
    lookup.request("c");
    await turn();
    lookup.change("c", () => "unused");
    answers[3]!(new Map([["c", "old"]]));
    await turn();
    expect(lookup.get("c")).toBeUndefined();
    answers[4]!(new Map([["c", "new"]]));
    await turn();
    expect(lookup.get("c")).toBe("new");
    expect(answers).toHaveLength(5);
  });
});

type Asked = Params<"group.getMembers">;

/** A server where users are members unless their ID starts with "x". */
function newServer() {
  const calls: Asked[] = [];
  const client = {
    call(name: string, params: Asked) {
      if (name !== "group.getMembers") return Promise.resolve({ name });
      calls.push(params);
      if (params.groupId === "broken") return Promise.reject(new Error("broken"));
      const members = params.userIds.filter((id) => !id.startsWith("x")).map((userId) => ({ userId }));
      return Promise.resolve({ members });
    },
  } as unknown as FanfareClient;
  return { call: batchedCall(client), calls };
}

test("requests members of one group in one call, and throws MEMBER_NOT_FOUND for non-members", async () => {
  const { call, calls } = newServer();
  const answers = await Promise.allSettled([
    call("group.getMember", { groupId: "a", userId: "u1" }),
    call("group.getMember", { groupId: "b", userId: "u1" }),
    call("group.getMember", { groupId: "a", userId: "x1" }),
    call("group.getMember", { groupId: "broken", userId: "u1" }),
  ]);
  expect(answers).toMatchObject([
    { value: { member: { userId: "u1" } } },
    { value: { member: { userId: "u1" } } },
    { reason: { type: "MEMBER_NOT_FOUND" } },
    { reason: { message: "broken" } },
  ]);
  expect(calls).toEqual([
    { groupId: "a", userIds: ["u1", "x1"] },
    { groupId: "b", userIds: ["u1"] },
    { groupId: "broken", userIds: ["u1"] },
  ]);
});

test("splits requests above the limit, and does not cache the responses", async () => {
  const { call, calls } = newServer();
  const userIds = Array.from({ length: LIMITS.usersPerLookup + 1 }, (_, i) => `u${i}`);
  const ask = (userId: string) => call("group.getMember", { groupId: "a", userId });
  const answers = await Promise.all(userIds.map(ask));
  expect(answers.map(({ member }) => member.userId)).toEqual(userIds);
  await ask("u0");
  expect(calls.map((call) => call.userIds.length)).toEqual([LIMITS.usersPerLookup, 1, 1]);
});

test("other actions are called directly", async () => {
  expect(await newServer().call("user.me", {})).toEqual({ name: "user.me" });
});
