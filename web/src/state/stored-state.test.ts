import { describe, expect, test } from "vitest";
import { parseDrafts, withDraft } from "./drafts.ts";
import { parseLastPlaces, withLastChannel } from "./last-channel.ts";
import { parsePreferences } from "./preference-values.ts";

describe("browser storage", () => {
  test("preferences: unknown or invalid values use the defaults", () => {
    const { theme, density, ...rest } = parsePreferences({ theme: "dark", density: "loose", color: "red" });
    expect(theme).toBe("dark");
    expect(density).toBe("comfortable");
    expect(rest).not.toHaveProperty("color");
    for (const nothing of [null, 5, "x", []]) expect(parsePreferences(nothing).theme).toBe("system");
  });

  test("drafts: keeps the newest non-empty ones up to the length limit", () => {
    let drafts = withDraft({}, "c", "hello");
    expect(withDraft(drafts, "c", "")).toEqual({});
    for (let channel = 0; channel < 50; channel++) drafts = withDraft(drafts, `c${channel}`, "text");
    expect(Object.keys(drafts)).toHaveLength(50);
    expect(drafts).not.toHaveProperty("c");
    expect(withDraft({}, "c", "x".repeat(100_000))["c"]!.length).toBeLessThan(20_000);
    expect(parseDrafts({ c: "kept", d: 5 })).toEqual({ c: "kept" });
    expect(parseDrafts(null)).toEqual({});
  });

  test("places: keeps the last channel of recent groups; paths stay on this host", () => {
    let channels = withLastChannel({}, "first", "c");
    for (let group = 0; group < 200; group++) channels = withLastChannel(channels, `g${group}`, "c");
    expect(channels).not.toHaveProperty("first");
    expect(parseLastPlaces({ path: "/groups/a", channels })).toEqual({ path: "/groups/a", channels });
    expect(parseLastPlaces({ path: "//evil.example", channels: { g: 1 } })).toEqual({
      path: null,
      channels: {},
    });
  });
});
