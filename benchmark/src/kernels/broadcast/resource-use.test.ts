import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { childSeconds, readingCost, usedSeconds, watchLoop, watchServer } from "./resource-use.ts";

const BURN = `
  const used = () => process.cpuUsage().user + process.cpuUsage().system;
  while (used() < 300_000);
  process.send("done");
  setInterval(() => {}, 1000);
`;

test.runIf(process.platform === "linux")("child processes of the tester are no other programs", async () => {
  const before = childSeconds()!;
  const child = spawn(process.execPath, ["--eval", BURN], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  try {
    await once(child, "message");
    expect(childSeconds()! - before).toBeGreaterThan(0.25);
  } finally {
    child.kill();
    await exited;
  }
});

const reader = (seconds: readonly (number | null)[]) => {
  const left = [...seconds];
  return async () => left.shift() ?? null;
};

test("what reading costs a server is the least of several, so that other work is not taken for it", async () => {
  // A garbage collection in the first reading, answers to others in the third and the last.
  expect(await readingCost(reader([1, 3, 3.01, 3.5, 3.52, 4]))).toBeCloseTo(0.01);
  expect(await readingCost(reader([]))).toBe(0);
});

test("CPU time is never negative, and unknown without both readings", () => {
  expect(usedSeconds(1, 1.005, 0.01)).toBe(0);
  expect(usedSeconds(1, 1.5, 0.1)).toBeCloseTo(0.4);
  expect(usedSeconds(null, 1.5)).toBeNull();
  expect(usedSeconds(1, null)).toBeNull();
});

test("other programs share the machine with a running server at an address of it", async () => {
  const use = async (url: string) => {
    const server = { urls: [url], isThrowaway: false, cpuSeconds: () => Promise.resolve(1) };
    return (await watchServer(server))();
  };
  expect(await use("http://127.0.0.1:1")).toMatchObject({ otherProgramsCores: expect.any(Number) });
  expect(await use("http://192.0.2.1:1")).toMatchObject({ otherProgramsCores: null });
});

test("a standstill of the event loop is seen, even without a further tick", () => {
  const end = watchLoop();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  expect(end()).toBeGreaterThan(80);
});
