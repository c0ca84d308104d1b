import { describe, expect, test } from "vitest";
import { ACTIONS, actionDefinition, isActionName, type ActionName } from "./actions.ts";
import { COMMON_ERRORS, ERRORS } from "./errors.ts";
import { EVENTS } from "./events.ts";
import { LIMITS } from "./limits.ts";
import { hasPermission, MEMBER_PERMISSIONS, OWNER_PERMISSIONS, PERMISSIONS } from "./permissions.ts";

const names = Object.keys(ACTIONS) as ActionName[];

describe.each(names)("%s", (name) => {
  const definition = actionDefinition(name);

  test("has transports if and only if it is not internal", () => {
    expect(definition.transports.length === 0).toBe(definition.permission.rule === "internal");
  });

  test("has the id of its permission rule in its params", () => {
    const shape = Object.keys((definition.params as unknown as { shape: object }).shape);
    const needed = { group: ["groupId"], channel: ["channelId"] }[definition.permission.rule as string] ?? [];
    expect(shape).toEqual(expect.arrayContaining(needed));
  });

  test("lists only errors that aren't common", () => {
    for (const code of definition.errors) {
      expect(Object.keys(ERRORS)).toContain(code);
      expect(COMMON_ERRORS).not.toContain(code);
    }
  });

  test("rejects params that are not an object", () => {
    for (const params of [undefined, null, 1, "x", [1]])
      expect(definition.params.safeParse(params).success).toBe(false);
  });
});

test("names are service.verb, events are past tense or a state", () => {
  for (const name of names) expect(name).toMatch(/^[a-z]+\.[a-z][A-Za-z]*$/);
  for (const name of Object.keys(EVENTS))
    expect(name).toMatch(/^([a-zA-Z]+\.([a-z]+(ed|Ended|ing)|left|rang)|ready|resync)$/);
});

test("names inherited from Object are not actions", () => {
  for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty", ""]) {
    expect(isActionName(name)).toBe(false);
  }
});

test("permission bits are distinct, members have fewer than owners", () => {
  const bits = Object.values(PERMISSIONS);
  expect(new Set(bits).size).toBe(bits.length);
  for (const bit of bits) expect(Math.log2(bit) % 1).toBe(0);
  expect(hasPermission(MEMBER_PERMISSIONS, "kickMembers")).toBe(false);
  expect(hasPermission(OWNER_PERMISSIONS, "kickMembers")).toBe(true);
});

describe("message.send", () => {
  const { params } = actionDefinition("message.send");
  const channelId = "0123456789abcdef01234567";
  test.each([
    ["empty text", { channelId, content: "", nonce: "n" }],
    ["blank text", { channelId, content: " \n\t", nonce: "n" }],
    ["text that is too long", { channelId, content: "x".repeat(LIMITS.messageMaxChars + 1), nonce: "n" }],
    ["no nonce", { channelId, content: "x" }],
    ["an operator for an id", { channelId: { $ne: "" }, content: "x", nonce: "n" }],
    ["an id in capitals", { channelId: channelId.toUpperCase(), content: "x", nonce: "n" }],
  ])("rejects %s", (_what, value) => {
    expect(params.safeParse(value).success).toBe(false);
  });
  test("keeps the text unchanged", () => {
    const content = "  👋🏽 hello\n  world ";
    expect(params.parse({ channelId, content, nonce: "n" })).toMatchObject({ content });
  });
});

test("message.list accepts at most one of before, after and around", () => {
  const { params } = actionDefinition("message.list");
  const channelId = "0123456789abcdef01234567";
  expect(params.safeParse({ channelId, before: 3 }).success).toBe(true);
  expect(params.safeParse({ channelId, before: 3, after: 1 }).success).toBe(false);
});
