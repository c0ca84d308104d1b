import { describe, expect, test } from "vitest";
import { checkConnectLimits, gatewaysFor, receivingProcesses } from "./connect.ts";

const LIMITS = { openFiles: 20_000, ports: { first: 32_768, last: 60_999 }, memoryBytes: 64 * 1024 ** 3 };
const NEEDS = { users: 100_000, messages: 3, isLocalServer: true, canSpreadAddresses: true };

test("the limit of open files determines the number of processes", () => {
  expect(gatewaysFor(100_000, LIMITS)).toBe(6);
  expect(gatewaysFor(18_000, LIMITS)).toBe(1);
  expect(gatewaysFor(1000, { openFiles: 1024 })).toBe(5);
  expect(receivingProcesses(100_000, LIMITS)).toBe(7);
  expect(receivingProcesses(15_000, { openFiles: null })).toBe(1);
});

describe("100,000 connections", () => {
  test("fit into six gateways and seven processes", () => {
    expect(() => checkConnectLimits({ ...NEEDS, gateways: 6, processes: 7 }, LIMITS)).not.toThrow();
  });

  test("exceed one gateway and one process, and the error names what is needed", () => {
    const check = () => checkConnectLimits({ ...NEEDS, gateways: 1, processes: 1 }, LIMITS);
    expect(check).toThrow("--processes 7");
    expect(check).toThrow("--gateways 6");
  });

  test("need memory", () => {
    const check = () =>
      checkConnectLimits({ ...NEEDS, users: 10_000_000, gateways: null, processes: 1000 }, LIMITS);
    expect(check).toThrow(/needs about \d+ MiB of memory/);
  });
});
