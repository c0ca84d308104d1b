import { describe, expect, test } from "vitest";
import { duration, wholeNumbers } from "./options.ts";

const HOUR = 3_600_000;

describe("a duration", () => {
  test.each([
    ["500ms", 500],
    ["90s", 90_000],
    ["2.5s", 2500],
    ["30m", HOUR / 2],
    ["1h", HOUR],
  ])("%s", (text, value) => {
    expect(duration("hold", text, 0, HOUR)).toBe(value);
  });

  test.each(["", "soon", "1d", "-5s", "61m", "5"])("rejects %s", (text) => {
    expect(() => duration("hold", text, 0, HOUR)).toThrow("--hold must be a time such as");
  });
});

describe("numbers", () => {
  test("are separated by commas", () => {
    expect(wholeNumbers("gateways", "1,2,4", 1, 64)).toEqual([1, 2, 4]);
  });

  test.each(["", "1,", "1,x", "1.5", "0", "2,2"])("rejects %j", (text) => {
    expect(() => wholeNumbers("gateways", text, 1, 64)).toThrow("--gateways");
  });
});
