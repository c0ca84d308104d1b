import { expect, test } from "vitest";
import { formatBytes } from "./times.ts";

test("sizes use a suitable unit and at most one decimal", () => {
  expect(formatBytes(0, "en")).toBe("0 bytes");
  expect(formatBytes(999, "en")).toBe("999 bytes");
  expect(formatBytes(1300, "en")).toBe("1.3 kB");
  expect(formatBytes(999_700, "en")).toBe("1 MB");
  expect(formatBytes(25_400_000, "en")).toBe("25 MB");
  expect(formatBytes(3e12, "en")).toBe("3,000 GB");
});
