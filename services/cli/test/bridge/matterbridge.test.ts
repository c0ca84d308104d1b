import { TcpProxy } from "@fanfare/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Matterbridge } from "../../src/bridge/matterbridge.ts";
import { FakeMatterbridge } from "./fake-matterbridge.ts";

let fake: FakeMatterbridge;
let proxy: TcpProxy;
let stopping: AbortController;
beforeEach(async () => {
  fake = await FakeMatterbridge.start();
  proxy = await TcpProxy.start(Number(new URL(fake.url).port));
  stopping = new AbortController();
});
afterEach(async () => {
  stopping.abort();
  await proxy.stop();
  await fake.stop();
});

function read(streamIdleMs: number, onText: (text: string) => Promise<void> | void = () => undefined) {
  const logged: string[] = [];
  const texts: string[] = [];
  const url = `http://127.0.0.1:${proxy.port}/`;
  const api = new Matterbridge({ url, token: fake.token, log: (line) => logged.push(line), streamIdleMs });
  const ended = (async () => {
    for await (const { text, event } of api.messages(stopping.signal)) {
      texts.push(event === "api_connected" ? "connected" : text);
      await onText(text);
    }
  })();
  return { logged, texts, ended };
}

test("a connection on which nothing arrives is opened again", async () => {
  const { texts, ended } = read(200);
  // A quiet network looks the same.
  await expect.poll(() => texts.length).toBeGreaterThan(2);
  proxy.hold();
  await new Promise((resolve) => setTimeout(resolve, 500));
  await proxy.restore();
  // A connection that Matterbridge doesn't know to be closed can still take a message.
  const poll = () => {
    fake.write({ text: "hello" });
    return texts;
  };
  await expect.poll(poll).toContain("hello");
  stopping.abort();
  await ended;
});

test("messages that arrive while an earlier one waits for long aren't lost", async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const { texts, ended } = read(1000, (text) => (text === "0" ? released : undefined));
  const all = ["0", "1", "2", "3", "4"];
  await expect.poll(() => texts).toContain("connected");
  for (const text of all) fake.write({ text });
  await expect.poll(() => texts.at(-1)).toBe("0");
  // Longer than a quiet connection is kept.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  release();
  await expect.poll(() => texts.filter((text) => text !== "connected")).toEqual(all);
  stopping.abort();
  await ended;
});

test("a connection that breaks is opened again, and the reason is logged once", async () => {
  const { texts, logged, ended } = read(60_000);
  fake.write({ text: "one" });
  await expect.poll(() => texts).toEqual(["connected", "one"]);
  await proxy.cut();
  await expect.poll(() => logged).toHaveLength(1);
  expect(logged[0]).toContain("Matterbridge can't be read");
  fake.write({ text: "two" });
  await proxy.restore();
  await expect.poll(() => texts).toEqual(["connected", "one", "connected", "two"]);
  stopping.abort();
  await ended;
});

test("long messages and characters of several bytes arrive whole", async () => {
  const { texts, ended } = read(60_000);
  const long = "👋 Größe ".repeat(100_000);
  fake.write({ text: long });
  fake.write({ text: "next" });
  await expect.poll(() => texts.length).toBe(3);
  expect(texts.slice(1)).toEqual([long, "next"]);
  stopping.abort();
  await ended;
});
