import { describe, expect, test } from "vitest";
import { Lookup } from "./lookup.ts";

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
  test("asks together for what is wanted in one moment, once, and no more than fits into a call", async () => {
    const { lookup, calls } = newLookup();
    for (const id of ["a", "b", "a", "c", "d", "nobody"]) lookup.want(id);
    await turn();
    for (const id of ["a", "nobody"]) lookup.want(id);
    await turn();
    expect(calls).toEqual([
      ["a", "b", "c"],
      ["d", "nobody"],
    ]);
    expect(lookup.get("d")).toBe("D");
    expect(lookup.get("nobody")).toBeUndefined();
  });

  test("forgets the oldest, which can be asked for again", async () => {
    const { lookup, calls } = newLookup(2);
    for (const id of ["a", "b", "c"]) lookup.want(id);
    await turn();
    expect(lookup.get("a")).toBeUndefined();
    lookup.want("a");
    await turn();
    expect(calls).toEqual([["a", "b", "c"], ["a"]]);
    expect(lookup.get("a")).toBe("A");
  });

  test("asks again for what failed, and for all that is held when that may be old", async () => {
    const isDown = { value: true };
    const { lookup, calls } = newLookup(100, isDown);
    lookup.want("a");
    await turn();
    isDown.value = false;
    lookup.want("a");
    await turn();
    lookup.refresh();
    await turn();
    expect(calls).toEqual([["a"], ["a"], ["a"]]);
    expect(lookup.get("a")).toBe("A");
  });
});
