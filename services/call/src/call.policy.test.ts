import { DIRECT_PERMISSIONS, PERMISSIONS } from "@fanfare/contract";
import type { Access } from "@fanfare/kernel";
import { TrackSource } from "livekit-server-sdk";
import { expect, test } from "vitest";
import { callOfRoom, canConnect, publishableSources, roomOf } from "./call.policy.ts";

const { MICROPHONE, CAMERA, SCREEN_SHARE, SCREEN_SHARE_AUDIO } = TrackSource;
const NOW = 1000;

const access = (without: number, changes: Partial<Access> = {}): Access => ({
  permissions: DIRECT_PERMISSIONS & ~without,
  groupId: null,
  mutedUntilMs: 0,
  rooms: [],
  ...changes,
});
const sources = (own: Access, isMutedByModerator = false) =>
  publishableSources(own, { isMutedByModerator, nowMs: NOW });

test("each permission allows its own source", () => {
  expect(sources(access(0))).toEqual([MICROPHONE, CAMERA, SCREEN_SHARE, SCREEN_SHARE_AUDIO]);
  expect(sources(access(PERMISSIONS.speak))).toEqual([CAMERA, SCREEN_SHARE]);
  expect(sources(access(PERMISSIONS.video))).toEqual([MICROPHONE, SCREEN_SHARE, SCREEN_SHARE_AUDIO]);
  expect(sources(access(PERMISSIONS.shareScreen))).toEqual([MICROPHONE, CAMERA]);
});

test("muted users can't speak, whether a moderator has muted them in the call or in the group", () => {
  const silent = [CAMERA, SCREEN_SHARE];
  expect(sources(access(0), true)).toEqual(silent);
  expect(sources(access(0, { mutedUntilMs: NOW + 1 }))).toEqual(silent);
  expect(sources(access(0, { mutedUntilMs: NOW }))).toContain(MICROPHONE);
});

test("who can't see a channel can't connect", () => {
  expect(canConnect(access(0))).toBe(true);
  expect(canConnect(access(PERMISSIONS.view))).toBe(false);
  expect(canConnect(access(PERMISSIONS.connect))).toBe(false);
});

test("rooms of other programs are not calls", () => {
  const id = "a".repeat(24);
  expect(callOfRoom(roomOf(id))).toBe(id);
  for (const room of ["", id, `fanfare_${id}x`, `x${roomOf(id)}`, "fanfare_x"])
    expect(callOfRoom(room)).toBeNull();
});
