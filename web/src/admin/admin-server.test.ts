import { expect, test } from "vitest";
import { isDiskLow } from "./admin-server.tsx";

test("a disk is low when less than a tenth is free, and that is little", () => {
  expect(isDiskLow({ freeBytes: 3e9, totalBytes: 40e9 })).toBe(true);
  expect(isDiskLow({ freeBytes: 5e9, totalBytes: 40e9 })).toBe(false);
  expect(isDiskLow({ freeBytes: 300e9, totalBytes: 4e12 })).toBe(false);
});
