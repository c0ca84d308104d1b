import { expect, test } from "vitest";
import { z } from "zod";
import { actionDefinition, actionsWhere, pausesInMaintenance, type ActionName } from "./actions.ts";
import { internal, mutation, query } from "./define.ts";

const inChannel = z.object({ channelId: z.string() });
const shared = { summary: "Does something.", params: inChannel, result: z.object({}) };
const external = { ...shared, permission: { rule: "session" } } as const;

test("an action must have a permission rule; other defaults are the safest", () => {
  // @ts-expect-error a permission rule is required
  expect(() => query(shared)).toThrow("rule");
  // @ts-expect-error only `internal` creates internal actions
  mutation({ ...shared, permission: { rule: "internal" } });
  // @ts-expect-error unknown scope
  query({ ...external, botScope: "everything" });
  // @ts-expect-error no such parameter to shard by
  mutation({ ...external, shardBy: "groupId" });
  // @ts-expect-error only reads can be heavy
  mutation({ ...external, isHeavy: true });
  expect(query(external)).toMatchObject({ mutates: false, botScope: null, transports: ["socket", "http"] });
  expect(mutation(external)).toMatchObject({ mutates: true, botScope: null });
  expect(internal(shared).transports).toEqual([]);
});

test("pages of messages and inboxes are heavy", () => {
  expect(actionsWhere(({ isHeavy }) => isHeavy === true)).toEqual(
    expect.arrayContaining(["message.list", "channel.sync", "message.search", "inbox.list"]),
  );
});

test("an action is sharded by one of its parameters", () => {
  for (const name of actionsWhere(({ shardBy }) => shardBy !== undefined)) {
    const { params, shardBy } = actionDefinition(name);
    expect(Object.keys((params as unknown as { shape: object }).shape)).toContain(shardBy);
  }
});

test("during maintenance only reads and signing in and out work", () => {
  const works = (name: ActionName): boolean => !pausesInMaintenance(actionDefinition(name));
  for (const name of actionsWhere(({ mutates }) => !mutates)) expect(works(name)).toBe(true);
  const mutating = actionsWhere(
    ({ mutates, permission: { rule } }) => mutates && rule !== "admin" && rule !== "internal",
  );
  expect(mutating.filter(works).sort()).toEqual([
    "user.exchangeOidcCode",
    "user.login",
    "user.loginWithPasskey",
    "user.logout",
    "user.logoutAll",
    "user.refresh",
    "user.revokeSession",
    "user.startPasskeyLogin",
  ]);
});
