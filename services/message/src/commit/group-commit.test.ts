import { setImmediate as nextTurn } from "node:timers/promises";
import type { EventName, EventPayload, Message } from "@fanfare/contract";
import type { DomainEvents } from "@fanfare/kernel";
import { afterEach, expect, test, vi } from "vitest";
import { MemoryDatabase, MemoryStore } from "../../test/memory-store.ts";
import { GroupCommit, type GroupCommitOptions } from "./group-commit.ts";
import { HeadCache } from "./write-context.ts";

const channelId = "c".repeat(24);
const otherChannelId = "d".repeat(24);
const thirdChannelId = "e".repeat(24);
const authorId = "a".repeat(24);
const rooms = ["group:x"];
let nonces = 0;

afterEach(() => void vi.useRealTimers());

type Event = { name: EventName; payload: EventPayload<EventName> };

function setUp(options: Partial<GroupCommitOptions> = {}, shared = new MemoryDatabase()) {
  const store = new MemoryStore(shared);
  const events: Event[] = [];
  const notified: DomainEvents["message.stored"][] = [];
  const heads = new HeadCache(100, (id) => store.readHead(id));
  const commit = new GroupCommit({
    store,
    heads,
    publish: (_rooms, name, payload) => void events.push({ name, payload }),
    logger: { error: () => undefined },
    observe: () => undefined,
    countStored: () => undefined,
    broadcastStored: (payload) => void notified.push(payload),
    writeTimeoutMs: 10_000,
    ...options,
  });
  const send = (content: string, { nonce = `n${nonces++}`, channel = channelId } = {}): Promise<Message> =>
    commit.create(channel, { authorId, content, nonce, replyTo: null, rooms, groupId: null });
  const edit = async (messageId: string, content: string): Promise<Message | null> => {
    const change = { messageId, set: { content }, announce: "message.changed", rooms } as const;
    const result = await commit.change(channelId, change);
    return result.outcome === "changed" ? result.message : null;
  };
  return { store, database: store.database, events, notified, heads, commit, send, edit };
}

/** Blocks everything that waits at it until it is opened. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { pass: () => promise, open: resolve };
}

const WRITE_TIMEOUT_MS = 20;

/** For tests of timeouts: time only advances explicitly, however slow the machine is. */
const stopClock = () => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });

/** Advances the time by a write timeout, which all writes must respect. */
async function expectTimeout(writes: Promise<unknown>[]): Promise<void> {
  const refused = writes.map((one) => expect(one).rejects.toMatchObject({ type: "UNAVAILABLE" }));
  await vi.advanceTimersByTimeAsync(WRITE_TIMEOUT_MS);
  await Promise.all(refused);
}

const created = (events: Event[]) =>
  events.flatMap(({ name, payload }) =>
    name === "message.created"
      ? [(payload as EventPayload<"message.created">).messages.map((m) => m.content)]
      : [],
  );

test("a message of an idle channel is written immediately", async () => {
  const { store, send, events } = setUp();
  const message = await send("one");
  expect(message).toMatchObject({ channelId, authorId, content: "one", seq: 1, rev: 1, deletedAt: null });
  expect(store.inserts).toEqual([1]);
  expect(events).toEqual([{ name: "message.created", payload: { channelId, messages: [message] } }]);
});

test("messages of one batch are published to the rooms given by their senders", async () => {
  const notified: [readonly string[], string[]][] = [];
  const { store, send, commit } = setUp({
    publish: (to, _name, payload) => {
      const { messages } = payload as EventPayload<"message.created">;
      notified.push([to, messages.map(({ content }) => content)]);
    },
  });
  const { pass, open } = gate();
  store.afterInsert = pass;
  const first = send("before");
  await nextTurn();
  await nextTurn();
  const item = { authorId, replyTo: null, groupId: null };
  const inside = ["channel:x"];
  const rest = [
    commit.create(channelId, { ...item, content: "secret", nonce: "s1", rooms: inside }),
    commit.create(channelId, { ...item, content: "secret too", nonce: "s2", rooms: [...inside] }),
    send("public"),
  ];
  open();
  await Promise.all([first, ...rest]);
  expect(notified).toEqual([
    [rooms, ["before"]],
    [inside, ["secret", "secret too"]],
    [rooms, ["public"]],
  ]);
});

test("other services are notified once per batch, after it is stored", async () => {
  const { store, send, notified } = setUp();
  const { pass, open } = gate();
  store.afterInsert = pass;
  const first = send("one");
  await nextTurn();
  await nextTurn();
  const rest = [send("two"), send("three")];
  expect(notified).toEqual([]);
  open();
  await Promise.all([first, ...rest]);
  expect(notified.map(({ messages }) => messages.map(({ content }) => content))).toEqual([
    ["one"],
    ["two", "three"],
  ]);
  expect(notified[0]).toMatchObject({ channelId, groupId: null });
});

test("a change with an outdated ifRev is rejected and leaves no hole", async () => {
  const { commit, send, edit, database } = setUp();
  const message = await send("one");
  await edit(message.id, "two");
  const late = {
    messageId: message.id,
    set: { content: "late" },
    announce: "message.changed",
    rooms,
  } as const;
  expect(await commit.change(channelId, { ...late, ifRev: message.rev })).toEqual({ outcome: "outdated" });
  expect(await edit(message.id, "three")).toMatchObject({ content: "three", rev: 3 });
  expect(database.messages[0]!.revs).toEqual([1, 2, 3]);
});

test("while a batch is being written the next one is collected, in order and with dense numbers", async () => {
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

test("nothing is acknowledged or published before it is stored", async () => {
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

test("channels that are ready in one turn share an insert but are published separately", async () => {
  const { store, send, events } = setUp();
  await Promise.all([send("a"), send("b", { channel: otherChannelId })]);
  expect(store.inserts).toEqual([2]);
  expect(created(events)).toEqual([["a"], ["b"]]);
});

test("channels with several waiting messages share an ordered insert, each published in its order", async () => {
  const { store, send, events } = setUp();
  const sent = await Promise.all([
    ...["a1", "a2"].map((content) => send(content)),
    send("one", { channel: thirdChannelId }),
    ...["b1", "b2", "b3"].map((content) => send(content, { channel: otherChannelId })),
  ]);
  expect(sent.map(({ seq }) => seq)).toEqual([1, 2, 1, 1, 2, 3]);
  expect(store.inserts).toEqual([5, 1]);
  expect(store.calls.filter((call) => call.startsWith("insert"))).toEqual(["insert ordered", "insert"]);
  expect(
    created(events)
      .map((contents) => contents.join())
      .toSorted(),
  ).toEqual(["a1,a2", "b1,b2,b3", "one"]);
});

test("a failure in a shared insert only delays the channels behind it, which are then written alone", async () => {
  const { store, send, events, database } = setUp();
  const other = setUp({}, database);
  await send("0", { channel: otherChannelId });
  await other.send("of another worker", { channel: otherChannelId });
  const channels = [channelId, otherChannelId, thirdChannelId];
  const sendTwoEach = () =>
    Promise.all(channels.flatMap((channel) => ["1", "2"].map((content) => send(content, { channel }))));
  const sent = await sendTwoEach();
  expect(sent.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 1, 2]);
  expect(store.inserts).toEqual([1, 6, 2, 2]);
  expect(created(events)).toEqual([["0"], ["1", "2"], ["1", "2"], ["1", "2"]]);
  expect(database.messages).toHaveLength(8);
  await sendTwoEach();
  expect(store.inserts).toEqual([1, 6, 2, 2, 6]);
});

test("a commit of several channels has a limited number of items, too", async () => {
  const { store, send } = setUp({ itemsPerCommit: 3 });
  const sent = await Promise.all(
    [channelId, otherChannelId].flatMap((channel) => ["1", "2"].map((content) => send(content, { channel }))),
  );
  expect(sent.map(({ seq }) => seq)).toEqual([1, 2, 1, 2]);
  expect(store.inserts).toEqual([3, 1]);
});

test("a slow channel doesn't block another", async () => {
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

test("a commit has a limited number of items", async () => {
  const { store, send } = setUp({ itemsPerCommit: 2 });
  await Promise.all(["1", "2", "3", "4", "5"].map((content) => send(content)));
  expect(store.inserts).toEqual([2, 2, 1]);
});

test("rejects items beyond the limits per channel and in total", async () => {
  const { store, send } = setUp({ limits: { perChannel: 2, total: 3 } });
  const { pass, open } = gate();
  store.beforeRead = pass;
  const accepted = [send("1"), send("2")];
  await expect(send("3")).rejects.toMatchObject({ type: "OVERLOADED", data: { retryAfterMs: 1000 } });
  accepted.push(send("4", { channel: otherChannelId }));
  await expect(send("5", { channel: otherChannelId })).rejects.toMatchObject({ type: "OVERLOADED" });
  open();
  await Promise.all(accepted);
  await expect(send("6")).resolves.toMatchObject({ seq: 3 });
});

test("an existing nonce returns its message, and later messages are written again", async () => {
  const { send, events, store } = setUp();
  const first = await send("first", { nonce: "same" });
  const [before, repeated, ...after] = await Promise.all([
    send("before"),
    send("second", { nonce: "same" }),
    send("after 1"),
    send("after 2"),
  ]);
  expect(repeated).toEqual(first);
  expect([before, ...after].map(({ seq, rev }) => [seq, rev])).toEqual([
    [2, 2],
    [3, 3],
    [4, 4],
  ]);
  expect(store.calls.filter((call) => call.startsWith("insert"))).toEqual([
    "insert",
    "insert ordered",
    "insert ordered",
  ]);
  expect(created(events)).toEqual([["first"], ["before"], ["after 1", "after 2"]]);
});

test("when the head can't be read, senders can retry, and succeed once the store has recovered", async () => {
  const { store, send, events } = setUp();
  store.beforeRead = () => {
    throw new Error("no connection");
  };
  await expect(send("1", { nonce: "n" })).rejects.toMatchObject({ type: "UNAVAILABLE", retryable: true });
  store.beforeRead = undefined;
  await expect(send("1", { nonce: "n" })).resolves.toMatchObject({ seq: 1, rev: 1 });
  expect(created(events)).toEqual([["1"]]);
});

test("reports a full disk", async () => {
  const { store, send } = setUp();
  store.beforeInsert = () => {
    throw Object.assign(new Error("full"), { code: 14_031 });
  };
  await expect(send("1")).rejects.toMatchObject({ type: "STORAGE_FULL" });
});

test("after a write with unknown outcome the head is read again, and a retry finds the stored message", async () => {
  const { store, send, events, database } = setUp();
  await send("0");
  store.afterInsert = () => {
    throw new Error("connection lost after the insert");
  };
  await expect(send("1", { nonce: "n" })).rejects.toMatchObject({
    type: "UNAVAILABLE",
    data: { retryAfterMs: 1000 },
  });
  store.afterInsert = undefined;
  await expect(send("2")).resolves.toMatchObject({ seq: 3, rev: 3 });
  await expect(send("1", { nonce: "n" })).resolves.toMatchObject({ seq: 2 });
  // Publishing it after "2" would break the order; the gap before "2" makes clients sync.
  expect(created(events)).toEqual([["0"], ["2"]]);
  expect(database.messages).toHaveLength(3);
  expect(store.calls.filter((call) => call === "readHead")).toHaveLength(2);
});

test("when raising the heads fails, the sender is not answered, and a retry raises them", async () => {
  const { store, send, database, events } = setUp();
  store.beforeRaise = () => {
    throw new Error("connection lost");
  };
  await expect(send("1", { nonce: "n" })).rejects.toMatchObject({ type: "UNAVAILABLE" });
  store.beforeRaise = undefined;
  await expect(send("1", { nonce: "n" })).resolves.toMatchObject({ seq: 1 });
  await expect(send("1", { nonce: "n" })).resolves.toMatchObject({ seq: 1 });
  expect(created(events)).toEqual([["1"]]);
  expect(database.messages).toHaveLength(1);
});

test.each(["beforeRead", "beforeInsert", "beforeChange", "beforeRaise"] as const)(
  "a store that doesn't respond (%s) fails after the write timeout",
  async (step) => {
    stopClock();
    const { store, send, edit, heads } = setUp({ writeTimeoutMs: WRITE_TIMEOUT_MS });
    const { id } = await send("before");
    heads.evict(channelId);
    const { pass, open } = gate();
    const reached: string[] = [];
    store[step] = () => {
      reached.push(step);
      return pass();
    };
    const stuck = step === "beforeChange" ? edit(id, "stuck") : send("stuck");
    while (reached.length === 0) await nextTurn();
    await expectTimeout([stuck, send("behind"), edit(id, "behind")]);
    store[step] = undefined;
    await expect(send("after")).resolves.toMatchObject({ content: "after" });
    open();
  },
);

test("a late insert is either stored after newer messages or not at all", async () => {
  stopClock();
  const { store, send, database } = setUp({ writeTimeoutMs: WRITE_TIMEOUT_MS });
  await send("1");
  const { pass, open } = gate();
  const reached: string[] = [];
  store.beforeInsert = () => {
    reached.push("insert");
    return pass();
  };
  const late = ["2", "3"].map((content) => send(content));
  while (reached.length === 0) await nextTurn();
  await expectTimeout(late);
  store.beforeInsert = undefined;
  await expect(send("4")).resolves.toMatchObject({ seq: 2 });
  open();
  await nextTurn();
  await expect(send("5")).resolves.toMatchObject({ seq: 3 });
  expect(database.messages.map(({ content, seq }) => [content, seq])).toEqual([
    ["1", 1],
    ["4", 2],
    ["5", 3],
  ]);
});

test("a worker that lost a race reads the head again and writes after the other one", async () => {
  const one = setUp();
  const other = setUp({}, one.database);
  const sent = [await one.send("1"), await other.send("2"), await one.send("3"), await other.send("4")];
  expect(sent.map(({ seq, rev }) => [seq, rev])).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 4],
  ]);
});

test("a worker killed during a run leaves its first messages, and others continue after them", async () => {
  const killed = setUp();
  const { pass } = gate();
  let inserted = 0;
  killed.store.afterEach = () => (++inserted === 3 ? pass() : undefined);
  for (const content of ["1", "2", "3", "4", "5"])
    // Rejected by the write timeout, long after this test.
    killed.send(content, { nonce: `killed ${content}` }).catch(() => undefined);
  await expect.poll(() => inserted).toBe(3);
  const other = setUp({}, killed.database);
  await expect(other.send("next")).resolves.toMatchObject({ seq: 4, rev: 4 });
  // Not acknowledged, so its sender retries.
  await expect(other.send("3", { nonce: "killed 3" })).resolves.toMatchObject({ seq: 3 });
  await expect(other.send("4", { nonce: "killed 4" })).resolves.toMatchObject({ seq: 5 });
});

test("the number of a change without effect is used for the next one", async () => {
  const { send, edit } = setUp();
  const { id } = await send("1");
  expect(await edit("e".repeat(24), "of nothing")).toBeNull();
  expect(await edit(id, "changed")).toMatchObject({ rev: 2 });
});

test("a change whose number was taken by another worker is written again", async () => {
  const one = setUp();
  const { id } = await one.send("1");
  const other = setUp({}, one.database);
  expect(await other.edit(id, "a")).toMatchObject({ rev: 2 });
  expect(await other.edit(id, "b")).toMatchObject({ rev: 3 });
  expect(await one.edit(id, "c")).toMatchObject({ rev: 4, content: "c" });
  expect(await other.send("2")).toMatchObject({ seq: 2, rev: 5 });
});

test("waiting messages and changes of a channel alternate", async () => {
  const { send, edit, store } = setUp();
  const { id } = await send("1");
  const { pass, open } = gate();
  store.beforeInsert = pass;
  const first = send("2");
  await expect.poll(() => store.inserts.length).toBe(2);
  const waiting = [edit(id, "a"), send("3"), edit(id, "b"), send("4")];
  open();
  const results = await Promise.all([first, ...waiting]);
  expect(results.map((message) => message?.rev)).toEqual([2, 3, 4, 6, 5]);
});

test("changes take a rev but no seq, and of two changes of a message the later one wins", async () => {
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

test("a change of a deleted message returns null and publishes nothing", async () => {
  const { edit, events } = setUp();
  expect(await edit("e".repeat(24), "text")).toBeNull();
  expect(events).toEqual([]);
});

test("a failing fan-out doesn't make a stored message fail", async () => {
  const { send } = setUp({
    publish: () => {
      throw new Error("no subscribers");
    },
  });
  await expect(send("1")).resolves.toMatchObject({ seq: 1 });
});

test("closing writes all waiting items and rejects further ones", async () => {
  const { commit, send, database } = setUp();
  const waiting = [send("1"), send("2")];
  await commit.close();
  await expect(Promise.all(waiting)).resolves.toHaveLength(2);
  expect(database.messages).toHaveLength(2);
  await expect(send("3")).rejects.toMatchObject({ type: "UNAVAILABLE" });
});
