import type { ActionName, Call, Channel, Group, Message, SessionTokens, User } from "@fanfare/contract";
import { describe, expect, test } from "vitest";
import { FanfareClient } from "../client.ts";
import { FanfareError } from "../errors.ts";
import type { Invalidation } from "./invalidations.ts";
import { channelsOf, groupsOf } from "./selectors.ts";
import { createStore, Store } from "./store.ts";
import { EMPTY_STATE } from "./state.ts";

const group = (id: string, name = id): Group => ({ id, name, createdAt: "", memberCount: 1 }) as Group;
const channelState = (id: string, lastReadSeq = 0) => ({
  ...({ id, groupId: "g", kind: "text", parentId: null, position: 0 } as Channel),
  head: { seq: lastReadSeq, rev: lastReadSeq },
  lastReadSeq,
});
const failure = (retryable: boolean): FanfareError =>
  new FanfareError({ type: "UNAVAILABLE", message: "", retryable, requestId: "" });

interface Asked {
  name: ActionName;
  params: object;
  answer: (data: unknown) => void;
  fail: (error: Error) => void;
}

/** A store whose calls are recorded and answered by the test. */
function newStore({ isOnline = true } = {}) {
  const asked: Asked[] = [];
  const call = ((name: ActionName, params: object) =>
    new Promise<unknown>((answer, fail) => {
      asked.push({ name, params, answer, fail });
    })) as unknown as Call;
  const online = { value: isOnline };
  const store = new Store({
    call,
    isOnline: () => online.value,
    backoff: { baseMs: 1, maxMs: 1 },
    spreadMs: 0,
  });
  return { store, asked, online };
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
const namesOf = (asked: readonly Asked[]): string[] => asked.map(({ name }) => name);

describe("the store", () => {
  test("applies events received during a call", async () => {
    const { store, asked } = newStore();
    const loading = store.load("group.listMine", {});
    store.receive("group.updated", { group: group("g", "new") });
    asked[0]!.answer({ groups: [group("g", "old")] });
    await loading;
    expect(groupsOf(store.state)!.map(({ name }) => name)).toEqual(["new"]);
  });

  test("reloads after too many of them", async () => {
    const { store, asked } = newStore();
    store.retain("group.listMine", {});
    for (let count = 0; count <= 501; count += 1) {
      store.receive("group.updated", { group: group("g", `${count}`) });
    }
    asked[0]!.answer({ groups: [group("g", "old")] });
    await expect.poll(() => asked.length).toBe(2);
  });

  test("doesn't reload what was asked for after them, while an earlier call is pending", async () => {
    const { store, asked } = newStore();
    store.retain("channel.get", { channelId: "c" });
    for (let count = 0; count <= 501; count += 1) {
      store.receive("group.updated", { group: group("g", `${count}`) });
    }
    store.retain("group.listMine", {});
    store.receive("group.updated", { group: group("g", "new") });
    asked[1]!.answer({ groups: [group("g", "old")] });
    await expect.poll(() => store.isLoaded("group.listMine", {})).toBe(true);
    expect(groupsOf(store.state)!.map(({ name }) => name)).toEqual(["new"]);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(namesOf(asked)).toEqual(["channel.get", "group.listMine"]);
  });

  test("loads all pages of a list, once for concurrent callers", async () => {
    const { store, asked } = newStore();
    const both = Promise.all([
      store.load("channel.list", { groupId: "g" }),
      store.load("channel.list", { groupId: "g" }),
    ]);
    asked[0]!.answer({ channels: [channelState("a")], nextChannelId: "a" });
    await turn();
    expect(channelsOf(store.state, "g")).toBeUndefined();
    expect(asked[1]!.params).toEqual({ groupId: "g", afterChannelId: "a" });
    asked[1]!.answer({ channels: [channelState("b")], nextChannelId: null });
    await both;
    expect(channelsOf(store.state, "g")!.map(({ id }) => id)).toEqual(["a", "b"]);
    await store.load("channel.list", { groupId: "g" });
    expect(asked).toHaveLength(2);
  });

  test("reloads retained parts after reconnecting, and other parts on demand", async () => {
    const { store, asked } = newStore();
    const end = store.retain("group.listMine", {});
    asked[0]!.answer({ groups: [group("g")] });
    const loading = store.load("role.list", { groupId: "g" });
    asked[1]!.answer({ roles: [] });
    await loading;
    store.invalidateAll();
    await turn();
    expect(namesOf(asked)).toEqual(["group.listMine", "role.list", "group.listMine"]);
    asked[2]!.answer({ groups: [group("h")] });
    await turn();
    expect(groupsOf(store.state)!.map(({ id }) => id)).toEqual(["h"]);
    void store.load("role.list", { groupId: "g" }).catch(() => undefined);
    expect(namesOf(asked)).toHaveLength(4);
    end();
    store.invalidateAll();
    await turn();
    expect(namesOf(asked)).toHaveLength(4);
  });

  test("makes no calls before it is connected", async () => {
    const { store, asked, online } = newStore({ isOnline: false });
    store.retain("group.listMine", {});
    await turn();
    expect(asked).toEqual([]);
    online.value = true;
    store.invalidateAll();
    await turn();
    expect(namesOf(asked)).toEqual(["group.listMine"]);
  });

  test("retries retryable errors, reports others, and loads again on request", async () => {
    const { store, asked } = newStore();
    store.retain("group.listMine", {});
    asked[0]!.fail(failure(true));
    await expect.poll(() => asked.length).toBe(2);
    asked[1]!.fail(failure(false));
    await expect.poll(() => store.errorOf("group.listMine", {})).toMatchObject({ type: "UNAVAILABLE" });
    const reloading = store.reload("group.listMine", {});
    await turn();
    asked[2]!.answer({ groups: [] });
    await reloading;
    expect(store.errorOf("group.listMine", {})).toBeNull();
    expect(groupsOf(store.state)).toEqual([]);
  });

  test("looks up an unknown channel once for all its messages, and counts them", async () => {
    const { store, asked } = newStore();
    store.receive("ready", { userId: "me", sessionId: "s", protocolVersion: 1, serverTime: "" });
    const loading = store.load("channel.listUnread", {});
    asked[0]!.answer({ channels: [], nextCursor: null });
    await loading;
    const mentions: Message["mentions"] = { userIds: ["me"], roleIds: [], everyone: false };
    const message = (seq: number): Message =>
      ({ id: `m${seq}`, channelId: "c", seq, rev: seq, authorId: "other", mentions }) as unknown as Message;
    for (const seq of [3, 4]) store.receive("message.created", { channelId: "c", messages: [message(seq)] });
    await turn();
    expect(namesOf(asked)).toEqual(["channel.listUnread", "channel.get"]);
    asked[1]!.answer({ channel: channelState("c", 2) });
    await expect
      .poll(() => store.state.unread?.["c"])
      .toMatchObject({ lastReadSeq: 2, head: { seq: 4 }, mentionCount: 2 });
  });

  test("reloads unread counts when a followed thread has unread messages", async () => {
    const { store, asked } = newStore();
    store.retain("channel.listUnread", {});
    asked[0]!.answer({ channels: [], nextCursor: null });
    await turn();
    const timesAsked = (): number => namesOf(asked).filter((name) => name === "channel.listUnread").length;
    const loading = store.load("channel.get", { channelId: "read" });
    asked[1]!.answer({ channel: channelState("read", 3) });
    await loading;
    store.receive("thread.followed", { channelId: "read" });
    await new Promise((done) => setTimeout(done, 100));
    expect(timesAsked()).toBe(1);
    store.receive("thread.followed", { channelId: "unread" });
    await expect.poll(timesAsked).toBe(2);
  });

  test("a stale result does not restore a deleted channel", async () => {
    const { store, asked } = newStore();
    const loading = Promise.all([store.load("channel.listUnread", {}), store.load("notification.list", {})]);
    store.receive("channel.deleted", { channelId: "c", groupId: "g" });
    const unread = { channelId: "c", groupId: "g", parentId: null, head: { seq: 1, rev: 1 } };
    asked[0]!.answer({
      channels: [{ ...unread, lastReadSeq: 0, mentionCount: 0 }],
      nextCursor: null,
    });
    asked[1]!.answer({
      settings: [
        {
          groupId: "g",
          channelId: "c",
          level: "all",
          mutedUntil: null,
          suppressEveryone: false,
          favorite: false,
          hidden: false,
        },
      ],
      nextCursor: null,
    });
    await loading;
    expect(store.state.unread).toEqual({});
    expect(store.state.notifications).toEqual({});
  });

  test("events cause no calls if nothing is loaded", async () => {
    const { store, asked } = newStore();
    const message = { id: "m", channelId: "c", seq: 1, rev: 1, authorId: "other" } as Message;
    store.receive("message.created", { channelId: "c", messages: [message] });
    store.receive("group.deleted", { groupId: "g" });
    await turn();
    expect(asked).toEqual([]);
  });

  test("applies an optimistic update, and reverts it if the call fails", async () => {
    const { store, asked } = newStore();
    const loading = store.load("friend.list", {});
    asked[0]!.answer({ friends: [{ userId: "f", since: "" }], nextCursor: null });
    await loading;
    const remove = () =>
      store.applyOptimistically({ name: "friend.removed", payload: { userId: "f" } }, ["friend.list", {}]);
    const undo = remove();
    expect(store.state.friends).toEqual({});
    // At once, since there may be no connection.
    undo();
    expect(Object.keys(store.state.friends!)).toEqual(["f"]);
    await turn();
    asked[1]!.answer({ friends: [{ userId: "f", since: "" }], nextCursor: null });
    await turn();
    const undoLate = remove();
    store.receive("friend.added", { friend: { userId: "g", since: "" } });
    undoLate();
    expect(Object.keys(store.state.friends!)).toEqual(["g"]);
    await turn();
    asked.at(-1)!.answer({ friends: ["f", "g"].map((userId) => ({ userId, since: "" })), nextCursor: null });
    await turn();
    expect(Object.keys(store.state.friends!)).toEqual(["f", "g"]);
  });

  test("a restored state is outdated until its parts in use are reloaded", async () => {
    const { store, asked } = newStore();
    expect(store.isOutdated).toBe(false);
    store.restore({ ...EMPTY_STATE, groups: { g: group("g") }, listedGroups: { g: true } });
    expect(store.isOutdated).toBe(false);
    store.retain("group.listMine", {});
    store.retain("channel.list", { groupId: "g" });
    await turn();
    expect(groupsOf(store.state)).toHaveLength(1);
    expect(store.isOutdated).toBe(true);
    let notified: boolean | undefined;
    store.subscribe(() => (notified = store.isOutdated));
    asked[0]!.answer({ groups: [group("g")] });
    await turn();
    expect(notified).toBe(true);
    asked[1]!.fail(failure(false));
    await turn();
    expect(notified).toBe(false);
  });

  test("reloads a state that is restored after the connection, its users included", async () => {
    const { store, asked } = newStore();
    store.invalidateAll();
    const bot = { id: "b", kind: "bot" } as User;
    store.restore({ ...EMPTY_STATE, groups: { g: group("g") }, users: { b: bot } });
    await turn();
    expect(asked.map(({ name, params }) => [name, params])).toEqual([["user.getMany", { userIds: ["b"] }]]);
    asked[0]!.fail(failure(true));
    await expect.poll(() => asked.length).toBe(2);
    asked[1]!.answer({ users: [{ ...bot, deleted: true }] });
    await expect.poll(() => store.state.users["b"]).toMatchObject({ deleted: true });
  });

  test("a state that loads for the first time is not outdated", () => {
    const { store } = newStore();
    store.retain("group.listMine", {});
    expect(store.isOutdated).toBe(false);
  });

  test("knows the user of an already connected client", () => {
    const client = new FanfareClient({ url: "http://127.0.0.1:1" });
    client.useTokens({ user: { id: "me" } } as SessionTokens);
    const store = createStore(client);
    expect(store.state.userId).toBe("me");
    expect(createStore(client)).toBe(store);
    client.close();
  });

  test("reports invalidations for lists that are held elsewhere", () => {
    const { store } = newStore();
    const invalidations: Invalidation[] = [];
    const end = store.onInvalidation((invalidation) => invalidations.push(invalidation));
    store.receive("bot.disabled", { groupId: "g", botId: "b", lastError: "" });
    end();
    store.receive("bot.disabled", { groupId: "g", botId: "b", lastError: "" });
    expect(invalidations).toEqual([{ name: "bot.list", params: { groupId: "g" } }]);
  });

  test("reloads retained parts of a deleted channel, so that the error is known", async () => {
    const { store, asked } = newStore();
    store.retain("channel.get", { channelId: "c" });
    asked[0]!.answer({ channel: channelState("c") });
    await expect.poll(() => store.isLoaded("channel.get", { channelId: "c" })).toBe(true);
    store.receive("channel.deleted", { groupId: "g", channelId: "c" });
    await expect.poll(() => asked.length).toBe(2);
    asked[1]!.fail(
      new FanfareError({ type: "CHANNEL_NOT_FOUND", message: "", retryable: false, requestId: "" }),
    );
    await expect
      .poll(() => store.errorOf("channel.get", { channelId: "c" }))
      .toMatchObject({ type: "CHANNEL_NOT_FOUND" });
  });

  test("batches requests for users, and repeats failed ones on the next connection", async () => {
    const { store, asked } = newStore();
    const user = (id: string): User => ({ id, nickname: id }) as User;
    for (const id of ["a", "b", "a", "gone"]) store.requestUser(id);
    await turn();
    expect(asked.map(({ params }) => params)).toEqual([{ userIds: ["a", "b", "gone"] }]);
    asked[0]!.answer({ users: [user("a"), user("b")] });
    await expect.poll(() => Object.keys(store.state.users)).toEqual(["a", "b"]);
    for (const id of ["a", "gone", "c"]) store.requestUser(id);
    await turn();
    expect(asked[1]!.params).toEqual({ userIds: ["c"] });
    asked[1]!.fail(failure(false));
    await turn();
    store.invalidateAll();
    await turn();
    expect(asked[2]!.params).toEqual({ userIds: ["a", "b", "c"] });
    store.receive("user.updated", { user: { ...user("a"), nickname: "new" } });
    expect(store.state.users["a"]!.nickname).toBe("new");
  });
});
