import type { FanfareClient } from "@fanfare/client";
import type { Ban } from "@fanfare/contract";
import { InfiniteQueryObserver, QueryObserver } from "@tanstack/react-query";
import { afterEach, describe, expect, test } from "vitest";
import { ServerCache } from "./cache.ts";
import { newQueryClient } from "./data-context.ts";

/** A server whose responses the test controls. */
function newServer() {
  const waiting: { params: unknown; answer: (data: unknown) => void }[] = [];
  const client = {
    state: "online",
    on: () => () => undefined,
    wrapCalls: () => undefined,
    call: (_: string, params: unknown) =>
      new Promise((answer) => {
        waiting.push({ params, answer });
      }),
  } as unknown as FanfareClient;
  return { cache: new ServerCache(client, newQueryClient()), waiting };
}

let ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends) end();
  ends = [];
});

function show(cache: ServerCache, options: unknown): void {
  ends.push(new QueryObserver(cache.queries, options as never).subscribe(() => undefined));
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
const ban = (userId: string): Ban => ({ userId }) as Ban;

describe("ServerCache", () => {
  test("patches each page of a list with the params of that page", async () => {
    const { cache, waiting } = newServer();
    const options = cache.pagedQuery(
      "group.listBans",
      { groupId: "g" },
      "afterUserId",
      (page) => page.nextUserId,
    );
    const observer = new InfiniteQueryObserver(cache.queries, options);
    ends.push(observer.subscribe(() => undefined));
    await turn();
    waiting[0]!.answer({ bans: [ban("a"), ban("b")], nextUserId: "b" });
    await turn();
    void observer.fetchNextPage();
    await turn();
    expect(waiting[1]!.params).toEqual({ groupId: "g", afterUserId: "b" });
    waiting[1]!.answer({ bans: [ban("c"), ban("d")], nextUserId: null });
    await turn();
    const asked: unknown[] = [];
    cache.patch("group.listBans", (page, params) => {
      asked.push(params);
      return { ...page, bans: page.bans.filter(({ userId }) => userId !== "a" && userId !== "c") };
    });
    const pages = observer.getCurrentResult().data!.pages;
    expect(pages.map(({ bans }) => bans.map(({ userId }) => userId))).toEqual([["b"], ["d"]]);
    expect(asked).toContainEqual({ groupId: "g", afterUserId: "b" });
  });

  test("refetches an invalidated response even after a patch", async () => {
    const { cache, waiting } = newServer();
    void cache.queries.fetchQuery(cache.query("invite.list", { groupId: "g" }));
    await turn();
    waiting[0]!.answer({ invites: [] });
    await turn();
    await cache.queries.invalidateQueries();
    cache.patch("invite.list", ({ invites }) => ({ invites: [...invites] }));
    show(cache, cache.query("invite.list", { groupId: "g" }));
    await turn();
    expect(waiting).toHaveLength(2);
  });

  test("only patches responses with matching params", () => {
    const { cache } = newServer();
    const invites = (groupId: string) =>
      cache.queries.getQueryData<{ invites: unknown[] }>(["invite.list", { groupId }])!.invites;
    for (const groupId of ["a", "b"]) cache.put("invite.list", { groupId }, { invites: [] });
    cache.patch("invite.list", () => ({ invites: [{ code: "c" } as never] }), { groupId: "b" });
    expect(invites("a")).toHaveLength(0);
    expect(invites("b")).toHaveLength(1);
  });

  test("refetches once for several invalidations", async () => {
    const { cache, waiting } = newServer();
    show(cache, cache.query("invite.list", { groupId: "g" }));
    await turn();
    waiting[0]!.answer({ invites: [] });
    await turn();
    for (let count = 0; count < 100; count += 1) cache.refetchSoon("invite.list", {}, 1, 0);
    await expect.poll(() => waiting.length).toBe(2);
    waiting[1]!.answer({ invites: [] });
    await turn();
    expect(waiting).toHaveLength(2);
  });

  test("an event during a long wait leads to another refetch, because the first can be too early for it", async () => {
    const { cache, waiting } = newServer();
    show(cache, cache.query("invite.list", { groupId: "g" }));
    await turn();
    waiting[0]!.answer({ invites: [] });
    for (let count = 0; count < 100; count += 1) cache.refetchSoon("invite.list", {}, 1, 60);
    for (const length of [2, 3]) {
      await expect.poll(() => waiting.length).toBe(length);
      waiting[length - 1]!.answer({ invites: [] });
      await turn();
    }
  });

  test("loads all pages into one response", async () => {
    const { cache, waiting } = newServer();
    const paging = { param: "afterName", next: "nextName", list: "commands" } as const;
    const options = cache.allPagesQuery("command.list", { channelId: "c" }, paging);
    const asked = cache.queries.fetchQuery(options);
    await turn();
    waiting[0]!.answer({ commands: [{ name: "a" }], nextName: "a" });
    await turn();
    expect(waiting[1]!.params).toEqual({ channelId: "c", afterName: "a" });
    waiting[1]!.answer({ commands: [{ name: "b" }], nextName: null });
    expect((await asked).commands).toEqual([{ name: "a" }, { name: "b" }]);
  });
});
