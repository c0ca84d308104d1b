import { expect, onTestFinished, test, vi } from "vitest";
import { PUBLISH_INTERVAL_MS, PUBLISHED_KEYS, PUBLISHED_KEYS_IN_ALL } from "../src/constants.ts";
import { Publications } from "../src/serve.ts";

function setUp() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const publish = vi.fn<ConstructorParameters<typeof Publications>[0]>();
  const publications = new Publications(publish);
  const add = (key: string, data: unknown, channelId = "channel") =>
    publications.add(["room"], { plugin: "dice", channelId, key, data });
  const sent = () => publish.mock.calls.splice(0).map(([, , payload]) => (payload as { data: unknown }).data);
  return { add, sent };
}

test("of one key, the newest data is sent once per interval, the first at once", () => {
  const { add, sent } = setUp();
  for (const data of [1, 2, 3]) add("a", data);
  add("b", "other key");
  add("a", "other channel", "another");
  expect(sent()).toEqual([1, "other key", "other channel"]);
  vi.advanceTimersByTime(PUBLISH_INTERVAL_MS);
  expect(sent()).toEqual([3]);
  add("a", 4);
  expect(sent()).toEqual([]);
  vi.advanceTimersByTime(PUBLISH_INTERVAL_MS);
  expect(sent()).toEqual([4]);
  vi.advanceTimersByTime(2 * PUBLISH_INTERVAL_MS);
  add("a", 5);
  expect(sent()).toEqual([5]);
});

test("too many keys of a channel are rejected", () => {
  const { add } = setUp();
  for (let key = 0; key < PUBLISHED_KEYS; key += 1) add(String(key), key);
  expect(() => add("more", 0)).toThrow(/Published too often/);
  add("0", "known");
  vi.advanceTimersByTime(2 * PUBLISH_INTERVAL_MS);
  add("more", 0);
});

test("a channel does not use up the keys of others, and all together are limited", () => {
  const { add } = setUp();
  const channels = PUBLISHED_KEYS_IN_ALL / PUBLISHED_KEYS;
  for (let channel = 0; channel < channels; channel += 1)
    for (let key = 0; key < PUBLISHED_KEYS; key += 1) add(String(key), key, String(channel));
  expect(() => add("0", 0, "one more")).toThrow(/Published too often/);
  vi.advanceTimersByTime(PUBLISH_INTERVAL_MS);
  add("0", 0, "one more");
});
