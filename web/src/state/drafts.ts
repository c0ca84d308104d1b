import type { Call } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { create } from "zustand";
import { loadStored, saveStored } from "./stored.ts";
import { isErrorOf } from "../shared/use-action.ts";

const SAVE_AFTER_MS = 500;

type Drafts = Readonly<Record<string, string>>;

interface DraftState {
  userId: string;
  drafts: Drafts;
  /** Channels whose draft the server doesn't have in this version. */
  unsent: readonly string[];
}

const NONE: DraftState = { userId: "", drafts: {}, unsent: [] };

const useDrafts = create<DraftState>(() => NONE);
const listeners = new Map<string, (text: string) => void>();
let saving: ReturnType<typeof setTimeout> | undefined;

export function useHasDraft(channelId: string): boolean {
  return useDrafts(({ drafts }) => drafts[channelId] !== undefined);
}

/** Calls `listener` when there are others to send. */
export function onUnsentDrafts(listener: () => void): () => void {
  return useDrafts.subscribe((now, before) => {
    if (now.unsent !== before.unsent) listener();
  });
}

/** For use outside components. */
export function getDraft(channelId: string): string {
  return useDrafts.getState().drafts[channelId] ?? "";
}

/** Stores a draft, debounced; an empty text deletes it. */
export function setDraft(channelId: string, text: string): void {
  if (text === getDraft(channelId)) return;
  useDrafts.setState(({ drafts, unsent }) => ({
    drafts: withDraft(drafts, channelId, text),
    unsent: [...unsent.filter((id) => id !== channelId), channelId].slice(-LIMITS.draftsPerUser),
  }));
  clearTimeout(saving);
  // Saved at once, so that a sent message doesn't return as a draft after a reload.
  if (text === "") save();
  else saving = setTimeout(save, SAVE_AFTER_MS);
}

/** Puts back a text that couldn't be sent, also into an open field, unless another was typed since. */
export function restoreDraft(channelId: string, text: string): void {
  if (getDraft(channelId) !== "") return;
  setDraft(channelId, text);
  listeners.get(channelId)?.(text);
}

/** @param known what the server has */
export async function sendUnsentDrafts(call: Call, known: (channelId: string) => string): Promise<void> {
  for (const channelId of useDrafts.getState().unsent) {
    const content = getDraft(channelId);
    // Most messages are sent before their draft is.
    if (content !== known(channelId))
      await call("draft.set", { channelId, content }).catch((error: unknown) => {
        if (!isErrorOf(error, "CHANNEL_NOT_FOUND")) throw error;
      });
    if (content !== getDraft(channelId)) continue;
    useDrafts.setState(({ unsent }) => ({ unsent: unsent.filter((id) => id !== channelId) }));
    save();
  }
}

/** Takes over the drafts of other devices, except where this one has changes that are still to be sent. */
export function receiveDrafts(received: Drafts): void {
  const { drafts, unsent } = useDrafts.getState();
  const changed = Object.keys({ ...drafts, ...received }).filter(
    (channelId) => !unsent.includes(channelId) && received[channelId] !== drafts[channelId],
  );
  if (changed.length === 0) return;
  useDrafts.setState({
    drafts: changed.reduce((now, channelId) => withDraft(now, channelId, received[channelId] ?? ""), drafts),
  });
  save();
  for (const channelId of changed) listeners.get(channelId)?.(getDraft(channelId));
}

/** Calls `listener` when the draft of a channel was changed on another device, or restored. */
export function onReceivedDraft(channelId: string, listener: (text: string) => void): () => void {
  listeners.set(channelId, listener);
  return () => void listeners.delete(channelId);
}

export function openDrafts(userId: string): void {
  if (useDrafts.getState().userId === userId) return;
  const drafts = parseDrafts(loadStored(keyOf(userId)));
  const unsent = loadStored(unsentKeyOf(userId));
  // Without a list, they are from a version that kept drafts in the browser only.
  useDrafts.setState({
    userId,
    drafts,
    unsent: Array.isArray(unsent) ? unsent.map(String) : Object.keys(drafts),
  });
}

/** Deletes the drafts of a user who logs out, since others may use this browser. */
export function clearDrafts(): void {
  clearTimeout(saving);
  const { userId } = useDrafts.getState();
  if (userId !== "") for (const key of [keyOf(userId), unsentKeyOf(userId)]) saveStored(key, null);
  useDrafts.setState(NONE);
}

/** Moves the changed draft to the end and drops the first ones beyond the limit. */
export function withDraft(drafts: Drafts, channelId: string, text: string): Drafts {
  const others = Object.entries(drafts).filter(([id]) => id !== channelId);
  const all = text === "" ? others : [...others, [channelId, text.slice(0, LIMITS.draftMaxChars)] as const];
  return Object.fromEntries(all.slice(-LIMITS.draftsPerUser));
}

export function parseDrafts(stored: unknown): Drafts {
  const entries = Object.entries((stored ?? {}) as Record<string, unknown>);
  return Object.fromEntries(
    entries
      .filter((entry): entry is [string, string] => typeof entry[1] === "string")
      .slice(-LIMITS.draftsPerUser),
  );
}

const keyOf = (userId: string): string => `fanfare.drafts.${userId}`;
const unsentKeyOf = (userId: string): string => `fanfare.unsentDrafts.${userId}`;

function save(): void {
  clearTimeout(saving);
  const { userId, drafts, unsent } = useDrafts.getState();
  if (userId === "") return;
  saveStored(keyOf(userId), drafts);
  saveStored(unsentKeyOf(userId), unsent);
}

// The page can be closed before the pause is over.
globalThis.addEventListener?.("pagehide", save);
