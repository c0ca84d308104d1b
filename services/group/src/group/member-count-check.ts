import { setTimeout as delay } from "node:timers/promises";

/** Longer than a join takes between its two writes, so that a join under way is not taken for a fault. */
const SETTLE_MS = 1000;
/** How many groups are remembered as checked, and how many may wait. */
const MAX_REMEMBERED = 10_000;

interface MemberCountCheckOptions {
  /** null when the group is gone. */
  read: (groupId: string) => Promise<{ stored: number; counted: number } | null>;
  correct: (groupId: string, seen: number, correct: number) => Promise<void>;
  onError: (error: unknown) => void;
  settleMs?: number;
}

export type MemberCountCheck = ReturnType<typeof createMemberCountCheck>;

/**
 * A group's `memberCount` is written after its member, so a process that dies in between leaves it wrong by one. Each
 * process therefore counts a group once, in the background, when it first deals with it. A difference that is the same
 * twice while the count stood still is a fault and is corrected; any other is a join under way.
 */
export function createMemberCountCheck(options: MemberCountCheckOptions) {
  const { read, correct, onError, settleMs = SETTLE_MS } = options;
  const stopping = new AbortController();
  const remembered = new Set<string>();
  const waiting = new Set<string>();
  let working: Promise<void> | null = null;

  const checkOne = async (groupId: string): Promise<void> => {
    const first = await read(groupId);
    if (first === null || first.stored === first.counted) return;
    await delay(settleMs, undefined, { signal: stopping.signal });
    const second = await read(groupId);
    if (second?.stored === first.stored && second.counted === first.counted) {
      await correct(groupId, second.stored, second.counted);
    }
  };

  const work = async (): Promise<void> => {
    for (const groupId of waiting) {
      waiting.delete(groupId);
      try {
        await checkOne(groupId);
      } catch (error) {
        if (stopping.signal.aborted) return;
        remembered.delete(groupId);
        onError(error);
      }
    }
  };

  const checkOnce = (groupId: string): void => {
    if (remembered.has(groupId) || stopping.signal.aborted) return;
    // Starting over only means that groups are counted once more.
    if (remembered.size >= MAX_REMEMBERED) {
      remembered.clear();
      waiting.clear();
    }
    remembered.add(groupId);
    waiting.add(groupId);
    working ??= work().finally(() => (working = null));
  };

  return {
    checkOnce,
    /** After a write of the count has failed. */
    checkAgain(groupId: string): void {
      remembered.delete(groupId);
      checkOnce(groupId);
    },
    /** Recounts each group at its next change: a process may have died in the middle of one. */
    forget: () => remembered.clear(),
    async stop(): Promise<void> {
      stopping.abort();
      waiting.clear();
      await working;
    },
  };
}
