import { loadConfig } from "@fanfare/kernel";
import { expect, test } from "vitest";
import { connectionCapacity, capacityNotice } from "./connection-capacity.ts";

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
