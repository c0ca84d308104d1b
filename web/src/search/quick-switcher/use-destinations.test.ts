import { describe, expect, test } from "vitest";
import { type Destination, fuzzyMatch, rank } from "./use-destinations.ts";

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
  test("ranks exact names, prefixes, word prefixes, substrings, then scattered characters", () => {
    expect(sorted("lab", "collab", "rocket-lab", "labels", "lab", "long-abacus", "general")).toEqual([
      "lab",
      "labels",
      "rocket-lab",
      "collab",
      "long-abacus",
    ]);
  });

  test("prefers the shorter of two equal matches", () => {
    expect(sorted("gen", "generations", "general")).toEqual(["general", "generations"]);
  });

  test("requires each word, in any order", () => {
    expect(fuzzyMatch("lab rocket", "rocket lab")).not.toBeNull();
    expect(fuzzyMatch("lab moon", "rocket lab")).toBeNull();
  });

  test("returns the matched characters", () => {
    expect(fuzzyMatch("rl", "rocket-lab")?.at).toEqual([0, 7]);
    expect(fuzzyMatch("公告", "项目公告")?.at).toEqual([2, 3]);
  });

  test("requires the characters in order, and matches everything for an empty query", () => {
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

test("without a query, ranks mentions, then unread, then recent places", () => {
  const all = [
    channel("never"),
    channel("earlier", { recency: 1 }),
    channel("later", { recency: 2 }),
    channel("unread", { unread: { messages: 3, mentions: 0 } }),
    channel("mentioned", { unread: { messages: 1, mentions: 1 } }),
  ];
  expect(titles(all, " ")).toEqual(["mentioned", "unread", "later", "earlier"]);
});

test("with a query, ranks by match, then by recency", () => {
  expect(titles([channel("lab-one"), channel("lab-two", { recency: 1 }), channel("collab")], "lab")).toEqual([
    "lab-two",
    "lab-one",
    "collab",
  ]);
});

test("finds channels by their group after those that match by name", () => {
  const all = [channel("general"), channel("rockets", { detail: "Other" })];
  expect(titles(all, "rocket")).toEqual(["rockets", "general"]);
  expect(titles(all, "general builders")).toEqual(["general"]);
});
