import { describe, expect, test } from "vitest";
import { isReachable, type Approach, type Relation } from "./reach.ts";

const stranger: Relation = { isFriend: false, isMate: false, isBlocked: false };
const mate = { ...stranger, isMate: true };
const friend = { ...stranger, isFriend: true };
const reached = (approach: Approach, reach: Parameters<typeof isReachable>[1]) =>
  [stranger, mate, friend].map((relation) => isReachable(approach, reach, relation));

describe("a request", () => {
  test.each([
    ["everyone", [true, true, true]],
    ["groupMates", [false, true, true]],
    ["nobody", [false, false, false]],
  ] as const)("with requests accepted from %s", (requestsFrom, expected) => {
    expect(reached("request", { requestsFrom, directFrom: "friends" })).toEqual(expected);
  });
});

describe("a direct channel", () => {
  test.each([
    ["everyone", [true, true, true], [false, true, true]],
    ["groupMates", [false, true, true], [false, true, true]],
    ["friends", [false, false, true], [false, false, true]],
  ] as const)("with direct messages accepted from %s", (directFrom, ofTwo, ofSeveral) => {
    expect(reached("direct", { requestsFrom: "nobody", directFrom })).toEqual(ofTwo);
    expect(reached("groupDirect", { requestsFrom: "nobody", directFrom })).toEqual(ofSeveral);
  });
});

test.each(["request", "direct", "groupDirect"] as const)(
  "a block takes precedence over everything: %s",
  (approach) => {
    const relation = { isFriend: true, isMate: true, isBlocked: true };
    expect(isReachable(approach, { requestsFrom: "everyone", directFrom: "everyone" }, relation)).toBe(false);
  },
);
