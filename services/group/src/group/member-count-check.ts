import { setTimeout as delay } from "node:timers/promises";

/** Longer than the two writes of a join take, so that a join in progress is not mistaken for a wrong count. */
const SETTLE_MS = 1000;
/** Bounds both the groups remembered as checked and those waiting. */
const MAX_REMEMBERED = 10_000;

interface MemberCountCheckOptions {
  /** @returns null when the group doesn't exist */
  read: (groupId: string) => Promise<{ stored: number; counted: number } | null>;
  correct: (groupId: string, seen: number, correct: number) => Promise<void>;
  onError: (error: unknown) => void;
  settleMs?: number;
}

export type MemberCountCheck = ReturnType<typeof createMemberCountCheck>;

/**
 * A group's `memberCount` is written after its member, so a process that dies in between leaves it off by one. Therefore each
 * process counts the members of a group once, in the background, at its first change. A difference is corrected when a second
 * count confirms it; otherwise it was a join in progress.
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
    // The only effect is that groups are counted again.
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
    /** Call this when a write of the count has failed. */
    checkAgain(groupId: string): void {
      remembered.delete(groupId);
      checkOnce(groupId);
    },
    /** Recounts each group at its next change, because a process may have died during one. */
    forget: () => remembered.clear(),
    async stop(): Promise<void> {
      stopping.abort();
      waiting.clear();
      await working;
    },
  };
}
