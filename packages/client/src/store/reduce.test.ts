import type {
  Channel,
  EventName,
  EventPayload,
  Group,
  Message,
  OngoingCall,
  UnreadChannel,
} from "@fanfare/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyResult } from "./results.ts";
import { reduce, type StateEvent } from "./reduce.ts";
import { inboxItems, unreadInGroup } from "./selectors.ts";
import { type ClientState, EMPTY_STATE } from "./state.ts";

const event = <N extends EventName>(name: N, payload: EventPayload<N>): StateEvent =>
  ({ name, payload }) as StateEvent;

const channel = (id: string, more: Partial<Channel> = {}): Channel =>
  ({ id, groupId: "g", kind: "text", parentId: null, position: 0, ...more }) as Channel;
const group = (memberCount: number): Group => ({ id: "g", name: "Rockets", memberCount }) as Group;
const message = (seq: number, more: Partial<Message> = {}): Message =>
  ({ id: `m${seq}`, channelId: "c", seq, rev: seq, authorId: "other", deletedAt: null, ...more }) as Message;
const unread = (head: number, lastReadSeq: number, mentionCount = 0): UnreadChannel => ({
  channelId: "c",
  groupId: "g",
  parentId: null,
  head: { seq: head, rev: head },
  lastReadSeq,
  mentionCount,
});

const call = (id: string, channelId: string, participantCount = 1): OngoingCall => ({
  id,
  channelId,
  groupId: "g",
  startedByUserId: "other",
  startedAt: "2026-01-01",
  participants: [],
  participantCount,
});

/** A group with a channel, a thread in it, and a direct channel, all loaded. */
function loaded(): ClientState {
  const listed = [channel("c"), channel("d")].map((one) => ({
    ...one,
    head: { seq: 5, rev: 5 },
    lastReadSeq: 5,
  }));
  let state: ClientState = { ...EMPTY_STATE, userId: "me", unread: {}, inboxUnread: 0, notifications: {} };
  state = applyResult(state, "group.listMine", {}, { groups: [group(2)] });
  state = applyResult(state, "channel.list", { groupId: "g" }, { channels: listed, nextChannelId: null });
  state = applyResult(state, "role.list", { groupId: "g" }, { roles: [] });
  state = applyResult(state, "call.list", {}, { calls: [call("call", "c")] });
  state = applyResult(state, "friend.list", {}, { friends: [], nextCursor: null });
  state = applyResult(state, "friend.listRequests", {}, { requests: [], nextCursor: null });
  state = applyResult(state, "message.listPins", { channelId: "c" }, { messages: [], nextSkip: null });
  state = applyResult(state, "group.listMembers", { groupId: "g" }, { members: [], nextUserId: null });
  state = applyResult(state, "group.listMemberChanges", { groupId: "g" }, { changes: [] });
  state = applyResult(state, "group.listNicknames", { groupId: "g" }, { nicknames: [] });
  const direct = {
    ...channel("p", { groupId: null, kind: "direct" }),
    head: { seq: 1, rev: 1 },
    lastReadSeq: 1,
  };
  state = applyResult(state, "channel.listDirect", {}, { channels: [direct], nextCursor: null });
  return reduce(
    state,
    event("channel.created", { channel: channel("t", { kind: "thread", parentId: "c" }) }),
  );
}

const ids = fc.constantFrom("a", "b", "c", "d", "t", "p");
const events: fc.Arbitrary<StateEvent> = fc.oneof(
  fc
    .record({ id: ids, position: fc.nat(3) })
    .map(({ id, position }) => event("channel.created", { channel: channel(id, { position }) })),
  fc
    .record({ id: ids, name: fc.string() })
    .map(({ id, name }) => event("channel.updated", { channel: channel(id, { name }) })),
  ids.map((channelId) => event("channel.deleted", { groupId: "g", channelId })),
  ids.map((channelId) => event("channel.closed", { channelId })),
  fc.record({ channelId: ids, seq: fc.nat(20) }).map(({ channelId, seq }) =>
    event("message.created", {
      channelId,
      messages: [message(seq, { channelId, mentions: { userIds: ["me"], roleIds: [], everyone: false } })],
    }),
  ),
  fc
    .record({ channelId: ids, seq: fc.nat(20), rev: fc.nat(40), isPinned: fc.boolean() })
    .map(({ channelId, seq, rev, isPinned }) =>
      event("message.changed", {
        message: message(seq, { channelId, rev, ...(isPinned && { pinnedAt: "2026-01-01" }) }),
      }),
    ),
  fc
    .record({ channelId: ids, lastReadSeq: fc.nat(20) })
    .map((payload) => event("readMarker.updated", payload)),
  fc
    .record({ channelId: ids, lastReadSeq: fc.nat(20) })
    .map((payload) => event("readMarker.lowered", payload)),
  fc
    .record({ userId: ids })
    .map(({ userId }) =>
      event("friend.requested", { request: { userId, direction: "incoming", requestedAt: "" } }),
    ),
  fc.record({ userId: ids }).map(({ userId }) => event("friend.added", { friend: { userId, since: "" } })),
  fc.record({ userId: ids }).map((payload) => event("friend.removed", payload)),
  fc.nat(9).map((memberCount) =>
    event("member.left", {
      groupId: "g",
      userIds: ["a"],
      memberCount,
      departures: [{ userId: "a", change: "left", at: `${memberCount}` }],
    }),
  ),
  fc.nat(9).map((memberCount) =>
    event("member.joined", {
      groupId: "g",
      members: [{ groupId: "g", userId: "a", roleIds: ["r"], mutedUntil: null, joinedAt: "" }],
      memberCount,
    }),
  ),
  fc
    .record({ id: ids, channelId: ids, participantCount: fc.nat(3) })
    .map(({ id, channelId, participantCount }) =>
      event("call.updated", { call: call(id, channelId, participantCount) }),
    ),
  fc.record({ callId: ids, channelId: ids }).map((payload) => event("call.ended", payload)),
  fc.constant(event("role.deleted", { groupId: "g", roleId: "r" })),
  fc.constant(event("group.left", { groupId: "g", reason: "left" })),
);

describe("the reducer", () => {
  test("an event applied twice changes nothing more", () => {
    fc.assert(
      fc.property(fc.array(events, { maxLength: 30 }), (many) => {
        let state = loaded();
        for (const one of many) {
          state = reduce(state, one);
          expect(reduce(state, one)).toEqual(state);
        }
      }),
    );
  });

  test("events about unloaded parts do not change the state", () => {
    fc.assert(
      fc.property(fc.array(events, { maxLength: 30 }), (many) => {
        const { lastReadSeqs: _, ...state } = many.reduce(reduce, EMPTY_STATE);
        const { lastReadSeqs: __, ...empty } = EMPTY_STATE;
        expect(state).toEqual(empty);
      }),
    );
  });

  test("nothing refers to a deleted channel", () => {
    fc.assert(
      fc.property(fc.array(events, { maxLength: 30 }), ids, (many, channelId) => {
        const state = [...many, event("channel.deleted", { groupId: "g", channelId })].reduce(
          reduce,
          loaded(),
        );
        for (const { parentId } of Object.values(state.channels)) expect(parentId).not.toBe(channelId);
        expect(
          [state.channels, state.heads, state.pins, state.unread, state.calls].flatMap((table) =>
            Object.keys(table!),
          ),
        ).not.toContain(channelId);
        expect(state.directs).not.toContain(channelId);
      }),
    );
  });

  test("ongoing calls by channel, until they end or their group is left", () => {
    let state = applyResult(loaded(), "call.list", {}, { calls: [call("one", "c"), call("two", "p")] });
    expect(Object.keys(state.calls!)).toEqual(["c", "p"]);
    state = reduce(state, event("call.updated", { call: call("one", "c", 2) }));
    expect(state.calls?.["c"]?.participantCount).toBe(2);
    state = applyResult(
      state,
      "call.join",
      { channelId: "d" },
      { call: call("three", "d"), url: "", token: "" },
    );
    expect(state.calls?.["d"]?.id).toBe("three");
    // The end of an earlier call, which is late.
    state = reduce(state, event("call.ended", { channelId: "c", callId: "zero" }));
    expect(state.calls?.["c"]?.id).toBe("one");
    state = reduce(state, event("call.ended", { channelId: "p", callId: "two" }));
    expect(Object.keys(state.calls!)).toEqual(["c", "d"]);
    expect(reduce(state, event("group.left", { groupId: "g", reason: "left" })).calls).toEqual({});
  });

  test("new messages are unread after the last read one, and mentions are counted once", () => {
    const mentions = { userIds: ["me"], roleIds: [], everyone: false };
    const created = event("message.created", {
      channelId: "c",
      messages: [message(6), message(7, { mentions }), message(8, { mentions, authorId: "me" })],
    });
    const state = reduce(loaded(), created);
    expect(state.unread).toEqual({ c: { ...unread(8, 5, 1) } });
    expect(state.heads["c"]).toEqual({ seq: 8, rev: 8 });
    expect(reduce(state, event("readMarker.updated", { channelId: "c", lastReadSeq: 8 })).unread).toEqual({});
  });

  test("a late read marker does not move back", () => {
    const later = reduce(loaded(), event("readMarker.updated", { channelId: "c", lastReadSeq: 9 }));
    const state = reduce(later, event("readMarker.updated", { channelId: "c", lastReadSeq: 7 }));
    expect(state.lastReadSeqs["c"]).toBe(9);
  });

  test("messages marked as unread are unread again", () => {
    const read = reduce(loaded(), event("readMarker.updated", { channelId: "c", lastReadSeq: 9 }));
    const state = reduce(read, event("readMarker.lowered", { channelId: "c", lastReadSeq: 3 }));
    expect(state.lastReadSeqs["c"]).toBe(3);
  });

  test("joins and departures: the latest of each user, and no more than the server lists", () => {
    const joined = (userId: string, joinedAt: string): StateEvent => {
      const member = { groupId: "g", userId, roleIds: [], mutedUntil: null, joinedAt };
      return event("member.joined", { groupId: "g", members: [member], memberCount: 2 });
    };
    const left = event("member.left", {
      groupId: "g",
      userIds: ["a"],
      memberCount: 1,
      departures: [{ userId: "a", change: "left", at: "2026-01-03" }],
    });
    const events = [joined("a", "2026-01-01"), joined("b", "2026-01-02"), left, joined("a", "2026-01-04")];
    const { memberChanges } = [...events, ...events].reduce(reduce, loaded());
    expect(memberChanges["g"]!.map(({ userId, change }) => `${change} ${userId}`)).toEqual([
      "joined a",
      "left a",
      "joined b",
    ]);
    const many = Array.from({ length: 150 }, (_, index) =>
      joined(`u${index}`, new Date(index).toISOString()),
    );
    expect(many.reduce(reduce, loaded()).memberChanges["g"]).toHaveLength(100);
  });

  test("nicknames follow the members", () => {
    const named = (nickname?: string): StateEvent =>
      event("member.updated", {
        member: {
          groupId: "g",
          userId: "a",
          roleIds: [],
          ...(nickname !== undefined && { nickname }),
          mutedUntil: null,
          joinedAt: "",
        },
      });
    const state = reduce(loaded(), named("Captain"));
    expect(state.nicknames).toEqual({ g: { a: { userId: "a", nickname: "Captain" } } });
    expect(reduce(state, named()).nicknames).toEqual({ g: {} });
  });

  test("the server decides whether a thread is followed", () => {
    const created = event("message.created", { channelId: "t", messages: [message(1, { channelId: "t" })] });
    expect(reduce(loaded(), created).unread).toEqual({});
  });

  test("a closed direct channel reopens at the top with its next message", () => {
    const closed = reduce(loaded(), event("channel.closed", { channelId: "p" }));
    expect(closed.directs).toEqual([]);
    const created = event("message.created", { channelId: "p", messages: [message(2, { channelId: "p" })] });
    expect(reduce(closed, created).directs).toEqual(["p"]);
  });

  test("pins: latest first, unpinned and deleted messages are removed, older versions ignored", () => {
    const pin = (seq: number, rev: number, more: Partial<Message>): StateEvent =>
      event("message.changed", { message: message(seq, { rev, ...more }) });
    const first = pin(1, 10, { pinnedAt: "2026-01-01" });
    const second = pin(2, 11, { pinnedAt: "2026-01-02" });
    const both = [first, second].reduce(reduce, loaded());
    const pinned = ({ pins }: ClientState): string[] => pins["c"]!.map(({ id }) => id);
    expect(pinned(both)).toEqual(["m2", "m1"]);
    expect(pinned(reduce(both, pin(1, 9, {})))).toEqual(["m2", "m1"]);
    expect(pinned(reduce(both, pin(1, 12, {})))).toEqual(["m2"]);
    const deleted = message(2, { rev: 12, pinnedAt: "2026-01-02", deletedAt: "2026-01-03" });
    expect(pinned(reduce(both, event("message.deleted", { message: deleted })))).toEqual(["m1"]);
  });

  test("reactions update a listed message, and older ones are ignored", () => {
    const found = applyResult(
      loaded(),
      "message.search",
      { text: "x" },
      { messages: [message(3)], threads: [], nextCursor: null, isComplete: true },
    );
    const reacted = (rev: number, count: number): StateEvent =>
      event("reaction.changed", {
        channelId: "c",
        messageId: "m3",
        seq: 3,
        rev,
        afterRev: 3,
        reactions: [{ emoji: "👍", count, userIds: [] }],
      });
    const state = [reacted(8, 2), reacted(7, 1)].reduce(reduce, found);
    expect(state.messages["m3"]).toMatchObject({ rev: 8, reactions: [{ count: 2 }] });
  });

  test("another user's session starts with an empty state", () => {
    const ready = (userId: string): StateEvent =>
      event("ready", { userId, sessionId: "s", protocolVersion: 1, serverTime: "" });
    expect(reduce(loaded(), ready("me")).channels).not.toEqual({});
    expect(reduce(loaded(), ready("other"))).toEqual({ ...EMPTY_STATE, userId: "other" });
  });

  test("a new connection is not in maintenance until the server says so", () => {
    const ready = event("ready", { userId: "me", sessionId: "s", protocolVersion: 1, serverTime: "" });
    const paused = event("server.paused", { message: "Moving" });
    const states = [paused, ready, paused].reduce<ClientState[]>(
      (before, next) => [...before, reduce(before.at(-1) ?? loaded(), next)],
      [],
    );
    expect(states.map(({ maintenance }) => maintenance)).toEqual(["Moving", null, "Moving"]);
  });

  test("inbox items are current, and stay the same objects until they change", () => {
    const item = (seq: number) => ({ message: message(seq), groupId: "g", unread: true });
    const listed = [item(9), item(8), item(3)];
    const marked = reduce(
      reduce(loaded(), event("readMarker.updated", { channelId: "c", lastReadSeq: 8 })),
      event("inbox.updated", { marker: { readUpToId: null, clearedUpToId: "m3" } }),
    );
    const items = inboxItems(marked, listed);
    expect(items.map(({ message: { seq }, unread: isUnread }) => [seq, isUnread])).toEqual([
      [9, true],
      [8, false],
    ]);
    const again = inboxItems({ ...marked }, listed);
    expect(again.every((one, index) => one === items[index])).toBe(true);
  });
});

test("a hidden channel counts in its group with its mentions only", () => {
  const state: ClientState = { ...EMPTY_STATE, unread: { c: unread(5, 1, 2) }, notifications: {} };
  expect(unreadInGroup(state, "g")).toEqual({ messages: 4, mentions: 2 });
  const setting = { groupId: null, channelId: "c", level: null, mutedUntil: null };
  const payload = { setting: { ...setting, suppressEveryone: false, favorite: false, hidden: true } };
  expect(unreadInGroup(reduce(state, event("notification.updated", payload)), "g")).toEqual({
    messages: 2,
    mentions: 2,
  });
});
