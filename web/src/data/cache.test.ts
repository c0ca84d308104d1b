import type { FanfareClient } from "@fanfare/client";
import type { Group, Member, Result } from "@fanfare/contract";
import { InfiniteQueryObserver, QueryObserver } from "@tanstack/react-query";
import { afterEach, describe, expect, test } from "vitest";
import { ServerCache } from "./cache.ts";
import { newQueryClient } from "./data-context.ts";

/** A server that answers when it is told to. */
function newServer() {
  const waiting: { params: unknown; answer: (data: unknown) => void; fail: (error: Error) => void }[] = [];
  const client = {
    state: "online",
    on: () => () => undefined,
    call: (_: string, params: unknown) =>
      new Promise((answer, fail) => {
        waiting.push({ params, answer, fail });
      }),
  } as unknown as FanfareClient;
  return { cache: new ServerCache(client, newQueryClient()), waiting };
}

const group = (id: string, name: string): Group => ({ id, name }) as Group;
const member = (userId: string): Member => ({ userId }) as Member;
const rename =
  (id: string, name: string) =>
  (answer: Result<"group.listMine">): Result<"group.listMine"> => ({
    groups: answer.groups.map((held) => (held.id === id ? { ...held, name } : held)),
  });

let ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends) end();
  ends = [];
});

function show(cache: ServerCache, options: unknown): void {
  ends.push(new QueryObserver(cache.queries, options as never).subscribe(() => undefined));
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

describe("ServerCache", () => {
  test("applies to an answer what was heard while it was on its way", async () => {
    const { cache, waiting } = newServer();
    show(cache, cache.ask("group.listMine", {}));
    await turn();
    cache.patch("group.listMine", rename("a", "new"));
    waiting[0]!.answer({ groups: [group("a", "old")] });
    await turn();
    expect(cache.read("group.listMine", {})).toEqual({ groups: [group("a", "new")] });
  });

  test("applies it to every page, also to those that had come before", async () => {
    const { cache, waiting } = newServer();
    const options = cache.askPages(
      "group.listMembers",
      { groupId: "g" },
      "afterUserId",
      (page) => page.nextUserId,
    );
    const observer = new InfiniteQueryObserver(cache.queries, options);
    ends.push(observer.subscribe(() => undefined));
    await turn();
    waiting[0]!.answer({ members: [member("a"), member("b")], nextUserId: "b" });
    await turn();
    void observer.fetchNextPage();
    await turn();
    expect(waiting[1]!.params).toEqual({ groupId: "g", afterUserId: "b" });
    const asked: unknown[] = [];
    cache.patch("group.listMembers", (page, params) => {
      asked.push(params);
      return { ...page, members: page.members.filter(({ userId }) => userId !== "a" && userId !== "c") };
    });
    waiting[1]!.answer({ members: [member("c"), member("d")], nextUserId: null });
    await turn();
    const pages = cache
      .held("group.listMembers")
      .map(({ answer }) => answer.members.map(({ userId }) => userId));
    expect(pages).toEqual([["b"], ["d"]]);
    expect(asked).toContainEqual({ groupId: "g", afterUserId: "b" });
  });

  test("loads again what changed too often meanwhile", async () => {
    const { cache, waiting } = newServer();
    show(cache, cache.ask("group.listMine", {}));
    await turn();
    for (let count = 0; count <= 500; count++) cache.patch("group.listMine", rename("a", `${count}`));
    waiting[0]!.answer({ groups: [group("a", "old")] });
    await turn();
    expect(waiting).toHaveLength(2);
  });

  test("what may lack something is still asked for again after it was changed", async () => {
    const { cache, waiting } = newServer();
    void cache.queries.fetchQuery(cache.ask("group.listMine", {}));
    await turn();
    waiting[0]!.answer({ groups: [group("a", "old")] });
    await turn();
    await cache.queries.invalidateQueries();
    cache.patch("group.listMine", rename("a", "new"));
    expect(cache.queries.getQueryState(["group.listMine", {}])).toMatchObject({ isInvalidated: true });
    show(cache, cache.ask("group.listMine", {}));
    await turn();
    expect(waiting).toHaveLength(2);
  });

  test("changes only what was asked with these params", async () => {
    const { cache } = newServer();
    cache.put("role.list", { groupId: "a" }, { roles: [] });
    cache.put("role.list", { groupId: "b" }, { roles: [] });
    cache.patch("role.list", () => ({ roles: [{ id: "r" } as never] }), { groupId: "b" });
    expect(cache.read("role.list", { groupId: "a" })!.roles).toHaveLength(0);
    expect(cache.read("role.list", { groupId: "b" })!.roles).toHaveLength(1);
    cache.drop("role.list", { groupId: "a" });
    expect(cache.read("role.list", { groupId: "a" })).toBeUndefined();
  });

  test("a list that comes by pages is one answer", async () => {
    const { cache, waiting } = newServer();
    const paging = { param: "cursor", next: "nextCursor", list: "friends" } as const;
    show(cache, cache.askWhole("friend.list", {}, paging));
    await turn();
    waiting[0]!.answer({ friends: [{ userId: "a" }], nextCursor: "a" });
    await turn();
    expect(waiting[1]!.params).toEqual({ cursor: "a" });
    waiting[1]!.answer({ friends: [{ userId: "b" }], nextCursor: null });
    await turn();
    expect(cache.read("friend.list", {})).toEqual({
      friends: [{ userId: "a" }, { userId: "b" }],
      nextCursor: null,
    });
  });
});
