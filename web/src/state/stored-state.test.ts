import { FanfareError } from "@fanfare/client";
import type { Call } from "@fanfare/contract";
import { afterEach, describe, expect, test } from "vitest";
import {
  clearDrafts,
  getDraft,
  onReceivedDraft,
  openDrafts,
  parseDrafts,
  restoreDraft,
  sendUnsentDrafts,
  setDraft,
  withDraft,
} from "./drafts.ts";
import { parseLastPlaces, withLastChannel } from "./last-channel.ts";
import { parsePreferences } from "./preferences.ts";

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

describe("sendUnsentDrafts", () => {
  afterEach(clearDrafts);

  /** Sends the drafts to a server that rejects one channel. @returns the channels of the accepted ones */
  async function send(rejected: string, type: "CHANNEL_NOT_FOUND" | "UNAUTHENTICATED"): Promise<string[]> {
    const accepted: string[] = [];
    const call = (async (_: string, { channelId }: { channelId: string }) => {
      if (channelId === rejected)
        throw new FanfareError({ type, message: "", retryable: false, requestId: "" });
      accepted.push(channelId);
    }) as unknown as Call;
    await sendUnsentDrafts(call, () => "").catch(() => undefined);
    return accepted;
  }

  test("a channel that is gone doesn't hold up the others", async () => {
    openDrafts("me");
    for (const channelId of ["gone", "there"]) setDraft(channelId, "Hello");
    expect(await send("gone", "CHANNEL_NOT_FOUND")).toEqual(["there"]);
    expect(await send("none", "CHANNEL_NOT_FOUND")).toEqual([]);
  });

  test("after other failures they are sent later", async () => {
    openDrafts("me");
    for (const channelId of ["a", "b"]) setDraft(channelId, "Hello");
    expect(await send("a", "UNAUTHENTICATED")).toEqual([]);
    expect(await send("none", "UNAUTHENTICATED")).toEqual(["a", "b"]);
  });

  test("a text that is restored doesn't replace what was typed since", () => {
    openDrafts("me");
    const shown: string[] = [];
    const end = onReceivedDraft("a", (text) => shown.push(text));
    restoreDraft("a", "/roll");
    restoreDraft("b", "/roll");
    setDraft("a", "Hello");
    restoreDraft("a", "/roll");
    end();
    expect([getDraft("a"), getDraft("b")]).toEqual(["Hello", "/roll"]);
    expect(shown).toEqual(["/roll"]);
  });
});
