import { expect, test } from "vitest";
import type { FanoutBus } from "./bus.ts";
import { resolveBusOptions } from "./bus-options.ts";

const bus: FanoutBus = {
  maxMessageBytes: 1,
  publish: () => {},
  subscribe: () => () => {},
  flush: async () => {},
  onInterrupted: () => () => {},
};

test("options out of range are refused by name", () => {
  expect(() => resolveBusOptions({ bus, lingerMs: -1 })).toThrow("lingerMs");
  expect(() => resolveBusOptions({ bus, heartbeatIntervalMs: 0 })).toThrow("heartbeatIntervalMs");
  expect(() => resolveBusOptions({ bus, heartbeatIntervalMs: 5000 })).toThrow("heartbeatTimeoutMs");
  expect(() => resolveBusOptions({ bus, prefix: "a.*" })).toThrow("prefix");
  expect(resolveBusOptions({ bus }).prefix).toBe("fanfare");
});
