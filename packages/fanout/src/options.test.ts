import { expect, test } from "vitest";
import { resolveOptions } from "./options.ts";

test("options out of range are refused by name", () => {
  expect(() => resolveOptions({ maxBufferedBytes: 0 })).toThrow("maxBufferedBytes");
  expect(() => resolveOptions({ socketsPerSlice: Number.NaN })).toThrow("socketsPerSlice");
  expect(() => resolveOptions({ resyncEvent: "disconnect" })).toThrow("resyncEvent");
});
