import { ACTIONS, EVENTS, type ActionName } from "@fanfare/contract";
import { expect, test } from "vitest";
import { HTTP_ONLY, isEventName, PUBLIC } from "./limits.ts";

const names = Object.keys(ACTIONS) as ActionName[];

test("the list of actions that answer by HTTP only is the contract's", () => {
  const httpOnly = names.filter((name) => {
    const { transports } = ACTIONS[name];
    return transports.includes("http") && !transports.includes("socket");
  });
  expect([...HTTP_ONLY].sort()).toEqual(httpOnly.sort());
});

test("every action that can be called from outside can be called by HTTP", () => {
  const outside = names.filter((name) => ACTIONS[name].transports.length > 0);
  expect(outside.filter((name) => !ACTIONS[name].transports.includes("http"))).toEqual([]);
});

test("the list of public actions is the contract's", () => {
  const open = names.filter((name) => ACTIONS[name].permission.rule === "public");
  expect([...PUBLIC].sort()).toEqual(open.sort());
});

test("every event of the contract is known", () => {
  expect(Object.keys(EVENTS).filter((name) => !isEventName(name))).toEqual([]);
  expect(isEventName("toString")).toBe(false);
});
