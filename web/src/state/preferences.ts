import { create } from "zustand";
import { useMedia } from "../ui/hooks.ts";
import { followStored, loadStored, saveStored } from "./stored.ts";
import { type Preferences, parsePreferences, syncedOnly, validPreferences } from "./preference-values.ts";

/** public/theme.js also reads this key. */
const PREFERENCES_KEY = "fanfare.preferences";
/** Changes that the server doesn't have yet. */
const UNSENT_KEY = "fanfare.unsentPreferences";

/** `usePreferences((p) => p.theme)`. */
export const usePreferences = create<Preferences>(() => parsePreferences(loadStored(PREFERENCES_KEY)));

/** Whether the page is dark, by choice or as the system is. */
export function useIsDark(): boolean {
  const theme = usePreferences((preferences) => preferences.theme);
  const systemIsDark = useMedia("(prefers-color-scheme: dark)");
  return theme === "system" ? systemIsDark : theme === "dark";
}

let send: (() => void) | undefined;

export function setPreferences(changes: Partial<Preferences>): void {
  apply(changes);
  const unsent = { ...unsentPreferences(), ...syncedOnly(changes) };
  if (Object.keys(unsent).length === 0) return;
  saveStored(UNSENT_KEY, unsent);
  send?.();
}

/** Calls `listener` after each change that is to be sent. */
export function onUnsentPreferences(listener: () => void): () => void {
  send = listener;
  return () => {
    send = undefined;
  };
}

export const unsentPreferences = () => syncedOnly(validPreferences(loadStored(UNSENT_KEY)));

/** Takes over what another device has changed, or the server has confirmed. */
export function receivePreferences(values: unknown): void {
  apply({ ...syncedOnly(validPreferences(values)), ...unsentPreferences() });
}

/** Forgets unsent changes that the server has now, unless they have changed since. */
export function sentPreferences(sent: Readonly<Record<string, unknown>>): void {
  const left = Object.entries(unsentPreferences()).filter(([name, value]) => sent[name] !== value);
  saveStored(UNSENT_KEY, left.length === 0 ? null : Object.fromEntries(left));
}

/** When a session ends: the next user has others. */
export function forgetUnsentPreferences(): void {
  saveStored(UNSENT_KEY, null);
}

function apply(changes: Partial<Preferences>): void {
  usePreferences.setState(changes);
  saveStored(PREFERENCES_KEY, usePreferences.getState());
}

followStored(PREFERENCES_KEY, () => {
  usePreferences.setState(parsePreferences(loadStored(PREFERENCES_KEY)));
});
