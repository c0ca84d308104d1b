import { expect, test } from "vitest";
import { z } from "zod";
import { ACTIONS, actionDefinition, actionsWhere, pausesInMaintenance, type ActionName } from "./actions.ts";
import { action } from "./define.ts";

const inChannel = z.object({ channelId: z.string() });
const shared = { summary: "Does something.", params: inChannel, result: z.object({}) };
const external = { ...shared, permission: { rule: "session" } } as const;

test("an action that clients can call compiles only with all its facts", () => {
  action({ ...external, mutates: true, botScope: null, cost: 1 });
  // @ts-expect-error it has to state whether it mutates
  action({ ...external, botScope: null, cost: 1 });
  // @ts-expect-error it has to state which scope bots need
  action({ ...external, mutates: true, cost: 1 });
  // @ts-expect-error it has to state its cost
  action({ ...external, mutates: true, botScope: null });
  // @ts-expect-error there is no such scope
  action({ ...external, mutates: true, botScope: "everything", cost: 1 });
  // @ts-expect-error there is no such parameter to shard by
  action({ ...external, mutates: true, botScope: null, cost: 1, shardBy: "groupId" });
  expect(action({ ...shared, permission: { rule: "internal" } }).transports).toEqual([]);
});

test("costs are positive, and pages of messages and inboxes are heavy", () => {
  const costs = actionsWhere(({ transports }) => transports.length > 0).map((name) => ACTIONS[name].cost);
  for (const cost of costs) expect(cost).toBeGreaterThanOrEqual(1);
  expect(actionsWhere(({ cost }) => cost >= 5)).toEqual(
    expect.arrayContaining(["message.list", "channel.sync", "message.search", "inbox.list"]),
  );
});

test("an action is sharded by a parameter that it has", () => {
  for (const name of actionsWhere(({ shardBy }) => shardBy !== undefined)) {
    const { params, shardBy } = actionDefinition(name);
    expect(Object.keys((params as unknown as { shape: object }).shape)).toContain(shardBy);
  }
});

test("during maintenance everything that only reads works, and signing in and out", () => {
  const works = (name: ActionName): boolean => !pausesInMaintenance(actionDefinition(name));
  for (const name of actionsWhere(({ mutates }) => !mutates)) expect(works(name)).toBe(true);
  const mutating = actionsWhere(
    ({ mutates, permission: { rule } }) => mutates && rule !== "admin" && rule !== "internal",
  );
  expect(mutating.filter(works).sort()).toEqual([
    "user.exchangeOidcCode",
    "user.login",
    "user.logout",
    "user.logoutAll",
    "user.refresh",
    "user.revokeSession",
  ]);
});
