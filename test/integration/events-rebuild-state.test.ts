import { FanfareClient } from "@fanfare/client";
import {
  createStore,
  type ClientState,
  channelOf,
  channelsOf,
  directsOf,
  groupsOf,
  inboxItems,
  openJoinRequestsOf,
  openReportsOf,
} from "@fanfare/client/store";
import type { ActionName, Call, EventName, InboxItem, Params, SessionTokens } from "@fanfare/contract";
import { hasPermission, PERMISSIONS } from "@fanfare/contract/permissions";
import { EVENT_NAMES } from "@fanfare/contract/manifest";
import { createAccount, freePort, must } from "@fanfare/testing";
import { Store } from "../../packages/client/src/store/store.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { uploadEmoji } from "../support/emoji.ts";
import { TOTP } from "otpauth";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";

// Load the state, act, let the events change it, load it again in another client: both must be the same.

/** Much longer than any re-fetch takes, including a lost call that is retried after 15 s. */
const SETTLES_WITHIN_MS = 50_000;
vi.setConfig({ testTimeout: 4 * SETTLES_WITHIN_MS });

interface Observer {
  client: FanfareClient;
  store: Store;
  call: Call;
  /** Another connection of the same user, whose answers are compared with the state of `client`. */
  checker: FanfareClient;
  inbox: InboxItem[];
  seen: Set<EventName>;
  tokens: SessionTokens;
  /** Paged lists already requested. */
  listed: Set<string>;
}

let instance: Instance;
let clients: FanfareClient[] = [];
let owner: Observer;
let ownersPhone: Observer;
let member: Observer;
let groupId: string;
let channelId: string;
const covered = new Set<EventName>();

beforeAll(async () => {
  // Kept free during a restart, which system-assigned ports would not be.
  const [port, opsPort] = [await freePort(), await freePort()];
  instance = await startInstance({ PORT: String(port), OPS_PORT: String(opsPort) });
});
afterAll(() => instance?.stop());

function newClient(tokens: SessionTokens): FanfareClient {
  const client = new FanfareClient({ url: instance.url });
  clients.push(client);
  client.useTokens(tokens);
  return client;
}

async function observe(tokens: SessionTokens): Promise<Observer> {
  const [client, checker] = [newClient(tokens), newClient(tokens)];
  const store = createStore(client);
  const observer: Observer = {
    client,
    store,
    call: client.call,
    checker,
    inbox: [],
    seen: new Set(),
    tokens,
    listed: new Set(),
  };
  for (const name of EVENT_NAMES) {
    client.on(name, () => {
      observer.seen.add(name);
      covered.add(name);
    });
  }
  // Re-fetching everything would hide what events are missing.
  store.invalidateAllLater = () => undefined;
  store.onInvalidation(({ name }) => {
    if (name === "inbox.list") void listInbox(observer).catch(() => undefined);
  });
  await Promise.all([client.connect(), checker.connect()]);
  await listInbox(observer);
  await loadState(store, client.call, observer);
  client.presence.watch(membersIn(store.state));
  return observer;
}

async function listInbox(observer: Observer): Promise<void> {
  observer.inbox = (await observer.call("inbox.list", {})).items;
}

/** Loads everything a user can see that isn't loaded yet; paged lists only once per observer. */
async function loadState(store: Store, call: Call, { tokens, listed }: Observer): Promise<void> {
  const load: Store["load"] = async (name, params) => {
    await store.load(name, params);
    if (!listed.has(name + JSON.stringify(params))) store.retain(name, params);
    listed.add(name + JSON.stringify(params));
  };
  const list = async <N extends ActionName>(name: N, params: Params<N>): Promise<void> => {
    const key = name + JSON.stringify(params);
    if (!listed.has(key)) await store.wrapCall(name, params, () => call(name, params));
    listed.add(key);
  };
  await load("user.me", {});
  await load("group.listMine", {});
  await load("channel.listDirect", {});
  await load("channel.listUnread", {});
  await load("notification.list", {});
  await load("notification.getPreferences", {});
  await load("draft.list", {});
  await load("saved.list", {});
  await load("scheduled.list", {});
  await load("inbox.getUnreadCount", {});
  await load("join.listMine", {});
  if (tokens.user.admin) await load("admin.getOpenReportCount", {});
  if (tokens.user.kind === "member") {
    await load("friend.list", {});
    await load("friend.listRequests", {});
  }
  for (const { id } of groupsOf(store.state)!) {
    await load("role.list", { groupId: id });
    await load("emoji.list", { groupId: id });
    await load("channel.list", { groupId: id });
    await load("group.myPermissions", { groupId: id });
    if (moderates(store.state, id)) await load("report.getOpenCount", { groupId: id });
    if (approves(store.state, id)) await load("join.getOpenCount", { groupId: id });
    await load("group.listNicknames", { groupId: id });
    await load("group.listMemberChanges", { groupId: id });
    await list("group.listMembers", { groupId: id, limit: 100 });
    for (const { id: inGroup, kind } of channelsOf(store.state, id)!) {
      if (kind !== "text") continue;
      await load("message.listPins", { channelId: inGroup });
      for (const archived of [false, true]) {
        await list("channel.listThreads", { channelId: inGroup, archived, limit: 100 });
      }
    }
  }
}

const moderates = ({ permissions }: ClientState, groupId: string): boolean =>
  hasPermission(permissions[groupId]!.permissions, "manageMessages");

const approves = ({ permissions }: ClientState, groupId: string): boolean =>
  hasPermission(permissions[groupId]!.permissions, "kickMembers");

/** The state as the user sees it. */
function shown({ state }: Store, inbox: readonly InboxItem[]) {
  const {
    me,
    permissions,
    roles,
    emoji,
    members,
    nicknames,
    memberChanges,
    pins,
    notifications,
    notificationPreferences,
    drafts,
    saved,
    scheduled,
    channels,
  } = state;
  const groups = groupsOf(state)!;
  const threads = Object.values(channels).filter(({ kind }) => kind === "thread");
  return {
    me,
    groups,
    permissions: mapTable(permissions, (one) => ({ ...one, channels: one.channels.toSorted(byChannelId) })),
    roles,
    emoji,
    members,
    nicknames,
    memberChanges,
    pins,
    notifications,
    notificationPreferences,
    drafts,
    saved,
    scheduled,
    openReports: [null, ...groups.map(({ id }) => id).filter((id) => moderates(state, id))].map((id) =>
      openReportsOf(state, id),
    ),
    joinRequests: state.joinRequests,
    openJoinRequests: groups
      .filter(({ id }) => approves(state, id))
      .map(({ id }) => openJoinRequestsOf(state, id)),
    inboxUnread: state.inboxUnread,
    inbox: inboxItems(state, inbox),
    friends: state.friends,
    requests: state.friendRequests,
    directs: directsOf(state),
    unread: state.unread,
    channels: groups.map(({ id }) => channelsOf(state, id)),
    threads: threads.map(({ id }) => channelOf(state, id)).sort((a, b) => (a!.id < b!.id ? -1 : 1)),
  };
}

/**
 * Expects every observer with access to end with the server's state, and each of the events to be seen by one
 * of them.
 */
async function expectSame(observers: Observer[], events: EventName[]): Promise<void> {
  await vi.waitFor(
    async () => {
      expect(events.filter((name) => !observers.some(({ seen }) => seen.has(name)))).toEqual([]);
      for (const observer of observers) await compare(observer);
    },
    { interval: 300, timeout: SETTLES_WITHIN_MS },
  );
}

async function compare(observer: Observer): Promise<void> {
  const { client, store, checker, tokens, inbox } = observer;
  await loadState(store, client.call, observer);
  const fresh = new Store({
    call: checker.call,
    isOnline: () => true,
    backoff: { baseMs: 100, maxMs: 1000 },
    spreadMs: 0,
  });
  fresh.receive("ready", { userId: tokens.user.id, sessionId: "", protocolVersion: 1, serverTime: "" });
  await loadState(fresh, checker.call, { ...observer, listed: new Set() });
  fresh.close();
  const { items } = await checker.call("inbox.list", {});
  expect(shown(store, inbox)).toEqual(shown(fresh, items));
  for (const channel of Object.values(fresh.state.channels)) {
    if (channel.kind === "section") continue;
    const copy = client.channel(channel.id);
    if (copy.snapshot.status === "loading") await copy.load();
    const { messages } = await checker.call("message.list", { channelId: channel.id, limit: 100 });
    expect(copy.messages).toEqual(messages);
  }
  const userIds = membersIn(fresh.state);
  if (userIds.length === 0) return;
  const { presences } = await checker.call("presence.watch", { userIds });
  const statusOf = (userId: string) => client.presence.status(userId);
  client.presence.watch(userIds.filter((userId) => statusOf(userId) === undefined));
  expect(userIds.map((userId) => [userId, statusOf(userId)])).toEqual(
    userIds.map((userId) => [userId, presences.find((one) => one.userId === userId)?.status]),
  );
}

/** Another session of the same account. */
async function logInAgain(username: string): Promise<SessionTokens> {
  return must(instance.url, "user.login", { username, password: "correct horse" });
}

let accounts = 0;
async function register(): Promise<SessionTokens & { username: string }> {
  const username = `observer${(accounts += 1)}`;
  return {
    ...(await must(instance.url, "user.register", { username, password: "correct horse" })),
    username,
  };
}

beforeEach(async () => {
  const ownerAccount = await register();
  const memberAccount = await register();
  const made = await must(instance.url, "group.create", { name: "A group" }, ownerAccount.accessToken);
  groupId = made.group.id;
  channelId = made.channels[0]!.id;
  const { invite } = await must(instance.url, "invite.create", { groupId }, ownerAccount.accessToken);
  await must(instance.url, "invite.accept", { code: invite.code }, memberAccount.accessToken);
  owner = await observe(ownerAccount);
  ownersPhone = await observe(await logInAgain(ownerAccount.username));
  member = await observe(memberAccount);
});

afterEach(() => {
  for (const client of clients) client.close();
  clients = [];
});

const membersIn = ({ members }: ClientState): string[] => [
  ...new Set(Object.values(members).flatMap((byUser) => Object.keys(byUser))),
];

const byChannelId = (a: { channelId: string }, b: { channelId: string }): number =>
  a.channelId < b.channelId ? -1 : 1;

const mapTable = <T>(table: Readonly<Record<string, T>>, change: (value: T) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(table).map(([key, value]) => [key, change(value)]));

const channelIds = ({ store }: Observer): string[] => channelsOf(store.state, groupId)!.map(({ id }) => id);

const inboxOf = ({ store, inbox }: Observer): string[] =>
  inboxItems(store.state, inbox).map(({ message }) => message.id);

const send = (from: Observer, content: string) =>
  from.call("message.send", { channelId, content, nonce: `${content}-${Math.random()}` });

test("messages: sent, edited, deleted", async () => {
  const sent = await Promise.all(
    ["one", "two", "three", "four"].map((text, i) => send(i % 2 ? owner : member, text)),
  );
  const [first, second] = [sent[0]!.message, sent[1]!.message];
  await member.call("message.edit", { channelId, messageId: first.id, content: "one, edited" });
  await owner.call("message.delete", { channelId, messageId: second.id });
  await owner.call("message.delete", { channelId, messageId: first.id });
  await expectSame([owner, ownersPhone, member], ["message.created", "message.changed", "message.deleted"]);
});

test("messages: reactions and pins", async () => {
  const { message } = await send(member, "look");
  const one = { channelId, messageId: message.id };
  const both = [owner, member];
  await Promise.all(both.map(({ call }) => call("message.react", { ...one, emoji: "👍" })));
  await owner.call("message.react", { ...one, emoji: "🎉" });
  await owner.call("message.pin", one);
  await expectSame([owner, ownersPhone, member], ["reaction.changed", "message.changed"]);
  await owner.call("message.unreact", { ...one, emoji: "🎉" });
  await member.call("message.unreact", { ...one, emoji: "👍" });
  await owner.call("message.unpin", one);
  await vi.waitFor(
    () => expect(member.client.channel(channelId).messages[0]?.reactions).toHaveLength(1),
    5000,
  );
  await expectSame([owner, ownersPhone, member], []);
});

test("read markers sync to the user's other sessions", { tags: "long" }, async () => {
  await send(member, "hello");
  await owner.call("channel.markRead", { channelId, seq: 1 });
  await expectSame([ownersPhone], ["readMarker.updated"]);
  await owner.call("channel.markUnread", { channelId, seq: 1 });
  await expectSame([owner, ownersPhone], ["readMarker.lowered"]);
});

test("polls: votes, and their end", { tags: "long" }, async () => {
  const poll = { options: ["Tea", "Coffee"] };
  const { message } = await owner.call("message.send", { channelId, content: "Tea?", nonce: "poll", poll });
  await member.call("message.react", { channelId, messageId: message.id, emoji: "1️⃣" });
  await expectSame([owner, ownersPhone, member], ["message.created", "reaction.changed"]);
  await owner.call("message.endPoll", { channelId, messageId: message.id });
  await expectSame([owner, ownersPhone, member], ["message.changed"]);
});

test("drafts sync to the user's other sessions", { tags: "long" }, async () => {
  await owner.call("draft.set", { channelId, content: "so far" });
  await expectSame([owner, ownersPhone], ["draft.changed"]);
  await owner.call("draft.set", { channelId, content: "" });
  await expectSame([owner, ownersPhone], ["draft.changed"]);
});

test("saved messages sync to the user's other sessions", { tags: "long" }, async () => {
  const { message } = await send(member, "for later");
  const one = { channelId, messageId: message.id };
  await owner.call("saved.add", { ...one, remindAt: null });
  await expectSame([owner, ownersPhone], ["saved.added"]);
  await owner.call("saved.add", { ...one, remindAt: new Date(0).toISOString() });
  await expectSame([owner, ownersPhone], ["saved.reminded"]);
  await owner.call("saved.remove", { messageId: message.id });
  await expectSame([owner, ownersPhone], ["saved.removed"]);
});

test("scheduled messages sync to the user's other sessions", { tags: "long" }, async () => {
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const { scheduled } = await owner.call("scheduled.add", { channelId, content: "later", sendAt: later });
  await expectSame([owner, ownersPhone], ["scheduled.changed"]);
  await owner.call("scheduled.change", { scheduledId: scheduled.id, sendAt: new Date(0).toISOString() });
  await expectSame([owner, ownersPhone, member], ["scheduled.removed", "message.created"]);
});

test("reports are counted for those who can close them, and for no one else", { tags: "long" }, async () => {
  const moderator = await observe(await register());
  const { invite } = await owner.call("invite.create", { groupId });
  await moderator.call("invite.accept", { code: invite.code });
  const { role } = await owner.call("role.create", {
    groupId,
    name: "Moderators",
    permissions: PERMISSIONS.manageMessages,
  });
  await owner.call("role.assign", { groupId, userId: moderator.tokens.user.id, roleId: role.id });
  await expectSame([owner, ownersPhone, moderator], ["role.created", "member.updated"]);
  const { message } = await send(owner, "spam");
  await member.call("report.create", { channelId, messageId: message.id, reason: "spam" });
  for (const one of [owner, ownersPhone, moderator]) await expectSame([one], ["report.changed"]);
  expect(openReportsOf(owner.store.state, groupId)).toBe(1);
  const { reports } = await moderator.call("report.list", { groupId });
  await moderator.call("report.close", { groupId, reportId: reports[0]!.id, outcome: "dismissed" });
  await vi.waitFor(() => expect(openReportsOf(owner.store.state, groupId)).toBe(0), SETTLES_WITHIN_MS);
  await expectSame([owner, ownersPhone, moderator], []);
  // An event that everyone gets shows that no other one is on its way.
  await owner.call("group.update", { groupId, name: "Renamed" });
  await expectSame([member], ["group.updated"]);
  expect(member.seen).not.toContain("report.changed");
});

test("join requests, for those who ask and those who can approve", { tags: "long" }, async () => {
  const { invite } = await owner.call("invite.create", { groupId });
  const code = invite.code;
  await owner.call("group.update", { groupId, needsApproval: true });
  const account = await register();
  const [asker, askersPhone] = [await observe(account), await observe(await logInAgain(account.username))];
  const other = await observe(await register());
  await asker.call("join.request", { code, message: "Hello" });
  await other.call("join.request", { code });
  const all = [owner, ownersPhone, member, asker, askersPhone, other];
  for (const one of [owner, ownersPhone]) await expectSame([one], ["joinRequest.changed"]);
  for (const one of [asker, askersPhone]) await expectSame([one], ["joinRequest.updated"]);
  expect(openJoinRequestsOf(owner.store.state, groupId)).toBe(2);
  await owner.call("join.reject", { groupId, userIds: [other.tokens.user.id] });
  await vi.waitFor(
    () => expect(other.store.state.joinRequests?.[groupId]?.askAgainAt).toEqual(expect.any(String)),
    SETTLES_WITHIN_MS,
  );
  await expectSame(all, []);
  await owner.call("join.approve", { groupId, userIds: [asker.tokens.user.id] });
  for (const one of [asker, askersPhone]) await expectSame([one], ["joinRequest.removed", "group.joined"]);
  await owner.call("group.startLockdown", { groupId });
  await expectSame(all, ["group.updated"]);
  await owner.call("group.endLockdown", { groupId });
  await expectSame(all, []);
  expect(member.seen).not.toContain("joinRequest.changed");
});

test("channels: created, renamed, deleted", async () => {
  const { channel } = await owner.call("channel.create", { groupId, name: "second" });
  await owner.call("channel.update", { channelId: channel.id, name: "renamed", position: 7 });
  const doomed = await owner.call("channel.create", { groupId, name: "third" });
  await owner.call("channel.delete", { channelId: doomed.channel.id });
  await expectSame([owner, ownersPhone, member], ["channel.created", "channel.updated", "channel.deleted"]);
});

test("groups: renamed and transferred", async () => {
  await owner.call("group.update", { groupId, name: "Another name" });
  await owner.call("group.transfer", { groupId, userId: member.tokens.user.id });
  await expectSame([owner, ownersPhone, member], ["group.updated"]);
});

test("members: joining, muted, leaving, kicked, banned", async () => {
  const { invite } = await owner.call("invite.create", { groupId });
  const late = await Promise.all(Array.from({ length: 4 }, async () => observe(await register())));
  await Promise.all(late.map(({ call }) => call("invite.accept", { code: invite.code })));
  await expectSame([owner, member, ...late], ["member.joined", "group.joined"]);
  const [muted, leaving, kicked, banned] = late as [Observer, Observer, Observer, Observer];
  await owner.call("group.mute", { groupId, userId: muted.tokens.user.id, durationMs: 60_000 });
  await leaving.call("group.leave", { groupId });
  await owner.call("group.kick", { groupId, userId: kicked.tokens.user.id });
  await owner.call("group.ban", { groupId, userId: banned.tokens.user.id });
  await expectSame([owner, member, ...late], ["member.left", "member.updated", "group.left"]);
  await owner.call("group.unmute", { groupId, userId: muted.tokens.user.id });
  await expectSame([owner, member, muted], ["member.updated"]);
  const changesOf = ({ tokens }: Observer) =>
    member.store.state.memberChanges[groupId]!.filter(({ userId }) => userId === tokens.user.id);
  expect(changesOf(leaving).map(({ change }) => change)).toEqual(["left", "joined"]);
  await kicked.call("invite.accept", { code: invite.code });
  await expectSame([owner, member], ["member.joined"]);
  expect(changesOf(kicked).map(({ change }) => change)).toEqual(["joined", "left"]);
});

test(
  "nicknames and pictures in a group: chosen, changed by others, and removed",
  { tags: "long" },
  async () => {
    const userId = member.tokens.user.id;
    const { accessToken } = member.tokens;
    const avatarFileId = await uploadEmoji(instance.url, { accessToken });
    await member.call("group.setOwnNickname", { groupId, nickname: "Captain", avatarFileId });
    await expectSame([owner, ownersPhone, member], ["member.updated"]);
    const shown = { userId, nickname: "Captain", avatarUrl: expect.any(String) as string };
    expect(ownersPhone.store.state.nicknames[groupId]).toEqual({ [userId]: shown });
    await owner.call("group.setNickname", { groupId, userId, nickname: null });
    await expectSame([owner, ownersPhone, member], ["member.updated"]);
    await owner.call("group.setNickname", { groupId, userId, avatarFileId: null });
    await expectSame([owner, ownersPhone, member], ["member.updated"]);
    expect(member.store.state.nicknames[groupId]).toEqual({});
  },
);

test("roles: created, changed, reordered, assigned, unassigned and deleted; the default role and group settings", async () => {
  const userId = member.tokens.user.id;
  const make = async (name: string) => (await owner.call("role.create", { groupId, name })).role.id;
  const [first, second, doomed] = [await make("First"), await make("Second"), await make("Doomed")];
  await owner.call("role.update", { groupId, roleId: first, name: "Renamed", color: 0xff0000 });
  await owner.call("role.reorder", { groupId, roleIds: [first, doomed, second] });
  for (const roleId of [first, second, doomed]) await owner.call("role.assign", { groupId, userId, roleId });
  await owner.call("role.unassign", { groupId, userId, roleId: second });
  await owner.call("role.delete", { groupId, roleId: doomed });
  await owner.call("role.setDefault", { groupId, permissions: 3 });
  await owner.call("group.update", { groupId, description: "About us", defaultChannelId: channelId });
  await owner.call("group.update", { groupId, systemChannelId: channelId });
  await expectSame(
    [owner, ownersPhone, member],
    ["role.created", "role.updated", "role.reordered", "role.deleted", "member.updated", "group.updated"],
  );
});

test("emoji and stickers: added, renamed, sent and deleted", { tags: "long" }, async () => {
  const add = async (name: string, kind: "emoji" | "sticker") => {
    const fileId = await uploadEmoji(instance.url, owner.tokens);
    return (await owner.call("emoji.add", { groupId, kind, name, fileId })).emoji.id;
  };
  const [kept, doomed] = [await add("kept", "emoji"), await add("Doomed sticker", "sticker")];
  await owner.call("message.send", { channelId, content: "", stickerId: doomed, nonce: "sticker" });
  await owner.call("emoji.rename", { groupId, emojiId: kept, name: "renamed" });
  await owner.call("emoji.delete", { groupId, emojiId: doomed });
  await expectSame([owner, ownersPhone, member], ["emoji.added", "emoji.renamed", "emoji.deleted"]);
  expect(Object.values(member.store.state.emoji[groupId]!).map(({ name }) => name)).toEqual(["renamed"]);
});

test("channels that become visible and hidden, and sections", async () => {
  const userId = member.tokens.user.id;
  const { role } = await owner.call("role.create", { groupId, name: "Staff" });
  const hidden = { groupId, name: "hidden", private: true };
  const { channel } = await owner.call("channel.create", { ...hidden, roleIds: [role.id] });
  const { channel: own } = await owner.call("channel.create", { ...hidden, memberIds: [userId] });
  const section = await owner.call("channel.create", { groupId, name: "section", kind: "section" });
  await expectSame([owner, ownersPhone, member], ["channel.created"]);
  await owner.call("role.assign", { groupId, userId, roleId: role.id });
  await owner.call("channel.removeOverride", {
    channelId: own.id,
    target: { type: "member", id: userId },
  });
  const sectionId = section.channel.id;
  const places = [channel.id, channelId].map((id, position) => ({ channelId: id, sectionId, position }));
  await owner.call("channel.reorder", { groupId, places });
  await expectSame([owner, ownersPhone, member], ["channel.deleted", "channel.reordered"]);
  expect(channelIds(member)).toContain(channel.id);
  expect(channelIds(member)).not.toContain(own.id);
  await owner.call("channel.delete", { channelId: sectionId });
  await owner.call("channel.update", {
    channelId: channel.id,
    topic: "Now with a topic",
    slowModeSeconds: 5,
  });
  await owner.call("channel.setOverride", {
    channelId,
    target: { type: "everyone" },
    allow: 0,
    deny: 1,
  });
  await expectSame([owner, ownersPhone, member], ["channel.updated"]);
  expect(channelIds(member)).toEqual([channel.id]);
});

test("a deleted group, also for those who ask to join", { tags: "long" }, async () => {
  const { invite } = await owner.call("invite.create", { groupId });
  await owner.call("group.update", { groupId, needsApproval: true });
  const asker = await observe(await register());
  await asker.call("join.request", { code: invite.code });
  await expectSame([asker], ["joinRequest.updated"]);
  await owner.call("group.delete", { groupId });
  await expectSame([owner, ownersPhone, member], ["group.deleted"]);
  await expectSame([asker], ["joinRequest.removed"]);
});

test("an opened direct channel", async () => {
  await owner.call("channel.openDirect", { userId: member.tokens.user.id });
  await expectSame([owner, ownersPhone, member], ["channel.created"]);
});

test("friends: requested, accepted, removed, and requested from both sides", { tags: "long" }, async () => {
  const [ownerId, memberId] = [owner.tokens.user.id, member.tokens.user.id];
  const requested = owner.call("friend.request", { userId: memberId });
  expect(await requested).toEqual({ state: "requested" });
  await expectSame([owner, ownersPhone, member], ["friend.requested"]);
  await member.call("friend.accept", { userId: ownerId });
  await expectSame([owner, ownersPhone, member], ["friend.added"]);
  await owner.call("friend.remove", { userId: memberId });
  await expectSame([owner, ownersPhone, member], ["friend.removed"]);
  await member.call("friend.request", { userId: ownerId });
  expect(await owner.call("friend.request", { userId: memberId })).toEqual({ state: "friends" });
  await expectSame([owner, ownersPhone, member], ["friend.added"]);
});

test("a group DM: created, joined, renamed, left", { tags: "long" }, async () => {
  const third = await observe(await register());
  const { invite } = await owner.call("invite.create", { groupId });
  await third.call("invite.accept", { code: invite.code });
  const [memberId, thirdId] = [member, third].map(({ tokens }) => tokens.user.id) as [string, string];
  const { channel } = await owner.call("channel.createGroupDirect", { userIds: [memberId], name: "Trip" });
  await expectSame([owner, ownersPhone, member, third], ["channel.created"]);
  const inDirect = { channelId: channel.id };
  await owner.call("channel.addToDirect", { ...inDirect, userId: thirdId });
  await third.call("channel.renameDirect", { ...inDirect, name: "The trip" });
  await expectSame([owner, ownersPhone, member, third], ["channel.updated"]);
  await third.call("channel.removeFromDirect", { ...inDirect, userId: thirdId });
  await owner.call("channel.removeFromDirect", { ...inDirect, userId: owner.tokens.user.id });
  await expectSame([owner, ownersPhone, member, third], ["channel.deleted"]);
  expect(channelOf(member.store.state, channel.id)?.ownerId).toBe(memberId);
  await member.call("channel.removeFromDirect", { ...inDirect, userId: memberId });
  await expectSame([owner, member, third], []);
});

test("a direct channel: closed, and reopened by the next message", { tags: "long" }, async () => {
  const { channel } = await owner.call("channel.openDirect", { userId: member.tokens.user.id });
  await owner.call("channel.closeDirect", { channelId: channel.id });
  await expectSame([owner, ownersPhone, member], ["channel.closed"]);
  expect(owner.store.state.directs).not.toContain(channel.id);
  await member.call("message.send", { channelId: channel.id, content: "there?", nonce: "there?" });
  await vi.waitFor(() => expect(ownersPhone.store.state.directs).toContain(channel.id), 5000);
  await expectSame([owner, ownersPhone, member], []);
});

test("threads: opened, renamed, archived, reopened, deleted, and deleted with their channel", async () => {
  const { message } = await send(member, "the root");
  const root = { channelId, messageId: message.id };
  const { channel } = await member.call("channel.openThread", root);
  const inThread = { channelId: channel.id };
  await owner.call("message.send", { ...inThread, content: "about it", nonce: "about it" });
  await expectSame([owner, ownersPhone, member], ["channel.created", "message.changed", "thread.followed"]);
  expect(owner.client.channel(channelId).messages[0]?.threadId).toBe(channel.id);
  const shared = { ...inThread, content: "for all", nonce: "for all", alsoInChannel: true };
  const reply = (await owner.call("message.send", shared)).message;
  await expectSame([owner, ownersPhone, member], ["message.created"]);
  await owner.call("message.edit", { ...inThread, messageId: reply.id, content: "for everyone" });
  await expectSame([owner, ownersPhone, member], []);
  expect(member.client.channel(channelId).messages.at(-1)).toMatchObject({ content: "for everyone" });
  await owner.call("message.delete", { ...inThread, messageId: reply.id });
  await expectSame([owner, ownersPhone, member], ["message.deleted"]);
  await owner.call("channel.update", { ...inThread, name: "About the root" });
  await member.call("channel.archiveThread", inThread);
  await expectSame([owner, ownersPhone, member], ["channel.updated"]);
  expect(owner.store.state.channels[channel.id]).toMatchObject({ name: "About the root" });
  expect(owner.store.state.channels[channel.id]?.archivedAt).not.toBeNull();
  await owner.call("channel.unarchiveThread", inThread);
  await expectSame([owner, ownersPhone, member], []);
  await owner.call("channel.delete", inThread);
  await expectSame([owner, ownersPhone, member], ["channel.deleted"]);
  await owner.call("channel.openThread", root);
  await expectSame([owner, ownersPhone, member], []);
  await owner.call("channel.create", { groupId, name: "another" });
  await owner.call("channel.delete", { channelId });
  await expectSame([owner, ownersPhone, member], []);
});

test("the inbox: mentioned, edited, read, cleared, and removed with the group", async () => {
  const memberId = member.tokens.user.id;
  const first = await send(owner, `you <@${memberId}>`);
  const second = await send(owner, "nobody");
  await expectSame([owner, member], ["inbox.added"]);
  const edit = (messageId: string, content: string) =>
    owner.call("message.edit", { channelId, messageId, content });
  await edit(second.message.id, `you too <@${memberId}>`);
  await edit(first.message.id, "not you");
  await expectSame([owner, member], ["message.changed"]);
  expect(inboxOf(member)).toEqual([second.message.id]);
  await member.call("inbox.markRead", { messageId: first.message.id });
  await expectSame([owner, member], ["inbox.updated"]);
  await member.call("inbox.clear", { messageId: second.message.id });
  await expectSame([owner, member], []);
  expect(inboxOf(member)).toEqual([]);
  await send(owner, `once more <@${memberId}>`);
  await vi.waitFor(() => expect(inboxOf(member)).toHaveLength(1), 5000);
  await owner.call("group.kick", { groupId, userId: memberId });
  await expectSame([owner, member], []);
});

test("notification settings sync to the user's other sessions", { tags: "long" }, async () => {
  await owner.call("notification.set", { groupId, level: "nothing", suppressEveryone: true });
  await owner.call("notification.set", { channelId, mutedUntil: "2100-01-01T00:00:00.000Z", favorite: true });
  await expectSame([owner, ownersPhone, member], ["notification.updated"]);
  expect(Object.keys(ownersPhone.store.state.notifications!)).toHaveLength(2);
  await owner.call("notification.set", { channelId, mutedUntil: null });
  await expectSame([owner, ownersPhone], ["notification.updated"]);
  expect(ownersPhone.store.state.notifications![channelId]).toMatchObject({ favorite: true });
  await owner.call("notification.set", { channelId, favorite: false, hidden: true });
  await expectSame([owner, ownersPhone], ["notification.updated"]);
  await owner.call("notification.set", { channelId, hidden: false });
  await owner.call("notification.set", { groupId, level: null, suppressEveryone: false });
  await expectSame([owner, ownersPhone, member], []);
  expect(ownersPhone.store.state.notifications).toEqual({});
});

test("quiet hours, keywords and emails sync to the user's other sessions", { tags: "long" }, async () => {
  const quietHours = { from: "22:00", to: "07:00", days: [1, 7], timeZone: "Europe/Berlin" };
  await owner.call("notification.setPreferences", { keywords: ["launch"] });
  await owner.call("notification.setPreferences", { quietHours });
  await expectSame([owner, ownersPhone, member], ["notification.configured"]);
  await owner.call("notification.setPreferences", { emails: "day" });
  await expectSame([owner, ownersPhone], ["notification.configured"]);
  expect(ownersPhone.store.state.notificationPreferences).toEqual({
    quietHours,
    keywords: ["launch"],
    emails: "day",
    emailsRefused: false,
  });
});

test("a changed profile, in the user's sessions and in the group", { tags: "long" }, async () => {
  await owner.call("user.updateProfile", { nickname: "Renamed" });
  await expectSame([owner, ownersPhone], ["user.updated"]);
  await vi.waitFor(() => expect(member.seen.has("user.updated")).toBe(true), 5000);
});

test("private account data, in each of the owner's sessions", { tags: "long" }, async () => {
  await owner.call("user.updateProfile", { locale: "zh" });
  const savedSearches = [{ text: "from:@ada launch", scope: "everywhere" as const }];
  const templates = [{ name: "standup", text: "Yesterday:\nToday:" }];
  await owner.call("user.setPreferences", { theme: "dark", savedSearches, templates });
  await expectSame([owner, ownersPhone], ["account.updated"]);
  expect(ownersPhone.store.state.me?.preferences).toMatchObject({ savedSearches, templates });
  const { secret } = await owner.call("user.setupTotp", { password: "correct horse" });
  const code = new TOTP({ secret }).generate();
  const { recoveryCodes } = await owner.call("user.enableTotp", { code });
  await expectSame([owner, ownersPhone], []);
  expect(ownersPhone.store.state.me?.totpEnabled).toBe(true);
  await owner.call("user.disableTotp", { password: "correct horse", code: recoveryCodes[0]! });
  await expectSame([owner, ownersPhone], []);
  expect(member.seen.has("account.updated")).toBe(false);
});

test("presence: online, set by the user, and offline", async () => {
  await member.call("presence.setStatus", { status: "doNotDisturb" });
  const late = await observe(await register());
  const { invite } = await owner.call("invite.create", { groupId });
  await late.call("invite.accept", { code: invite.code });
  const id = member.tokens.user.id;
  await vi.waitFor(() => expect(owner.client.presence.status(id)).toBe("doNotDisturb"), 5000);
  await expectSame([owner, ownersPhone, member, late], ["presence.changed"]);
  await member.call("presence.setStatus", { status: "invisible" });
  await vi.waitFor(() => expect(owner.client.presence.status(id)).toBe("offline"), 5000);
});

test("typing is published to others, and not stored", { tags: "long" }, async () => {
  await member.call("channel.typing", { channelId });
  await vi.waitFor(() => expect(owner.seen.has("typing.started")).toBe(true), 5000);
  await expectSame([owner, member], ["typing.started"]);
});

test("changes during a lost connection are fetched afterwards", async () => {
  const second = await owner.call("channel.create", { groupId, name: "second" });
  const poll = { options: ["Tea", "Coffee"] };
  const asked = await owner.call("message.send", { channelId, content: "Tea?", nonce: "away", poll });
  const message = { channelId, messageId: asked.message.id };
  const fileId = await uploadEmoji(instance.url, owner.tokens);
  const { emoji } = await owner.call("emoji.add", { groupId, name: "before", fileId });
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const { scheduled } = await owner.call("scheduled.add", { channelId, content: "later", sendAt: later });
  const observers = [owner, ownersPhone, member];
  await expectSame(observers, ["channel.created", "emoji.added", "scheduled.changed"]);
  const isOnline = ({ client, checker }: Observer): boolean =>
    client.state === "online" && checker.state === "online";
  await instance.restart();
  // By HTTP: no client is connected yet.
  const away = <N extends ActionName>(who: Observer, name: N, params: Params<N>) =>
    must(instance.url, name, params, who.tokens.accessToken);
  await Promise.all([
    away(owner, "group.update", { groupId, name: "After" }),
    away(owner, "channel.delete", { channelId: second.channel.id }),
    away(owner, "draft.set", { channelId, content: "so far" }),
    away(owner, "saved.add", message),
    away(owner, "scheduled.change", { scheduledId: scheduled.id, content: "changed" }),
    away(owner, "emoji.rename", { groupId, emojiId: emoji.id, name: "after" }),
    away(member, "group.setOwnNickname", { groupId, nickname: "Captain" }),
    away(member, "message.react", { ...message, emoji: "1️⃣" }),
  ]);
  await send(owner, "sent while others are away");
  await vi.waitFor(() => expect(observers.filter(isOnline)).toHaveLength(3), 30_000);
  // Paged lists are loaded again after each connection, as the page does it.
  for (const { listed } of observers) listed.clear();
  await expectSame(observers, []);
  const { drafts, saved, nicknames } = ownersPhone.store.state;
  expect([drafts, saved, nicknames[groupId]].map((table) => Object.keys(table!))).toEqual([
    [channelId],
    [message.messageId],
    [member.tokens.user.id],
  ]);
});

test("an ended session closes its own socket and no other", async () => {
  await ownersPhone.call("user.logout", {});
  await vi.waitFor(() => expect(ownersPhone.seen.has("session.revoked")).toBe(true), 5000);
  await send(member, "still there?");
  await expectSame([owner], ["message.created"]);
});

test("an admin's announcement reaches all users", { tags: "long" }, async () => {
  const other = await startInstance();
  const { accessToken } = await createAccount(other.url);
  const client = new FanfareClient({ url: other.url });
  clients.push(client);
  await client.createGuest({});
  const names = ["server.announced", "server.paused", "server.resumed"] as const;
  for (const name of names) client.on(name, () => covered.add(name));
  await client.connect();
  await must(other.url, "admin.announce", { text: "Hello" }, accessToken);
  for (const enabled of [true, false])
    await must(other.url, "admin.setMaintenance", { enabled }, accessToken);
  await vi.waitFor(() => expect([...covered]).toEqual(expect.arrayContaining([...names])), 5000);
  await other.stop();
});

test("a server shutdown is announced", { tags: "long" }, async () => {
  const other = await startInstance();
  const client = new FanfareClient({ url: other.url });
  clients.push(client);
  await client.createGuest({});
  client.on("server.draining", () => covered.add("server.draining"));
  await client.connect();
  await other.stop();
  await vi.waitFor(() => expect(covered.has("server.draining")).toBe(true), 5000);
});

test("every event of the contract is covered", { tags: "long" }, () => {
  // `resync` needs a socket that reads too slowly: tested in packages/fanout. Events of bot commands, buttons and modals, of their
  // answers, and of failed callbacks to a bot's creator, change no client state: tested in services/bot. Calls need a
  // LiveKit server: tested in services/call. Data of plug-ins is for their programs: tested in plugins.test.ts.
  const elsewhere = new Set([
    "resync",
    "plugin.published",
    "command.invoked",
    "interaction.created",
    "modal.opened",
    "modal.submitted",
    "ephemeral.created",
    "bot.disabled",
    "call.updated",
    "speaking.changed",
    "call.ended",
    "call.rang",
    "call.ringEnded",
    "ring.changed",
    "call.moved",
  ]);
  expect([...EVENT_NAMES].filter((name) => !elsewhere.has(name) && !covered.has(name))).toEqual([]);
});
