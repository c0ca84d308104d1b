import { describe, expect, test } from "vitest";
import { isInQuietHours, isTimeZone, keywordKeys, keywordPattern } from "./notification-rules.ts";

describe("keywords", () => {
  test.each([
    ["launch", "The LAUNCH is today", "LAUNCH"],
    ["launch", "launches", null],
    ["launch", "prelaunch, (launch)", "launch"],
    ["launch date", "the launch\n date", "launch\n date"],
    ["发布", "我们讨论发布计划", "发布"],
    ["v2发布", "v2发布了", "v2发布"],
    ["v2发布", "xv2发布", null],
    ["C++", "C++ or C", "C++"],
    ["a.b", "aXb", null],
    ["привет", "Привет!", "Привет"],
  ])("%j in %j: %j", (keyword, text, expected) => {
    expect(keywordPattern([keyword])!.exec(text)?.[0] ?? null).toBe(expected);
    // The server looks up keywords by a key, which a text that matches must have.
    expect(expected === null || keywordKeys(text).includes(keywordKeys(keyword)[0]!)).toBe(true);
  });

  test("the longest keyword at a place is found", () => {
    expect("launch date".match(keywordPattern(["launch", "launch date"])!)).toEqual(["launch date"]);
    expect(keywordPattern([])).toBeNull();
    expect(keywordKeys("!?")).toEqual([]);
  });
});

describe("quiet hours", () => {
  const night = { from: "22:00", to: "07:00", days: [1], timeZone: "Europe/Berlin" };
  const office = { ...night, from: "09:00", to: "17:00" };

  // Monday is 2026-01-05; Berlin is an hour ahead of UTC.
  test.each([
    [night, "2026-01-05T20:59:00Z", false],
    [night, "2026-01-05T21:00:00Z", true],
    [night, "2026-01-06T05:59:00Z", true],
    [night, "2026-01-06T06:00:00Z", false],
    [night, "2026-01-06T21:00:00Z", false],
    [night, "2026-01-05T05:00:00Z", false],
    [{ ...night, days: [7] }, "2026-01-05T05:00:00Z", true],
    [office, "2026-01-05T08:00:00Z", true],
    [office, "2026-01-05T16:00:00Z", false],
    // In summer, it is two hours.
    [office, "2026-07-06T07:00:00Z", true],
    [{ ...night, to: "22:00" }, "2026-01-06T20:59:00Z", true],
    [{ ...night, to: "22:00" }, "2026-01-06T21:00:00Z", false],
  ])("%j at %s: %s", (hours, at, expected) => {
    expect(isInQuietHours(hours, Date.parse(at))).toBe(expected);
  });

  test("time zones are names of the database", () => {
    expect(["Europe/Berlin", "UTC", "Mars/Olympus"].map(isTimeZone)).toEqual([true, true, false]);
  });
});
