import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { loadConfig } from "@fanfare/kernel";
import { ConnectionLimit, connectionCapacity, capacityNotice } from "./connection-limit.ts";

function limit(max: number, maxPerAddress: number): ConnectionLimit {
  return new ConnectionLimit(ConnectionLimit.memory({ max }), { max, maxPerAddress });
}

test("limits connections per address and in total, and released ones can be taken again", () => {
  const limited = limit(3, 2);
  expect([limited.take("a"), limited.take("a"), limited.take("a")]).toEqual([true, true, false]);
  expect([limited.hasRoom("a"), limited.hasRoom("b")]).toEqual([false, true]);
  expect([limited.take("b"), limited.take("c")]).toEqual([true, false]);
  expect(limited.hasRoom("c")).toBe(false);
  limited.release("a");
  expect([limited.take("c"), limited.take("a")]).toEqual([true, false]);
});

test("matches a map, with few addresses and with as many as possible", () => {
  for (const addresses of [3, 60, 200]) {
    const [max, maxPerAddress] = [100, 40];
    const limited = limit(max, maxPerAddress);
    const counts = new Map<string, number>();
    const open: string[] = [];
    let wrong = 0;
    let seed = addresses;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((seed / 2 ** 31) * below);
    };
    for (let step = 0; step < 20_000; step += 1) {
      if (open.length > 0 && random(100) < (step % 1000) / 10) {
        const [address] = open.splice(random(open.length), 1);
        limited.release(address!);
        counts.set(address!, counts.get(address!)! - 1);
      } else {
        const address = `192.0.2.${random(addresses)}`;
        const count = counts.get(address) ?? 0;
        const fits = open.length < max && count < maxPerAddress;
        if (limited.hasRoom(address) !== fits || limited.take(address) !== fits) wrong += 1;
        if (!fits) continue;
        counts.set(address, count + 1);
        open.push(address);
      }
    }
    expect(wrong).toBe(0);
  }
});

test("threads share the count", async () => {
  const [threads, addresses, maxPerAddress] = [3, 20, 50];
  const max = addresses * maxPerAddress;
  const memory = ConnectionLimit.memory({ max });
  const source = `
    const { parentPort, workerData } = require("node:worker_threads");
    import(workerData.module).then(({ ConnectionLimit }) => {
      const limited = new ConnectionLimit(workerData.memory, workerData.limits);
      let taken = 0;
      for (let round = 0; round < 2000; round += 1)
        for (let address = 0; address < workerData.addresses; address += 1) {
          if (!limited.take(String(address))) continue;
          if (round % 3 > 0) limited.release(String(address));
          else taken += 1;
        }
      parentPort.postMessage(taken);
    });`;
  const module = new URL("connection-limit.ts", import.meta.url).href;
  const limits = { max, maxPerAddress };
  const taken = await Promise.all(
    Array.from({ length: threads }, async () => {
      const worker = new Worker(source, { eval: true, workerData: { module, memory, limits, addresses } });
      const [count] = await once(worker, "message");
      return Number(count);
    }),
  );
  expect(taken.reduce((sum, count) => sum + count, 0)).toBe(max);
  const limited = new ConnectionLimit(memory, limits);
  for (let address = 0; address < addresses; address += 1) {
    expect(limited.hasRoom(String(address))).toBe(false);
    for (let count = 0; count < maxPerAddress; count += 1) limited.release(String(address));
  }
  expect(limited.take("another")).toBe(true);
});

const config = loadConfig({ NODE_ENV: "test", MAX_CONNECTIONS: "50000" });

test.each([
  [Infinity, 50_000, 55_000],
  [65_536, 50_000, 55_000],
  [55_500, 50_000, 55_000],
  [20_000, 17_063, 19_500],
  [1024, 697, 796],
  [200, 66, 75],
  [60, 14, 15],
])("with %d open files, accepts %d sockets and %d connections", (openFiles, sockets, tcp) => {
  const room = connectionCapacity(config, openFiles);
  expect([room.sockets.max, room.tcp.max]).toEqual([sockets, tcp]);
});

test("warns about fewer connections than configured, and says what to do", () => {
  const chosen = loadConfig({ NODE_ENV: "test", MAX_CONNECTIONS: "40000" });
  expect(capacityNotice(chosen, 45_500)).toBeNull();
  const { level, text } = capacityNotice(chosen, 1024)!;
  expect(level).toBe("warn");
  expect(text).toMatch(
    /^only 697 connections of MAX_CONNECTIONS=40000 .* 1024 .*ulimit -n 45500.*MAX_CONNECTIONS=697$/,
  );
});

test("doesn't warn about fewer connections than the default", () => {
  const byDefault = loadConfig({ NODE_ENV: "test" });
  expect(capacityNotice(byDefault, 20_000)).toMatchObject({
    level: "info",
    text: expect.stringMatching(/^only 17063 connections /) as string,
  });
});

test("doesn't warn with the number that the notice suggests", () => {
  for (const openFiles of [60, 200, 1024, 4096, 20_000]) {
    const { max } = connectionCapacity(config, openFiles).sockets;
    expect(capacityNotice({ ...config, maxConnections: max }, openFiles)).toBeNull();
  }
});
