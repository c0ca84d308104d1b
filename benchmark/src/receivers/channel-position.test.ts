import { expect, test } from "vitest";
import { ChannelPosition } from "./catch-up.ts";

test("consecutive changes advance it, and changes ahead are a gap until the rest arrives", () => {
  const position = new ChannelPosition("c");
  position.received([1, 2, 3]);
  expect([position.rev, position.hasGap]).toEqual([3, false]);
  position.received([5, 6]);
  expect([position.rev, position.hasGap]).toEqual([3, true]);
  position.received([4]);
  expect([position.rev, position.hasGap]).toEqual([6, false]);
});

test("an answer advances it over everything it has, and over changes ahead", () => {
  const position = new ChannelPosition("c");
  position.received([8, 12]);
  position.synced(7);
  expect([position.rev, position.hasGap]).toEqual([8, true]);
  position.synced(11);
  expect([position.rev, position.hasGap]).toEqual([12, false]);
});

test("it never goes back, and old changes are ignored", () => {
  const position = new ChannelPosition("c");
  position.synced(5);
  position.synced(2);
  position.received([3, 4, 5]);
  expect([position.rev, position.hasGap]).toEqual([5, false]);
});
