import { expect, test } from "vitest";
import type { Bus } from "./bus/bus.ts";
import { resolveBusOptions, resolveOptions } from "./options.ts";

test("rejects options out of range", () => {
  expect(() => resolveOptions({ maxBufferedBytes: 0 })).toThrow("maxBufferedBytes");
  expect(() => resolveOptions({ socketsPerSlice: Number.NaN })).toThrow("socketsPerSlice");
  expect(() => resolveOptions({ resyncEvent: "disconnect" })).toThrow("resyncEvent");
});

const bus: Bus = {
  maxMessageBytes: 1,
  publish: () => {},
  subscribe: () => () => {},
  flush: async () => {},
  onInterrupted: () => () => {},
};

test("rejects bus options out of range", () => {
  expect(() => resolveBusOptions({ bus, lingerMs: -1 })).toThrow("lingerMs");
  expect(() => resolveBusOptions({ bus, prefix: "a.*" })).toThrow("prefix");
  expect(resolveBusOptions({ bus }).prefix).toBe("fanfare");
});
