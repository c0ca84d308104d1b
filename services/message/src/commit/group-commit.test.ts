import { setImmediate as nextTurn } from "node:timers/promises";
import type { EventName, EventPayload, Message } from "@fanfare/contract";
import { expect, test } from "vitest";
import { MemoryStore } from "../../test/memory-store.ts";
import { BatchLedger } from "./batch-ledger.ts";
import { GroupCommit, type GroupCommitOptions } from "./group-commit.ts";
import { KnownHeads } from "./known-heads.ts";

const channelId = "c".repeat(24);
const otherChannelId = "d".repeat(24);
const authorId = "a".repeat(24);
const rooms = ["group:x"];

type Event = { name: EventName; payload: EventPayload<EventName> };

function setUp(options: Partial<GroupCommitOptions> = {}) {
  const store = new MemoryStore();
  const events: Event[] = [];
  const heads = new KnownHeads(100, (ids) => store.readHeads(ids));
  const ledger = new BatchLedger();
  const commit = new GroupCommit({
    store,
    heads,
    ledger,
    publish: (_rooms, name, payload) => void events.push({ name, payload }),
    logger: { error: () => undefined, warn: () => undefined },
    observe: () => undefined,
    countStored: () => undefined,
    writeTimeoutMs: 10_000,
    pendingMaxAgeMs: 60_000,
    settleDelaysMs: [1],
    ...options,
  });
  let nonces = 0;
  const send = (content: string, { nonce = `n${nonces++}`, channel = channelId } = {}): Promise<Message> =>
    commit.create(channel, { authorId, content, nonce, replyTo: null, rooms });
  const edit = (messageId: string, content: string): Promise<Message | null> =>
    commit.change(channelId, { messageId, set: { content }, announce: "message.changed", rooms });
  return { store, events, heads, ledger, commit, send, edit };
}

/** A gate that what waits at it passes only when it is opened. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { pass: () => promise, open: resolve };
}

const created = (events: Event[]) =>
  events.flatMap(({ name, payload }) =>
    name === "message.created"
      ? [(payload as EventPayload<"message.created">).messages.map((m) => m.content)]
      : [],
  );

test("a message of an idle channel is written at once", async () => {
  const { store, send, events } = setUp();
  const message = await send("one");
  expect(message).toMatchObject({ channelId, authorId, content: "one", seq: 1, rev: 1, deletedAt: null });
  expect(store.inserts).toEqual([1]);
  expect(events).toEqual([{ name: "message.created", payload: { channelId, messages: [message] } }]);
});

test("while a batch is being written the next one gathers, in order and with dense numbers", async () => {
  const { store, send, events } = setUp();
  const { pass, open } = gate();
  store.beforeInsert = pass;
  const first = send("0");
  await nextTurn();
  const others = ["1", "2", "3"].map((content) => send(content));
  await nextTurn();
  expect(store.inserts).toEqual([1]);
  open();
  const all = await Promise.all([first, ...others]);
  expect(all.map(({ content, seq, rev }) => [content, seq, rev])).toEqual([
    ["0", 1, 1],
    ["1", 2, 2],
    ["2", 3, 3],
    ["3", 4, 4],
  ]);
  expect(store.inserts).toEqual([1, 3]);
  expect(created(events)).toEqual([["0"], ["1", "2", "3"]]);
});

test("nothing is answered or published before it is stored", async () => {
  const { store, send, events } = setUp();
  const { pass, open } = gate();
  store.afterInsert = pass;
  let isAnswered = false;
  const sent = send("one").then(() => (isAnswered = true));
  for (let i = 0; i < 5; i++) await nextTurn();
  expect([isAnswered, events.length]).toEqual([false, 0]);
  open();
  await sent;
  expect(events).toHaveLength(1);
});

test("channels that are ready in one turn are stored by one insert, and published each by itself", async () => {
  const { store, send, events } = setUp();
  await Promise.all([send("a"), send("b", { channel: otherChannelId })]);
  expect(store.inserts).toEqual([2]);
  expect(created(events)).toEqual([["a"], ["b"]]);
});

test("a slow channel does not hold up another", async () => {
  const { store, send } = setUp();
  const { pass, open } = gate();
  store.beforeInsert = pass;
  const slow = send("slow");
  await nextTurn();
  store.beforeInsert = undefined;
  expect(await send("fast", { channel: otherChannelId })).toMatchObject({ seq: 1 });
  open();
  await slow;
});

test("a commit takes so many items and no more", async () => {
  const { store, send } = setUp({ itemsPerCommit: 2 });
  await Promise.all(["1", "2", "3", "4", "5"].map((content) => send(content)));
  expect(store.inserts).toEqual([2, 2, 1]);
});

test("what is more than may wait is refused, per channel and in total", async () => {
  const { store, send } = setUp({ limits: { perChannel: 2, total: 3 } });
  const { pass, open } = gate();
  store.beforeTake = pass;
  const accepted = [send("1"), send("2")];
  await expect(send("3")).rejects.toMatchObject({ type: "OVERLOADED", data: { retryAfterMs: 1000 } });
  accepted.push(send("4", { channel: otherChannelId }));
  await expect(send("5", { channel: otherChannelId })).rejects.toMatchObject({ type: "OVERLOADED" });
  open();
  await Promise.all(accepted);
  await expect(send("6")).resolves.toMatchObject({ seq: 3 });
});

test("a nonce that exists is answered with its message and published again; the number taken stays a hole", async () => {
  const { send, events } = setUp();
  const first = await send("first", { nonce: "same" });
  const [repeated, next] = await Promise.all([send("second", { nonce: "same" }), send("next")]);
  expect(repeated).toEqual(first);
  expect(next.seq).toBe(3);
  expect(created(events)).toEqual([["first"], ["next"], ["first"]]);
});

test("when numbers cannot be taken the senders may try again, and it works when the store does", async () => {
  const { store, send, events } = setUp();
  store.beforeTake = () => {
    throw new Error("no connection");
  };
  await expect(send("1", { nonce: "n" })).rejects.toMatchObject({ type: "UNAVAILABLE", retryable: true });
  store.beforeTake = undefined;
  await expect(send("1", { nonce: "n" })).resolves.toMatchObject({ seq: 1, rev: 1 });
  expect(created(events)).toEqual([["1"]]);
});

test("a full storage is said to be full", async () => {
  const { store, send } = setUp();
  store.beforeInsert = () => {
    throw Object.assign(new Error("full"), { code: 14_031 });
  };
  await expect(send("1")).rejects.toMatchObject({ type: "STORAGE_FULL" });
});

test("a write whose outcome is unknown can be repeated, is pending until it is known, and is published then", async () => {
  const { store, send, events, ledger } = setUp();
  const { pass, open } = gate();
  const batchIds: string[] = [];
  const opened = ledger.open.bind(ledger);
  ledger.open = () => {
    batchIds.push(opened());
    return batchIds.at(-1)!;
  };
  store.afterInsert = () => {
    throw new Error("connection lost after the insert");
  };
  const settle = store.settle.bind(store);
  store.settle = async (...parameters) => {
    await pass();
    return settle(...parameters);
  };
  await expect(send("1", { nonce: "n" })).rejects.toMatchObject({ type: "UNAVAILABLE" });
  expect(ledger.state(batchIds[0]!)).toBe("open");
  store.afterInsert = undefined;
  await expect(send("1", { nonce: "n" })).resolves.toMatchObject({ seq: 1 });
  expect(created(events)).toEqual([["1"]]);
  open();
  await expect.poll(() => created(events)).toEqual([["1"], ["1"]]);
  await expect.poll(() => ledger.state(batchIds[0]!)).toBe("closed");
  expect(store.messages).toHaveLength(1);
});

test("a write that is found when its number may be taken for a hole gets a new number", async () => {
  const { store, send, events } = setUp({ pendingMaxAgeMs: 0 });
  store.afterInsert = () => {
    throw new Error("connection lost after the insert");
  };
  await expect(send("late")).rejects.toMatchObject({ type: "UNAVAILABLE" });
  store.afterInsert = undefined;
  await expect.poll(() => events).toHaveLength(1);
  expect(events[0]).toMatchObject({ name: "message.created", payload: { messages: [{ seq: 1, rev: 2 }] } });
});

test.each(["beforeTake", "beforeInsert", "beforeChange"] as const)(
  "a store that does not answer (%s) is waited for no longer than a write may take",
  async (step) => {
    const { store, send, edit } = setUp({ writeTimeoutMs: 20 });
    const { id } = await send("before");
    const { pass, open } = gate();
    store[step] = pass;
    const stuck = step === "beforeChange" ? edit(id, "stuck") : send("stuck");
    await expect(stuck).rejects.toMatchObject({ type: "UNAVAILABLE" });
    store[step] = undefined;
    await expect(send("after")).resolves.toMatchObject({ content: "after" });
    open();
  },
);

test("a head that another worker moved is read again", async () => {
  const { store, send } = setUp();
  await send("1");
  store.heads.set(channelId, { seq: 11, rev: 15 });
  await expect(send("2")).resolves.toMatchObject({ seq: 12, rev: 16 });
  expect(store.messages.map(({ seq }) => seq)).toEqual([1, 12]);
});

test("a head that was lost is raised, and no message is lost or overwritten", async () => {
  const { store, send, heads, events } = setUp();
  for (const content of ["1", "2", "3"]) await send(content);
  store.heads.set(channelId, { seq: 1, rev: 1 });
  heads.forget(channelId);
  const sent = await Promise.all(["4", "5", "6"].map((content) => send(content)));
  expect(store.calls).toContain("heal");
  expect(new Set(sent.map(({ seq }) => seq)).size).toBe(3);
  expect(Math.min(...sent.map(({ rev }) => rev))).toBeGreaterThan(3);
  expect(store.messages.map(({ content }) => content).sort()).toEqual(["1", "2", "3", "4", "5", "6"]);
  expect(created(events).flat().sort()).toEqual(["1", "2", "3", "4", "5", "6"]);
});

test("changes take a rev but no seq, and a message changed twice ends with the later change", async () => {
  const { send, edit, events } = setUp();
  const { id } = await send("before");
  const changed = await Promise.all([edit(id, "once"), edit(id, "twice")]);
  expect(changed.map((message) => message?.rev)).toEqual([2, 3]);
  expect((await send("next")).seq).toBe(2);
  expect(events.map(({ name }) => name)).toEqual([
    "message.created",
    "message.changed",
    "message.changed",
    "message.created",
  ]);
});

test("a change of a message that is gone answers null and publishes nothing", async () => {
  const { edit, events } = setUp();
  expect(await edit("e".repeat(24), "text")).toBeNull();
  expect(events).toEqual([]);
});

test("a fault of the fan-out does not make a stored message fail", async () => {
  const { send } = setUp({
    publish: () => {
      throw new Error("nobody listens");
    },
  });
  await expect(send("1")).resolves.toMatchObject({ seq: 1 });
});

test("closing writes what waits and refuses what comes", async () => {
  const { commit, send, store } = setUp();
  const waiting = [send("1"), send("2")];
  await commit.close();
  await expect(Promise.all(waiting)).resolves.toHaveLength(2);
  expect(store.messages).toHaveLength(2);
  await expect(send("3")).rejects.toMatchObject({ type: "UNAVAILABLE" });
});
