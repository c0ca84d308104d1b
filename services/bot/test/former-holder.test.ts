import { OWNER_PERMISSIONS } from "@fanfare/contract";
import { type Actor, newId, type NodeContext } from "@fanfare/kernel";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConnectedDatabase, connectOwnDatabase } from "../../../test/support/database.ts";
import { botActions, tokenActions } from "../src/actions/bots.ts";
import { ownBotActions } from "../src/actions/own-bot.ts";
import type { BotDependencies } from "../src/bot.dependencies.ts";
import { type BotDocument, createBotRepository } from "../src/bot.repository.ts";
import { createCursorRepository, createInvocationRepository } from "../src/callbacks/delivery.repository.ts";

// The holder of a bot's token subscribes while the owner of the group takes the bot over.

let database: ConnectedDatabase;
beforeAll(async () => {
  database = await connectOwnDatabase();
});
afterAll(() => database.close());

const owner: Actor = { userId: newId(), sessionId: newId(), kind: "member" };
const url = "http://127.0.0.1:1/";
const secret = "a secret of the bot";

/** @param during what happens in the middle of an action, by the call to another service that it makes then */
async function createBot(during: { subscribe?: () => Promise<unknown>; newToken?: () => Promise<unknown> }) {
  const repositories = {
    bots: createBotRepository(database.connection),
    cursors: createCursorRepository(database.connection),
    invocations: createInvocationRepository(database.connection),
  };
  const services = {
    user: {
      async openBotSession() {
        await during.newToken?.();
        return { sessionId: newId() };
      },
      hasSession: async () => ({ isAlive: true }),
    },
    group: {
      recordAudit: async () => ({}),
      async listSeenChannels() {
        await during.subscribe?.();
        return { channels: [{ channelId: newId(), createdAt: new Date().toISOString() }] };
      },
    },
    message: {
      listHeads: async ({ channelIds }: { channelIds: string[] }) => ({
        heads: channelIds.map((channelId) => ({ channelId, head: { rev: 1, seq: 1 }, lastReadSeq: 0 })),
      }),
    },
  };
  const dependencies = {
    ...repositories,
    node: { services } as unknown as NodeContext,
    callbacks: { notify: async () => undefined },
    sealer: { seal: (text: string) => text },
  } as unknown as BotDependencies;
  const document: BotDocument = {
    _id: newId(),
    groupId: newId(),
    name: "Robot",
    scopes: ["messages.read", "events"],
    tokenHash: "of the former token",
    sessionId: newId(),
    createdBy: newId(),
    createdAt: new Date(),
  };
  await repositories.bots.insert(document);
  const { _id: botId, groupId, sessionId } = document;
  const actions = {
    ...botActions(dependencies),
    ...ownBotActions(dependencies),
    ...tokenActions(dependencies),
  } as Record<string, (call: unknown) => Promise<unknown>>;
  const holder: Actor = { userId: botId, sessionId, kind: "bot" };
  const access = { permissions: OWNER_PERMISSIONS };
  return {
    subscribe: () =>
      actions["bot.subscribe"]!({
        params: { url, secret, events: ["message.created"] },
        actor: holder,
      }),
    unsubscribe: () => actions["bot.unsubscribe"]!({ params: {}, actor: holder }),
    newToken: {
      "bot.rotateToken": () =>
        actions["bot.rotateToken"]!({ params: { groupId, botId }, actor: owner, access }),
      "bot.revokeToken": () =>
        actions["bot.revokeToken"]!({
          params: { kind: "bot", id: botId },
          actor: { ...owner, userId: document.createdBy },
        }),
    },
    callback: async () => (await repositories.bots.find(botId))?.callback,
    cursors: () => database.connection.collection("botCursors").countDocuments({ botId }),
    /** The new holder of the token subscribes. */
    async subscribeAgain() {
      const { sessionId: newSessionId } = (await repositories.bots.find(botId))!;
      const actor = { ...holder, sessionId: newSessionId };
      await actions["bot.subscribe"]!({ params: { url, secret, events: ["message.created"] }, actor });
    },
  };
}

const REVOKED = { type: "SESSION_REVOKED" };

test.each(["bot.rotateToken", "bot.revokeToken"] as const)(
  "a subscription at the same moment as %s doesn't survive it",
  async (name) => {
    const during: Parameters<typeof createBot>[0] = {};
    const bot = await createBot(during);
    // The new token comes in the middle of the subscription.
    during.subscribe = async () => {
      delete during.subscribe;
      await bot.newToken[name]();
    };
    await expect(bot.subscribe()).rejects.toMatchObject(REVOKED);
    expect([await bot.callback(), await bot.cursors()]).toEqual([undefined, 0]);
    // The subscription was already permitted, but begins later.
    await expect(bot.subscribe()).rejects.toMatchObject(REVOKED);
    expect([await bot.callback(), await bot.cursors()]).toEqual([undefined, 0]);

    const second = await createBot(during);
    // The subscription comes in the middle of the change.
    during.newToken = async () => {
      delete during.newToken;
      await second.subscribe();
      expect(await second.callback()).toBeDefined();
    };
    await second.newToken[name]();
    expect([await second.callback(), await second.cursors()]).toEqual([undefined, 0]);
  },
);

test("the former holder can't end the new holder's subscription", async () => {
  const bot = await createBot({});
  await bot.subscribe();
  await bot.newToken["bot.rotateToken"]();
  await bot.subscribeAgain();
  const callback = await bot.callback();
  expect(callback).toBeDefined();
  await expect(bot.unsubscribe()).rejects.toMatchObject(REVOKED);
  await expect(bot.subscribe()).rejects.toMatchObject(REVOKED);
  expect([await bot.callback(), await bot.cursors()]).toEqual([callback, 1]);
});
