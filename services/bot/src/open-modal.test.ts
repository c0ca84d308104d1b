import { LIMITS } from "@fanfare/contract";
import type { Sealer } from "@fanfare/kernel";
import { expect, onTestFinished, test, vi } from "vitest";
import { openTrigger, sealTrigger } from "./open-modal.ts";

/** Without encryption. */
const sealer: Sealer = {
  seal: (text, about) => `${about} ${text}`,
  open: (sealed, about) =>
    sealed.startsWith(`${about} `) ? { text: sealed.slice(about.length + 1), isOld: false } : null,
};

test("a trigger can be opened by its bot until it expires", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const trigger = { id: "i".repeat(24), channelId: "c".repeat(24), userId: "u".repeat(24) };
  const sealed = sealTrigger(sealer, "bot", trigger);
  vi.advanceTimersByTime(LIMITS.triggerLifetimeMs);
  expect(openTrigger(sealer, "bot", sealed)).toEqual(trigger);
  expect(() => openTrigger(sealer, "other", sealed)).toThrow(
    expect.objectContaining({ type: "TRIGGER_EXPIRED" }),
  );
  vi.advanceTimersByTime(1);
  expect(() => openTrigger(sealer, "bot", sealed)).toThrow(
    expect.objectContaining({ type: "TRIGGER_EXPIRED" }),
  );
});
