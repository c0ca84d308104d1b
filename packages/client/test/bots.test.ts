import { afterEach, beforeEach, expect, test } from "vitest";
import { type Bot, createBot } from "../src/bots.ts";
import { CHANNEL_ID, FakeServer } from "./fake-server.ts";

let server: FakeServer;
let bot: Bot;

beforeEach(async () => {
  server = new FakeServer();
  await server.listen();
  bot = createBot({ url: server.url, token: "fbot.test" });
});

afterEach(async () => {
  bot.stop();
  await server.close();
});

test("sends again after the delay that the server requests", async () => {
  const retryAfterMs = 1500;
  const sentAtMs: number[] = [];
  server.refuses = () =>
    sentAtMs.push(performance.now()) === 1 ? { type: "RATE_LIMITED", data: { retryAfterMs } } : undefined;
  expect(await bot.send(CHANNEL_ID, "hello")).toMatchObject({ content: "hello" });
  // Timers can fire up to a millisecond early.
  expect(sentAtMs[1]! - sentAtMs[0]!).toBeGreaterThanOrEqual(retryAfterMs - 1);
  expect(server.calls.map(({ params }) => params["resend"])).toEqual([false, true]);
});

test("does not wait for hours", async () => {
  server.refuses = () => ({ type: "SLOW_MODE", data: { retryAfterMs: 3_600_000 } });
  await expect(bot.send(CHANNEL_ID, "hello")).rejects.toMatchObject({ type: "SLOW_MODE" });
  expect(server.calls).toHaveLength(1);
});
