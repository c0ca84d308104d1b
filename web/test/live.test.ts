import type { Channel, Group } from "@fanfare/contract";
import { InfiniteQueryObserver, QueryObserver } from "@tanstack/react-query";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callWithEffects } from "../src/data/call.ts";
import type { ServerCache } from "../src/data/cache.ts";
import { newQueryClient } from "../src/data/data-context.ts";
import { type Instance, startInstance } from "./instance.ts";

const all = { limit: 100 } as const;

/** What is shown to a user: asked for once, and from then on changed by events only. */
function show(cache: ServerCache, groupId: string, channelId: string): () => void {
  const { queries } = cache;
  const single = [
    cache.ask("user.me", {}),
    cache.ask("group.listMine", {}),
    cache.ask("channel.list", { groupId }),
    cache.ask("channel.get", { channelId }),
    cache.ask("group.myPermissions", { groupId }),
    cache.ask("role.list", { groupId }),
    cache.ask("message.listPins", { channelId }),
    cache.ask("inbox.getUnreadCount", {}),
    cache.askWhole("channel.listUnread", {}, { param: "cursor", next: "nextCursor", list: "channels" }),
    cache.askWhole("channel.listDirect", all, { param: "cursor", next: "nextCursor", list: "channels" }),
    cache.askWhole("friend.list", all, { param: "cursor", next: "nextCursor", list: "friends" }),
    cache.askWhole("friend.listRequests", all, { param: "cursor", next: "nextCursor", list: "requests" }),
    cache.askWhole("notification.list", all, { param: "cursor", next: "nextCursor", list: "settings" }),
  ];
  const paged = [
    cache.askPages("group.listMembers", { groupId, limit: 2 }, "afterUserId", (page) => page.nextUserId),
    cache.askPages("inbox.list", {}, "cursor", (page) => page.nextCursor),
    cache.askPages(
      "channel.listThreads",
      { channelId, archived: false },
      "cursor",
      (page) => page.nextCursor,
    ),
  ];
  const ends = [
    ...single.map((options) => new QueryObserver(queries, options as never).subscribe(() => undefined)),
    ...paged.map((options) =>
      new InfiniteQueryObserver(queries, options as never).subscribe(() => undefined),
    ),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** All that is held, by its key: of pages their items, for it does not matter where one ends. */
function held({ queries }: ServerCache): Record<string, unknown> {
  const entries = queries
    .getQueryCache()
    .getAll()
    .map(({ queryHash, state }) => [queryHash, state.error ?? itemsOf(state.data)]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}

function itemsOf(data: unknown): unknown {
  if (typeof data !== "object" || data === null || !("pages" in data)) return data;
  return (data.pages as object[]).flatMap((page) =>
    Object.values(page).find((value) => Array.isArray(value)),
  );
}

/** What differs when events have had their time: nothing, as soon as nothing does. */
async function settled(...caches: ServerCache[]): Promise<unknown[]> {
  const endsAtMs = Date.now() + SETTLES_WITHIN_MS;
  for (;;) {
    const differing = (await Promise.all(caches.map(differences))).flat();
    if (differing.length === 0 || Date.now() > endsAtMs) return differing;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The answers that are held and differ from those of the server; asks without touching what is held. */
async function differences(cache: ServerCache): Promise<unknown[]> {
  const byServer = newQueryClient();
  const differing: unknown[] = [];
  for (const { queryKey, queryHash, options } of cache.queries.getQueryCache().findAll({ type: "active" })) {
    const isPaged = queryKey.length > 2;
    const fresh = isPaged
      ? await byServer.fetchInfiniteQuery({ ...(options as object), queryKey, pages: 1 } as never)
      : await byServer.fetchQuery({ ...options, queryKey });
    const now = held(cache)[queryHash];
    const answer = itemsOf(fresh);
    if (JSON.stringify(upTo(answer, now)) !== JSON.stringify(upTo(now, answer)))
      differing.push({ queryKey, now, answer });
  }
  byServer.clear();
  return differing;
}

/** Of a list that is not all shown, what both show. */
function upTo(list: unknown, other: unknown): unknown {
  return normal(Array.isArray(list) && Array.isArray(other) ? list.slice(0, other.length) : list);
}

/** Lists without an order that is promised are compared in one of their own. */
function normal(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(normal).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, normal(item)]));
}

/** Much longer than events are gathered, and than what is asked for a moment later takes. */
const SETTLES_WITHIN_MS = 10_000;

describe("the cache after events is the cache after it was asked for again", () => {
  let instance: Instance;
  let ada: ServerCache;
  let bob: ServerCache;
  let group: Group;
  let channel: Channel;

  beforeAll(async () => {
    instance = await startInstance();
    [ada, bob] = await Promise.all([instance.user("ada"), instance.user("bob")]);
    const made = await callWithEffects(ada)("group.create", { name: "Rockets" });
    group = made.group;
    channel = made.channels[0]!;
    const { invite } = await callWithEffects(ada)("invite.create", { groupId: group.id });
    await callWithEffects(bob)("invite.accept", { code: invite.code });
    show(ada, group.id, channel.id);
    show(bob, group.id, channel.id);
    await settled(ada, bob);
  });

  afterAll(() => instance?.stop());

  const differencesAfter = async (work: () => Promise<unknown>): Promise<unknown[]> => {
    await work();
    return settled(ada, bob);
  };

  test("profiles and the group's settings", async () => {
    const differing = await differencesAfter(async () => {
      await callWithEffects(ada)("user.updateProfile", { nickname: "Ada L.", bio: "counts" });
      await callWithEffects(ada)("group.update", {
        groupId: group.id,
        name: "Rocket builders",
        description: "!",
      });
    });
    expect(differing).toEqual([]);
  });

  test("members who come, are muted and go", async () => {
    const differing = await differencesAfter(async () => {
      const { invite } = await callWithEffects(ada)("invite.create", { groupId: group.id });
      const guests = await Promise.all([instance.guest(), instance.guest(), instance.guest()]);
      for (const guest of guests) await callWithEffects(guest)("invite.accept", { code: invite.code });
      const [first, second] = guests.map(({ client }) => client.user!.id);
      await callWithEffects(ada)("group.mute", { groupId: group.id, userId: first!, durationMs: 60_000 });
      await callWithEffects(ada)("group.kick", { groupId: group.id, userId: second! });
    });
    expect(differing).toEqual([]);
  });

  test("roles, their order, and what they let somebody do", async () => {
    const differing = await differencesAfter(async () => {
      const groupId = group.id;
      const call = callWithEffects(ada);
      const { role } = await call("role.create", { groupId, name: "Pilot" });
      const { role: other } = await call("role.create", { groupId, name: "Cook", color: 0xff0000 });
      await call("role.update", { groupId, roleId: role.id, permissions: (1 << 5) | (1 << 4), color: 0xff });
      await call("role.assign", { groupId, roleId: role.id, userId: bob.client.user!.id });
      const { role: third } = await call("role.create", { groupId, name: "Captain" });
      await call("role.reorder", { groupId, roleIds: [role.id, third.id, other.id] });
      await call("role.setDefault", { groupId, permissions: 1 });
      await call("role.delete", { groupId, roleId: other.id });
    });
    expect(differing).toEqual([]);
  });

  test("a role that somebody has is deleted", async () => {
    const differing = await differencesAfter(async () => {
      const { roles } = await ada.client.call("role.list", { groupId: group.id });
      await callWithEffects(ada)("role.delete", { groupId: group.id, roleId: roles[0]!.id });
      await callWithEffects(ada)("role.setDefault", { groupId: group.id, permissions: 0b1100000001111 });
    });
    expect(differing).toEqual([]);
  });

  test("channels and sections are made, moved, changed, hidden, shown and deleted", async () => {
    const differing = await differencesAfter(async () => {
      const groupId = group.id;
      const call = callWithEffects(ada);
      const { channel: section } = await call("channel.create", {
        groupId,
        name: "Engines",
        kind: "section",
      });
      const { channel: text } = await call("channel.create", {
        groupId,
        name: "fuel",
        sectionId: section.id,
      });
      const { channel: hidden } = await call("channel.create", { groupId, name: "secret", private: true });
      const { channel: gone } = await call("channel.create", { groupId, name: "gone" });
      await ada.client.channel(hidden.id).send("who can read this?");
      await call("channel.reorder", {
        groupId,
        places: [
          { channelId: text.id, sectionId: null, position: 0 },
          { channelId: channel.id, sectionId: section.id, position: 1 },
        ],
      });
      await call("channel.update", { channelId: text.id, topic: "hot", slowModeSeconds: 5 });
      await call("channel.delete", { channelId: gone.id });
      const target = { type: "member", id: bob.client.user!.id } as const;
      await call("channel.setOverride", { channelId: hidden.id, target, allow: 1, deny: 0 });
      await call("channel.setOverride", { channelId: text.id, target, allow: 0, deny: 1 });
    });
    expect(differing).toEqual([]);
  });

  test("messages, mentions, pins and reactions; what was read", async () => {
    const differing = await differencesAfter(async () => {
      const channelId = channel.id;
      const view = ada.client.channel(channelId);
      await view.load();
      const hello = await view.send(`hello <@${bob.client.user!.id}>`);
      const second = await view.send("@everyone look");
      const third = await view.send("and this");
      await callWithEffects(ada)("message.pin", { channelId, messageId: hello.id });
      await callWithEffects(ada)("message.pin", { channelId, messageId: third.id });
      await callWithEffects(bob)("message.react", { channelId, messageId: hello.id, emoji: "🚀" });
      await view.edit(third.id, "and that");
      await callWithEffects(bob)("channel.markRead", { channelId, seq: second.seq - 1 });
    });
    expect(differing).toEqual([]);
  });

  test("pins and mentions that go", async () => {
    const differing = await differencesAfter(async () => {
      const channelId = channel.id;
      const { messages } = await ada.client.call("message.list", { channelId });
      await callWithEffects(ada)("message.unpin", { channelId, messageId: messages.at(-1)!.id });
      await callWithEffects(ada)("message.delete", { channelId, messageId: messages.at(-2)!.id });
      await callWithEffects(bob)("message.unreact", { channelId, messageId: messages[0]!.id, emoji: "🚀" });
    });
    expect(differing).toEqual([]);
  });

  test("the inbox is read and cleared, and everything with it", async () => {
    const differing = await differencesAfter(async () => {
      const { items } = await bob.client.call("inbox.list", {});
      await callWithEffects(bob)("inbox.markRead", { messageId: items[0]!.message.id });
      await callWithEffects(bob)("inbox.clear", { messageId: items[0]!.message.id });
      await callWithEffects(ada)("inbox.markAllRead", {});
    });
    expect(differing).toEqual([]);
  });

  test("threads", async () => {
    const differing = await differencesAfter(async () => {
      const channelId = channel.id;
      const open = async (name: string): Promise<Channel> => {
        const { id: messageId } = await ada.client.channel(channelId).send(`about ${name}`);
        return (await callWithEffects(ada)("channel.openThread", { channelId, messageId, name })).channel;
      };
      const first = await open("first");
      const second = await open("second");
      await bob.client.channel(first.id).send("in the thread");
      await callWithEffects(ada)("channel.archiveThread", { channelId: second.id });
    });
    expect(differing).toEqual([]);
  });

  test("friends who ask, accept and part", async () => {
    const [adaId, bobId] = [ada.client.user!.id, bob.client.user!.id];
    expect(await differencesAfter(() => callWithEffects(ada)("friend.request", { userId: bobId }))).toEqual(
      [],
    );
    expect(await differencesAfter(() => callWithEffects(bob)("friend.accept", { userId: adaId }))).toEqual(
      [],
    );
    expect(await differencesAfter(() => callWithEffects(ada)("friend.remove", { userId: bobId }))).toEqual(
      [],
    );
    expect(await differencesAfter(() => callWithEffects(bob)("friend.request", { userId: adaId }))).toEqual(
      [],
    );
    expect(await differencesAfter(() => callWithEffects(ada)("friend.decline", { userId: bobId }))).toEqual(
      [],
    );
  });

  test("direct channels are opened, written in, closed and back", async () => {
    const carol = await instance.user("carol");
    const { invite } = await callWithEffects(ada)("invite.create", { groupId: group.id });
    await callWithEffects(carol)("invite.accept", { code: invite.code });
    const ids = [ada, bob, carol].map(({ client }) => client.user!.id);
    const { channel: two } = await callWithEffects(ada)("channel.openDirect", { userId: ids[1]! });
    const { channel: three } = await callWithEffects(ada)("channel.createGroupDirect", {
      userIds: [ids[1]!, ids[2]!],
      name: "Three",
    });
    expect(
      await differencesAfter(async () => {
        await bob.client.channel(three.id).send("all three");
        await bob.client.channel(two.id).send("just us");
      }),
    ).toEqual([]);
    expect(
      await differencesAfter(() => callWithEffects(ada)("channel.closeDirect", { channelId: two.id })),
    ).toEqual([]);
    expect(await differencesAfter(() => bob.client.channel(two.id).send("are you there?"))).toEqual([]);
    expect(
      await differencesAfter(() =>
        callWithEffects(bob)("channel.renameDirect", { channelId: three.id, name: "Trio" }),
      ),
    ).toEqual([]);
    expect(
      await differencesAfter(() =>
        callWithEffects(bob)("channel.removeFromDirect", { channelId: three.id, userId: ids[1]! }),
      ),
    ).toEqual([]);
  });

  test("notification settings", async () => {
    const differing = await differencesAfter(async () => {
      await callWithEffects(ada)("notification.set", {
        groupId: group.id,
        level: "nothing",
        suppressEveryone: true,
      });
      await callWithEffects(bob)("notification.set", { channelId: channel.id, level: "all" });
      await callWithEffects(bob)("notification.set", { channelId: channel.id, level: null });
    });
    expect(differing).toEqual([]);
  });

  test("what happens before the connection is back is asked for", async () => {
    const differing = await differencesAfter(async () => {
      await instance.restart();
      // By HTTP, for nobody is connected yet.
      const groupId = group.id;
      await ada.client.call("group.update", { groupId, name: "After the restart" });
      await ada.client.call("channel.create", { groupId, name: "new" });
      await ada.client.call("message.send", { channelId: channel.id, content: "unheard", nonce: "unheard" });
      await expect
        .poll(() => [ada.client.state, bob.client.state], { timeout: 20_000 })
        .toEqual(["online", "online"]);
    });
    expect(differing).toEqual([]);
    expect(bob.read("group.listMine", {})!.groups.map(({ name }) => name)).toEqual(["After the restart"]);
  });

  test("somebody leaves, and a group is deleted", async () => {
    await callWithEffects(bob)("group.leave", { groupId: group.id });
    await expect
      .poll(() => bob.read("group.listMine", {}), { timeout: SETTLES_WITHIN_MS })
      .toEqual({ groups: [] });
    expect(bob.read("channel.list", { groupId: group.id })).toBeUndefined();
    expect(await settled(ada)).toEqual([]);
    const { group: second } = await callWithEffects(ada)("group.create", { name: "Boats" });
    await callWithEffects(ada)("group.delete", { groupId: second.id });
    expect(await settled(ada)).toEqual([]);
  });
});
