import { describe, expect, test } from "vitest";
import { fuzzyMatch, rank } from "./quick-switcher.tsx";
import type { Destination } from "./destination.ts";

/** Matching texts, best first. */
const sorted = (query: string, ...texts: string[]) =>
  texts
    .flatMap((text) => {
      const match = fuzzyMatch(query, text);
      return match === null ? [] : [{ text, score: match.score }];
    })
    .toSorted((a, b) => b.score - a.score)
    .map(({ text }) => text);

describe("fuzzyMatch", () => {
  test("the whole name, then its beginning, a word of it, a part of it, its characters with others between", () => {
    expect(sorted("lab", "collab", "rocket-lab", "labels", "lab", "long-abacus", "general")).toEqual([
      "lab",
      "labels",
      "rocket-lab",
      "collab",
      "long-abacus",
    ]);
  });

  test("the shorter of two that fit as well", () => {
    expect(sorted("gen", "generations", "general")).toEqual(["general", "generations"]);
  });

  test("every word, in any order", () => {
    expect(fuzzyMatch("lab rocket", "rocket lab")).not.toBeNull();
    expect(fuzzyMatch("lab moon", "rocket lab")).toBeNull();
  });

  test("says which characters were meant", () => {
    expect(fuzzyMatch("rl", "rocket-lab")?.at).toEqual([0, 7]);
    expect(fuzzyMatch("公告", "项目公告")?.at).toEqual([2, 3]);
  });

  test("characters out of order do not fit, and nothing typed fits all", () => {
    expect(fuzzyMatch("bal", "lab")).toBeNull();
    expect(fuzzyMatch("  ", "lab")).toMatchObject({ at: [] });
  });
});

const NOTHING = { messages: 0, mentions: 0 };
const channel = (title: string, more: Partial<Destination> = {}): Destination =>
  ({
    kind: "channel",
    key: title,
    title,
    detail: "Rocket builders",
    path: `/${title}`,
    unread: NOTHING,
    recency: 0,
    ...more,
  }) as Destination;
const titles = (destinations: Destination[], query: string) =>
  rank(destinations, query).map(({ destination }) => destination.title);

test("without a text: mentions, then unread, then where one was last, and nothing else", () => {
  const all = [
    channel("never"),
    channel("earlier", { recency: 1 }),
    channel("later", { recency: 2 }),
    channel("unread", { unread: { messages: 3, mentions: 0 } }),
    channel("mentioned", { unread: { messages: 1, mentions: 1 } }),
  ];
  expect(titles(all, " ")).toEqual(["mentioned", "unread", "later", "earlier"]);
});

test("with a text: what fits best, where one was of late before what is as good", () => {
  expect(titles([channel("lab-one"), channel("lab-two", { recency: 1 }), channel("collab")], "lab")).toEqual([
    "lab-two",
    "lab-one",
    "collab",
  ]);
});

test("a channel is also found by its group, after those that have the name", () => {
  const all = [channel("general"), channel("rockets", { detail: "Other" })];
  expect(titles(all, "rocket")).toEqual(["rockets", "general"]);
  expect(titles(all, "general builders")).toEqual(["general"]);
});
