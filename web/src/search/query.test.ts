import { describe, expect, test } from "vitest";
import {
  filterAt,
  parseQuery,
  withFilter,
  withoutFilter,
  channelFilterValue,
  type Directory,
  personFilterValue,
  resolveQuery,
} from "./query.ts";
import type { User } from "@fanfare/contract";
import { scopeAt, scopesAt } from "./search-store.ts";

const filters = (text: string) => parseQuery(text).filters.map(({ name, value }) => `${name}=${value}`);

describe("parseQuery", () => {
  test("separates words and filters in any order", () => {
    expect(parseQuery("rocket from:ada  launch has:link").words).toBe("rocket launch");
    expect(filters("rocket from:ada  launch has:link")).toEqual(["from=ada", "has=link"]);
  });

  test("keeps quoted values together, even if unclosed", () => {
    expect(filters('from:"Ada Lovelace" in:"big pl')).toEqual(["from=Ada Lovelace", "in=big pl"]);
  });

  test("ignores case and accepts the full-width colon", () => {
    expect(filters("FROM：小明 火箭")).toEqual(["from=小明"]);
    expect(parseQuery("FROM：小明 火箭").words).toBe("火箭");
  });

  test("treats lookalikes of filters as words", () => {
    for (const text of ["http://in:8080", "within:x", "size:3", "from ada"]) {
      expect(parseQuery(text)).toEqual({ words: text, filters: [] });
    }
  });

  test("accepts a filter without a value yet", () => {
    expect(parseQuery("rocket from:")).toMatchObject({ words: "rocket", filters: [{ value: "" }] });
  });
});

test("filterAt returns the filter at the caret", () => {
  const query = parseQuery("from:ada rocket");
  expect(filterAt(query, 5)?.name).toBe("from");
  expect(filterAt(query, 8)?.name).toBe("from");
  expect(filterAt(query, 3)).toBeNull();
  expect(filterAt(query, 9)).toBeNull();
});

describe("filters", () => {
  test("are appended, replaced and removed", () => {
    expect(withFilter("rocket ", "from", "")).toBe("rocket from:");
    expect(withFilter("", "in", "big plans")).toBe('in:"big plans"');
    const text = "a from:ad b";
    const [former] = parseQuery(text).filters;
    expect(withFilter(text, "from", "ada", former)).toBe("a from:ada b");
    expect(withoutFilter(text, former!)).toBe("a b");
  });
});

const user = (id: string, nickname: string, username: string | null = null): User => ({
  id,
  nickname,
  username,
  avatarUrl: null,
  bio: "",
  kind: username === null ? "guest" : "member",
  createdAt: "2026-01-01T00:00:00.000Z",
});
const people = [user("1", "Ada Lovelace", "ada"), user("2", "Ada"), user("3", "小明"), user("4", "Ada")];
const directory: Directory = {
  ownId: "1",
  people,
  nicknames: {},
  channels: [{ id: "c1", name: "big plans" }],
  scope: { groupId: "g" },
  nowMs: new Date(2026, 10, 21, 12).getTime(),
};
const resolve = (text: string) => resolveQuery(parseQuery(text), directory);

describe("resolveQuery", () => {
  test("resolves names to IDs, usernames first", () => {
    expect(resolve('rocket from:ADA mentions:"Ada Lovelace"').search).toEqual({
      groupId: "g",
      text: "rocket",
      from: "1",
      mentions: "1",
    });
    expect(resolve("from:小明 mentions:me").search).toMatchObject({ from: "3", mentions: "1" });
  });

  test("nicknames in the group come before the names that users have elsewhere", () => {
    const nicknames = { "2": { userId: "2", nickname: "Captain" }, "3": { userId: "3", nickname: "Ada" } };
    const inGroup = { ...directory, nicknames };
    const from = (text: string) => resolveQuery(parseQuery(text), inGroup).search.from;
    expect([from("x from:captain"), from("x from:小明"), from("x from:ada")]).toEqual(["2", "3", "1"]);
    expect(personFilterValue(people[1]!, inGroup)).toBe("Captain");
    expect(personFilterValue(people[2]!, inGroup)).toBe("3");
  });

  test("a channel replaces the group", () => {
    expect(resolve('x in:"#Big plans"').search).toEqual({ channelId: "c1", text: "x" });
  });

  test("everywhere, an ambiguous channel needs its group", () => {
    const channels = [
      { id: "c1", name: "general", group: "Rockets" },
      { id: "c2", name: "general", group: "Big plans" },
      { id: "c3", name: "engines", group: "Rockets" },
    ];
    const everywhere: Directory = { ...directory, channels, scope: { everywhere: true } };
    const find = (text: string) => resolveQuery(parseQuery(text), everywhere);
    expect(find("x from:me").search).toEqual({ everywhere: true, text: "x", from: "1" });
    expect(find("x in:engines").search).toEqual({ channelId: "c3", text: "x" });
    expect(find('x in:"big plans/General"').search).toEqual({ channelId: "c2", text: "x" });
    expect(find("x in:c1").search).toEqual({ channelId: "c1", text: "x" });
    expect(find("x in:general").search).toEqual({ everywhere: true, text: "x" });
    expect(find("x in:general in:nowhere").unknown.map(({ fault }) => fault)).toEqual(["inMany", "in"]);
    expect(channels.map((channel) => channelFilterValue(channel, channels))).toEqual([
      "Rockets/general",
      "Big plans/general",
      "engines",
    ]);
    const alike = [...channels, { id: "c4", name: "general", group: "Rockets" }];
    expect(channelFilterValue(alike[0]!, alike)).toBe("c1");
    const quoted = { id: "c5", name: 'the "one"', group: "Rockets" };
    expect(channelFilterValue(quoted, [quoted])).toBe("c5");
  });

  test("combines traits and uses local days", () => {
    const { search } = resolve("has:file has:link has:file after:yesterday before:2026-11-21");
    expect(search).toEqual({
      groupId: "g",
      has: ["attachment", "link"],
      after: new Date(2026, 10, 20).toISOString(),
      before: new Date(2026, 10, 21).toISOString(),
    });
  });

  test("reports unknown values but not incomplete filters", () => {
    const { search, unknown } = resolve("x from:unknown in:nowhere has:wings before:2026-02-31 after:");
    expect(search).toEqual({ groupId: "g", text: "x" });
    expect(unknown.map(({ name }) => name)).toEqual(["from", "in", "has", "before"]);
  });
});

test("personFilterValue is unambiguous", () => {
  expect(people.map((person) => personFilterValue(person, directory))).toEqual(["ada", "2", "小明", "4"]);
});

test("scopes depend on the place, and the chosen one is kept if possible", () => {
  const inGroup = { groupId: "g", channelId: "c" };
  const atGroup = { groupId: "g", channelId: null };
  const direct = { groupId: null, channelId: "d" };
  expect(scopesAt(inGroup)).toEqual(["channel", "group", "everywhere"]);
  expect(scopesAt(atGroup)).toEqual(["group", "everywhere"]);
  expect(scopesAt(direct)).toEqual(["channel", "everywhere"]);
  expect(scopesAt(null)).toEqual(["everywhere"]);
  expect([inGroup, atGroup, direct, null].map((place) => scopeAt(place, "group"))).toEqual([
    "group",
    "group",
    "channel",
    "everywhere",
  ]);
  expect(scopeAt(atGroup, "channel")).toBe("group");
  expect(scopeAt(direct, "everywhere")).toBe("everywhere");
});
