import { ACTIONS, EVENTS, type ActionName } from "@fanfare/contract";
import { expect, test } from "vitest";
import { factsOf, isEventName } from "./limits.ts";

const external = (Object.keys(ACTIONS) as ActionName[]).filter((name) => ACTIONS[name].transports.length > 0);

test("the manifest matches the definition of every action", () => {
  for (const name of external) {
    const { transports, permission, startsSession, endsSession } = ACTIONS[name];
    expect(transports).toContain("http");
    expect(factsOf(name)).toMatchObject({
      ...(!transports.includes("socket") && { httpOnly: true }),
      ...(permission.rule === "public" && { isPublic: true }),
      ...(startsSession && { startsSession }),
      ...(endsSession && { endsSession }),
    });
  }
  expect(factsOf("message.send")).toEqual({});
});

test("the manifest has every event", () => {
  expect(Object.keys(EVENTS).filter((name) => !isEventName(name))).toEqual([]);
  expect(isEventName("toString")).toBe(false);
});
