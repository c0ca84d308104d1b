import { create } from "zustand";
import { loadStored, saveStored } from "./stored.ts";

/** The least recently changed draft is dropped beyond this number. */
const MAX_DRAFTS = 100;
/** Longer than the message limit, so that text over the limit isn't lost. */
const MAX_CHARS = 8000;
const SAVE_AFTER_MS = 500;

export type Drafts = Readonly<Record<string, string>>;

interface DraftState {
  userId: string;
  drafts: Drafts;
}

const useDrafts = create<DraftState>(() => ({ userId: "", drafts: {} }));
let saving: ReturnType<typeof setTimeout> | undefined;

export function useDraft(channelId: string): string {
  return useDrafts(({ drafts }) => drafts[channelId] ?? "");
}

/** For use outside components. */
export function getDraft(channelId: string): string {
  return useDrafts.getState().drafts[channelId] ?? "";
}

/** Stores a draft, debounced; an empty text deletes it. */
export function setDraft(channelId: string, text: string): void {
  useDrafts.setState(({ drafts }) => ({ drafts: withDraft(drafts, channelId, text) }));
  clearTimeout(saving);
  // Saved at once, so that a sent message doesn't return as a draft after a reload.
  if (text === "") save();
  else saving = setTimeout(save, SAVE_AFTER_MS);
}

export function openDrafts(userId: string): void {
  if (useDrafts.getState().userId === userId) return;
  useDrafts.setState({ userId, drafts: parseDrafts(loadStored(keyOf(userId))) });
}

/** Deletes the drafts of a user who logs out, since others may use this browser. */
export function clearDrafts(): void {
  clearTimeout(saving);
  const { userId } = useDrafts.getState();
  if (userId !== "") saveStored(keyOf(userId), null);
  useDrafts.setState({ userId: "", drafts: {} });
}

/** Moves the changed draft to the end and drops the first ones beyond the limit. */
export function withDraft(drafts: Drafts, channelId: string, text: string): Drafts {
  const others = Object.entries(drafts).filter(([id]) => id !== channelId);
  const all = text === "" ? others : [...others, [channelId, text.slice(0, MAX_CHARS)] as const];
  return Object.fromEntries(all.slice(-MAX_DRAFTS));
}

export function parseDrafts(stored: unknown): Drafts {
  const entries = Object.entries((stored ?? {}) as Record<string, unknown>);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string").slice(-MAX_DRAFTS),
  );
}

const keyOf = (userId: string): string => `fanfare.drafts.${userId}`;

function save(): void {
  const { userId, drafts } = useDrafts.getState();
  if (userId !== "") saveStored(keyOf(userId), drafts);
}
