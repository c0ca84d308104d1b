import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Call } from "@fanfare/contract";
import { startEmbeddedMongo } from "@fanfare/embedded-mongo";
import { callOf, loadConfig, type NodeContext } from "@fanfare/kernel";
import { startFanfare } from "@fanfare/node";
import {
  createAccount,
  createWorld,
  hasLiveKit,
  must,
  postRaw,
  startLiveKit,
  type World,
} from "@fanfare/testing";
import { expect, test, vi } from "vitest";
import { MATRIX, READS } from "../policy/matrix.ts";
import { exerciseGroups } from "./group-queries.ts";
import { exerciseAdmin } from "./admin-queries.ts";
import { exerciseBots } from "./bot-queries.ts";
import { exerciseCalls } from "./call-queries.ts";
import { exerciseFiles } from "./file-queries.ts";
import { exerciseAccounts } from "./account-queries.ts";

// Explains every query made by any action: none may scan a whole collection.

const LIVEKIT = { key: "test-key", secret: "a secret of LiveKit with 32 or more characters" };

type Command = Record<string, unknown>;
type Client = ReturnType<NodeContext["database"]["getClient"]>;

const EXPLAINABLE = ["find", "update", "delete", "findAndModify", "aggregate", "count", "distinct"];

/** One command of each shape: collection, and the fields of filter and sort. */
function record(client: Client): Map<string, Command> {
  const commands = new Map<string, Command>();
  client.on("commandStarted", ({ commandName, command }: { commandName: string; command: Command }) => {
    if (!EXPLAINABLE.includes(commandName)) return;
    commands.set(shapeOf(commandName, command), command);
  });
  return commands;
}

function shapeOf(name: string, command: Command): string {
  const [statement] = (command["updates"] ?? command["deletes"] ?? []) as { q: object }[];
  const [stage] = (command["pipeline"] ?? []) as { $match?: object }[];
  const filter = command["filter"] ?? command["query"] ?? statement?.q ?? stage?.$match ?? {};
  const fieldsOf = (part: object): string =>
    Object.entries(part)
      .map(([key, value]) => (key === "$or" ? `$or(${fieldsOf((value as [object])[0])})` : key))
      .join();
  const fields = fieldsOf(filter) || "nothing";
  const sort = command["sort"] === undefined ? [] : [...(command["sort"] as Map<string, unknown>).keys()];
  return `${name} ${String(command[name])} by ${fields}${sort.length > 0 ? ` sorted by ${sort.join(",")}` : ""}`;
}

async function explain(client: Client, command: Command): Promise<string> {
  const { lsid: _lsid, $db: db, txnNumber: _txn, ...explained } = command;
  const answer = await client.db(String(db)).command({ explain: explained, verbosity: "queryPlanner" });
  return JSON.stringify((answer["queryPlanner"] as Command)["winningPlan"]);
}

/** How many actions run at a time. Each has its own world, and a world that nothing changed serves the next. */
const AT_A_TIME = 8;

/** Calls every action as the owner, who has most permissions, and the sequences that take several calls. */
async function exerciseAllActions(url: string): Promise<void> {
  const left = Object.keys(MATRIX) as (keyof typeof MATRIX)[];
  const runNext = async (): Promise<void> => {
    let world: World | undefined;
    for (let name = left.pop(); name !== undefined; name = left.pop()) {
      world ??= await createWorld(url);
      const body = JSON.stringify(MATRIX[name].params(world));
      const { ok } = await postRaw(url, name, body, world.owner.accessToken);
      if (ok && !READS.test(name)) world = undefined;
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, runNext));
  await exerciseRest(url, await createWorld(url));
}

async function exerciseRest(
  url: string,
  { owner, member, target, group, channel, message }: World,
): Promise<void> {
  const { username, accessToken } = await createAccount(url);
  const login = await must(url, "user.login", { username, password: "correct horse" });
  await must(url, "user.refresh", { refreshToken: login.refreshToken });
  const passwords = { oldPassword: "correct horse", newPassword: "battery staple" };
  await must(url, "user.changePassword", passwords, accessToken);
  const { channelId, messageId } = { channelId: channel.id, messageId: message.id };
  const edited = {
    channelId,
    messageId,
    content: "Changed",
    nonce: "again",
    replyTo: messageId,
    resend: true,
  };
  await must(url, "message.edit", edited, target.accessToken);
  const named = { channelId, content: `<@${owner.userId}>`, nonce: "named" };
  await must(url, "message.send", named, target.accessToken);
  const found = { channelId, from: target.userId, withContext: true };
  await must(url, "message.search", found, owner.accessToken);
  for (const name of ["inbox.list", "inbox.getUnreadCount", "channel.listUnread"] as const)
    await must(url, name, {}, owner.accessToken);
  await must(url, "group.create", { name: "Another" }, owner.accessToken);
  // The second time, the threads of both groups are queried together.
  for (const text of ["first", "second"])
    await must(url, "message.search", { everywhere: true, text }, owner.accessToken);
  await must(url, "notification.set", { channelId, level: "all" }, owner.accessToken);
  await must(url, "notification.list", { cursor: channelId }, owner.accessToken);
  await must(url, "notification.setPreferences", { keywords: ["launch"] }, owner.accessToken);
  await must(url, "message.send", edited, owner.accessToken);
  const emoji = { channelId, messageId, emoji: "👍" };
  await must(url, "message.react", emoji, owner.accessToken);
  await must(url, "message.listReactors", { ...emoji, afterUserId: owner.userId }, owner.accessToken);
  await must(url, "message.listEdits", { channelId, messageId, before: 1 }, owner.accessToken);
  await must(url, "inbox.list", { cursor: channelId }, owner.accessToken);
  for (const page of [{ before: 2 }, { after: 0 }, { around: 1 }])
    await must(url, "message.list", { channelId, ...page }, owner.accessToken);
  const { groupId, userId } = { groupId: group.id, userId: target.userId };
  await must(url, "group.listMembers", { groupId, afterUserId: userId }, owner.accessToken);
  await must(url, "group.mute", { groupId, userId, durationMs: 60_000 }, owner.accessToken);
  await exerciseGroups(url);
  await exerciseDirectChannels(url, { owner, member, target });
  await exerciseThreads(url, { owner, channel, message });
  await exerciseFriends(url);
  await must(url, "group.leave", { groupId }, target.accessToken);
  const cursor = `${Date.now()}-${channelId}`;
  await must(url, "channel.listDirect", { cursor }, member.accessToken);
  await must(url, "group.delete", { groupId }, owner.accessToken);
}

async function exerciseDirectChannels(
  url: string,
  { owner, member, target }: Pick<World, "owner" | "member" | "target">,
) {
  const others = { userIds: [member.userId] };
  const { channel } = await must(url, "channel.createGroupDirect", others, owner.accessToken);
  const [channelId, userId] = [channel.id, target.userId];
  await must(url, "channel.addToDirect", { channelId, userId }, owner.accessToken);
  await must(url, "channel.renameDirect", { channelId, name: "Three" }, member.accessToken);
  await must(url, "channel.closeDirect", { channelId }, member.accessToken);
  for (const who of [target, member, owner]) {
    await must(url, "channel.removeFromDirect", { channelId, userId: who.userId }, who.accessToken);
  }
}

async function findMentions(call: Call): Promise<void> {
  const keys = ["u", "r", "all"].map((kind) => `${kind}:${"a".repeat(24)}`);
  const channelId = "c".repeat(24);
  await call("message.listMentions", { keys, before: channelId });
  const channels = [{ channelId, afterSeq: 1, upToSeq: 9, keys }];
  await call("message.countMentions", { userId: "a".repeat(24), channels });
  await call("message.listChanges", { channelId, afterRev: 1, limit: 10 });
}

async function exerciseThreads(
  url: string,
  { owner, channel, message }: Pick<World, "owner" | "channel" | "message">,
): Promise<void> {
  const root = { channelId: channel.id, messageId: message.id };
  const thread = (await must(url, "channel.openThread", root, owner.accessToken)).channel;
  const page = { channelId: channel.id, cursor: `${Date.now()}-${channel.id}` };
  await must(url, "channel.listThreads", page, owner.accessToken);
  await must(url, "channel.listFollowedThreads", { cursor: page.cursor }, owner.accessToken);
  for (const name of ["archiveThread", "unarchiveThread", "delete"] as const)
    await must(url, `channel.${name}`, { channelId: thread.id }, owner.accessToken);
}

/** Guests, like all the others here, have no friends. */
async function exerciseFriends(url: string): Promise<void> {
  const [ann, ben] = [await createAccount(url), await createAccount(url)];
  const [ofAnn, ofBen] = [{ userId: ann.userId }, { userId: ben.userId }];
  for (const name of ["decline", "accept"] as const) {
    await must(url, "friend.request", { username: ben.username }, ann.accessToken);
    await must(url, `friend.${name}`, ofAnn, ben.accessToken);
  }
  for (const name of ["list", "listRequests"] as const)
    await must(url, `friend.${name}`, { cursor: ann.userId }, ann.accessToken);
  await must(url, "friend.setReach", { directFrom: "friends" }, ben.accessToken);
  await must(url, "friend.remove", ofBen, ann.accessToken);
}

test("no action scans a whole collection", { tags: "long" }, async () => {
  const dir = await mkdtemp(join(tmpdir(), "fanfare-test-"));
  const database = await startEmbeddedMongo({ dir: join(dir, "db") });
  const url = new URL(database.uri);
  url.searchParams.set("monitorCommands", "true");
  const livekit = hasLiveKit() ? await startLiveKit(LIVEKIT) : null;
  const env = {
    NODE_ENV: "test",
    PORT: "0",
    OPS_PORT: "0",
    DATA_DIR: dir,
    RATE_LIMIT_FACTOR: "1000",
    GATEWAY_THREADS: "0",
    ...(livekit !== null && {
      LIVEKIT_URL: livekit.url,
      LIVEKIT_SERVER_URL: livekit.serverUrl,
      LIVEKIT_KEY: LIVEKIT.key,
      LIVEKIT_SECRET: LIVEKIT.secret,
    }),
  };
  const fanfare = await startFanfare(loadConfig({ ...env, MONGO_URL: url.href }));
  try {
    const context = fanfare.context as NodeContext;
    const client = context.database.getClient();
    const commands = record(client);
    await exerciseAllActions(fanfare.url);
    await context.services.user.listRevokedSessions({});
    await findMentions(callOf(context.services));
    await exerciseBots(fanfare.url);
    await exerciseFiles(fanfare.url, callOf(context.services));
    await exerciseAccounts(fanfare.url, context);
    await exerciseAdmin(fanfare.url, callOf(context.services));
    if (livekit !== null) await exerciseCalls(fanfare.url, database.uri);
    // The last queries of removing a group, and of the sweeps for files and for what a crash left behind.
    const sweeps = ["find groups by deletedAt", "findAndModify files by dueAt sorted by dueAt"];
    const last = ["delete groups by _id", ...sweeps];
    await vi.waitFor(() => expect([...commands.keys()]).toEqual(expect.arrayContaining(last)));

    const plans = await Promise.all(
      [...commands].map(async ([shape, command]) => ({ shape, plan: await explain(client, command) })),
    );
    const withStage = (stage: string) => plans.filter(({ plan }) => plan.includes(`"stage":"${stage}"`));
    expect(withStage("COLLSCAN")).toEqual([]);
    expect(withStage("SORT")).toEqual([]);
    // Fewer would mean that the recording misses some.
    expect(plans.length).toBeGreaterThan(60);
  } finally {
    await fanfare.stop();
    await livekit?.stop();
    await database.close();
    await rm(dir, { recursive: true, force: true });
  }
});
