import { ERRORS, type BotScope, type Result, type WireAnswer } from "@fanfare/contract";
import {
  createAccount,
  createGuest,
  createWorld,
  MODERATOR_PERMISSIONS,
  must,
  type World,
} from "@fanfare/testing";
import { startInstance, type Instance } from "../support/instance.ts";
import fc from "fast-check";
import { io, type Socket } from "socket.io-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { faultsOf } from "./fuzz-check.ts";
import { drawName, drawParams, type Draw } from "./fuzz-input.ts";

// Whatever arrives by HTTP or socket, from any user: the answer is one that the contract lists, and the server
// survives. FUZZ_ROUNDS=100000 searches longer; FUZZ_SEED repeats the seed printed by a failure.

const WANTED = process.env["FUZZ_ROUNDS"];
const RUNS =
  WANTED === undefined
    ? [
        { rounds: 300, tags: [] },
        { rounds: 3000, tags: "long" },
      ]
    : [{ rounds: Number(WANTED), tags: [] }];
const SEED = Number(process.env["FUZZ_SEED"] ?? Date.now() % 2 ** 31);
/** After this many calls, new users and groups replace those that the calls have disabled. */
const ROUNDS_PER_SCENE = 60;
const ANSWER_TIMEOUT_MS = 10_000;

const ROLES = ["anonymous", "stranger", "member", "muted", "owner", "account", "moderator", "bot"] as const;

const SCOPES: BotScope[] = [
  "group.read",
  "messages.read",
  "messages.write",
  "messages.manage",
  "commands",
  "events",
];

interface Scene {
  world: World;
  tokens: Record<(typeof ROLES)[number], string | undefined>;
  sockets: Map<string, Socket>;
  /** IDs from elsewhere: a group and channel that most users are not in, and a direct channel. */
  others: string[];
}

let instance: Instance;
let scene: Scene;
const uncaught: unknown[] = [];
const note = (error: unknown): void => void uncaught.push(error);

beforeAll(async () => {
  process.on("unhandledRejection", note).on("uncaughtException", note);
  instance = await startInstance();
  // The first account is the admin, who could disable everyone.
  await createAccount(instance.url);
  scene = await setScene();
});
afterAll(async () => {
  for (const socket of scene?.sockets.values() ?? []) socket.disconnect();
  await instance?.stop();
  process.off("unhandledRejection", note).off("uncaughtException", note);
});

async function setScene(): Promise<Scene> {
  const { url } = instance;
  const [world, account] = await Promise.all([createWorld(url), createAccount(url)]);
  const { owner, member, muted, stranger } = world;
  const { group, channels } = await must(url, "group.create", { name: "Elsewhere" }, stranger.accessToken);
  const { channel } = await must(url, "channel.openDirect", { userId: owner.userId }, member.accessToken);
  const groupId = world.group.id;
  const role = { groupId, name: "Moderators", permissions: MODERATOR_PERMISSIONS };
  const { role: moderators } = await must(url, "role.create", role, owner.accessToken);
  const moderator = await createGuest(url);
  await must(url, "invite.accept", { code: world.inviteCode }, moderator.accessToken);
  const given = { groupId, roleId: moderators.id, userId: moderator.userId };
  await must(url, "role.assign", given, owner.accessToken);
  const wanted = { groupId, name: "Robot", scopes: SCOPES };
  const { bot, token: botToken } = await must(url, "bot.create", wanted, owner.accessToken);
  const hook = { channelId: world.channel.id, name: "Hook" };
  const { webhook } = await must(url, "webhook.create", hook, owner.accessToken);
  const tokens = {
    anonymous: undefined,
    stranger: stranger.accessToken,
    member: member.accessToken,
    muted: muted.accessToken,
    owner: owner.accessToken,
    account: account.accessToken,
    moderator: moderator.accessToken,
    bot: botToken,
  };
  return {
    world,
    tokens,
    sockets: new Map(),
    others: [group.id, channels[0]!.id, channel.id, account.userId, moderators.id, bot.id, webhook.id],
  };
}

async function socketOf(token: string): Promise<Socket> {
  const known = scene.sockets.get(token);
  if (known?.connected) return known;
  const socket = io(instance.url, {
    transports: ["websocket"],
    auth: { token },
    reconnection: false,
    forceNew: true,
  });
  scene.sockets.set(token, socket);
  await new Promise((resolve) => socket.once("connect", () => resolve(null)).once("connect_error", resolve));
  return socket;
}

/** @returns null if the session has ended, and the socket with it */
async function callBySocket(
  token: string,
  name: string,
  params: unknown,
): Promise<WireAnswer<unknown> | null> {
  const socket = await socketOf(token);
  if (!socket.connected) return null;
  try {
    return (await socket.timeout(ANSWER_TIMEOUT_MS).emitWithAck(name, params)) as WireAnswer<unknown>;
  } catch (error) {
    // Another call has ended the session, for example by deleting a bot. A dead server is noticed by the next
    // call.
    if (!socket.connected) return null;
    throw error;
  }
}

async function callByHttp(
  token: string | undefined,
  name: string,
  params: unknown,
): Promise<WireAnswer<unknown>> {
  const response = await fetch(`${instance.url}/api/${encodeURIComponent(name)}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(params) ?? "",
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  const answer = (await response.json()) as WireAnswer<unknown>;
  expect(response.status).toBe(answer.ok ? 200 : ERRORS[answer.error.type].status);
  return answer;
}

/** Whether the message is stored exactly as it was acknowledged. */
async function isStoredAsAnswered(token: string, { message }: Result<"message.send">): Promise<void> {
  const params = { channelId: message.channelId, messageId: message.id };
  expect(await must(instance.url, "message.get", params, token)).toEqual({ message });
}

async function isHealthy(): Promise<void> {
  const ready = await fetch(`${instance.opsUrl}/readyz`);
  expect(ready.status).toBe(200);
  const { owner, channel } = await createWorld(instance.url);
  const params = { channelId: channel.id, content: "Still here.", nonce: "n" };
  await isStoredAsAnswered(
    owner.accessToken,
    await must(instance.url, "message.send", params, owner.accessToken),
  );
}

for (const { rounds, tags } of RUNS)
  test(
    `${rounds} calls with random parameters, seed ${SEED}`,
    { tags, timeout: 240_000 + rounds * 100 },
    async () => {
      let made = 0;
      let isOver = false;
      const outcomes = new Map<string, number>();
      const oneCall = fc.asyncProperty(fc.gen(), async (gen) => {
        if (made++ % ROUNDS_PER_SCENE === ROUNDS_PER_SCENE - 1 || isOver) {
          isOver = false;
          for (const socket of scene.sockets.values()) socket.disconnect();
          scene = await setScene();
        }
        const draw: Draw = (arbitrary) => gen(() => arbitrary);
        const role = draw(fc.constantFrom(...ROLES, "member" as const, "owner" as const, "owner" as const));
        const name = drawName(draw);
        const params = drawParams(draw, name, scene.world, scene.others);
        const token = scene.tokens[role];
        const transport = token === undefined || draw(fc.boolean()) ? "http" : "socket";
        const answer = await (transport === "http"
          ? callByHttp(token, name, params)
          : callBySocket(token!, name, params));
        if (answer === null) return;
        const outcome = answer.ok ? "ok" : answer.error.type;
        isOver = outcome === "SESSION_REVOKED";
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        expect(faultsOf(transport, name, answer)).toEqual([]);
        if (answer.ok && name === "message.send")
          await isStoredAsAnswered(token!, answer.data as Result<"message.send">);
      });
      await fc.assert(oneCall, { numRuns: rounds, seed: SEED, endOnFailure: true });
      await isHealthy();
      expect(uncaught).toEqual([]);
      if (WANTED !== undefined) console.log(Object.fromEntries(outcomes));
      // Calls must get through to the handlers, or this test shows nothing.
      expect(outcomes.get("ok")).toBeGreaterThan(rounds / 20);
    },
  );
