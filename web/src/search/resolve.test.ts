import type { User } from "@fanfare/contract";
import { describe, expect, test } from "vitest";
import { parseQuery } from "./query.ts";
import { type Directory, personWord, resolveQuery } from "./resolve.ts";

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
  channels: [{ id: "c1", name: "big plans" }],
  scope: { groupId: "g" },
  nowMs: new Date(2026, 10, 21, 12).getTime(),
};
const resolve = (text: string) => resolveQuery(parseQuery(text), directory);

describe("resolveQuery", () => {
  test("names become ids: a username before a name", () => {
    expect(resolve('rocket from:ADA mentions:"Ada Lovelace"').search).toEqual({
      groupId: "g",
      text: "rocket",
      from: "1",
      mentions: "1",
    });
    expect(resolve("from:小明 mentions:me").search).toMatchObject({ from: "3", mentions: "1" });
  });

  test("a channel takes the place of the group", () => {
    expect(resolve('x in:"#Big plans"').search).toEqual({ channelId: "c1", text: "x" });
  });

  test("traits add up, days are those of the browser", () => {
    const { search } = resolve("has:file has:link has:file after:yesterday before:2026-11-21");
    expect(search).toEqual({
      groupId: "g",
      has: ["attachment", "link"],
      after: new Date(2026, 10, 20).toISOString(),
      before: new Date(2026, 10, 21).toISOString(),
    });
  });

  test("what means nothing is told, what is being typed is not", () => {
    const { search, unknown } = resolve("x from:nobody in:nowhere has:wings before:2026-02-31 after:");
    expect(search).toEqual({ groupId: "g", text: "x" });
    expect(unknown.map(({ name }) => name)).toEqual(["from", "in", "has", "before"]);
  });
});

test("what is typed for somebody means nobody else", () => {
  expect(people.map((person) => personWord(person, people))).toEqual(["ada", "2", "小明", "4"]);
});
