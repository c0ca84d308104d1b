import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { RecentMax } from "./recent-max.ts";

function start(atMs: number) {
  const registry = new Registry();
  const clock = { ms: atMs };
  const max = new RecentMax({ name: "fanfare_x_seconds", help: "X.", registry, nowMs: () => clock.ms });
  return { clock, max, text: () => registry.metrics() };
}

test("the largest value is told for a minute, whoever asks how often", async () => {
  const { clock, max, text } = start(123_456);
  expect(max.value).toBe(0);
  max.observe(3);
  max.observe(7);
  clock.ms += 30_000;
  max.observe(2);
  expect(await text()).toContain("fanfare_x_seconds 7");
  clock.ms += 29_000;
  expect(await text()).toContain("fanfare_x_seconds 7");
  clock.ms += 7000;
  expect(max.value).toBe(2);
  clock.ms += 30_000;
  expect(max.value).toBe(0);
});

test("what is taken is the largest since the last time, and the minute goes on", () => {
  const { max } = start(0);
  max.observe(9);
  max.observe(3);
  expect(max.take()).toBe(9);
  max.observe(2);
  expect(max.take()).toBe(2);
  expect(max.take()).toBe(0);
  expect(max.value).toBe(9);
});

test("after a long rest nothing old is left", () => {
  const { clock, max } = start(0);
  max.observe(9);
  clock.ms += 86_400_000;
  max.observe(1);
  expect(max.value).toBe(1);
});
