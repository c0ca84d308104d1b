import { expect, test } from "vitest";
import type { Destination } from "./destination.ts";
import { rank } from "./quick-switcher.tsx";

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
