import { expect, test } from "vitest";
import { readOptions } from "./processes.ts";

test("by default: two of each, on the usual port, in its own folder", () => {
  const options = readOptions([], {});
  expect(options).toMatchObject({ gateways: 2, workers: 2, port: 3000, host: "127.0.0.1" });
  expect(options.folder).toMatch(/\/\.fanfare-cluster$/);
});

test("any number of processes: no two share a port", () => {
  const options = readOptions(["--", "--gateways", "16", "--workers=16"], { PORT: "4000" });
  const ports = Array.from({ length: 16 }, (_, index) => [
    options.port + index,
    options.opsPort("gateway", index),
    options.opsPort("worker", index),
  ]);
  expect(new Set(ports.flat()).size).toBe(48);
});

test("OPS_PORT moves the ports for health and metrics", () => {
  const { opsPort } = readOptions([], { PORT: "4000", OPS_PORT: "5000" });
  expect([opsPort("gateway", 1), opsPort("worker", 0)]).toEqual([5001, 5050]);
  expect(() => readOptions([], { OPS_PORT: "none" })).toThrow("OPS_PORT must be an integer");
});

test.each([["--gateways=0"], ["--workers=17"], ["--workers=many"]])("rejects %s", (argument) => {
  expect(() => readOptions([argument], {})).toThrow(/from 1 to 16\.\nusage: pnpm dev:cluster/);
});

test("rejects unknown options", () => {
  expect(() => readOptions(["--gateway", "3"], {})).toThrow(/'--gateway'[^]*\nusage: pnpm dev:cluster/);
  expect(() => readOptions([], { PORT: "http" })).toThrow("PORT");
});
