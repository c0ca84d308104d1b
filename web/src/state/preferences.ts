import { create } from "zustand";
import { useMedia } from "../ui/hooks.ts";
import { followStored, loadStored, saveStored } from "./stored.ts";
import { type Preferences as Synced, PREFERENCES } from "@fanfare/contract/preferences";
import { LANGUAGES } from "../i18n/language.ts";

export interface Preferences extends Synced {
  /** System notifications while the page is open but not visible. */
  desktopNotifications: boolean;
  notificationSounds: boolean;
}

/** Preferences of this browser; the others are the same on all of the user's devices. The first value is the default. */
const LOCAL = { desktopNotifications: [false, true], notificationSounds: [false, true] } as const;
const CHOICES: { [K in keyof Preferences]: readonly Preferences[K][] } = {
  ...PREFERENCES,
  language: [null, ...LANGUAGES],
  ...LOCAL,
};

const DEFAULTS = Object.fromEntries(
  Object.entries(CHOICES).map(([name, [first]]) => [name, first]),
) as unknown as Preferences;

function syncedOnly(changes: Partial<Preferences>): Partial<Synced> {
  return Object.fromEntries(Object.entries(changes).filter(([name]) => !Object.hasOwn(LOCAL, name)));
}

/** Invalid values are ignored. */
function validPreferences(values: unknown): Partial<Preferences> {
  const known = Object.entries((values ?? {}) as Record<string, unknown>).filter(
    ([name, value]) =>
      Object.hasOwn(CHOICES, name) &&
      (CHOICES[name as keyof Preferences] as readonly unknown[]).includes(value),
  );
  return Object.fromEntries(known) as Partial<Preferences>;
}

export function parsePreferences(stored: unknown): Preferences {
  return { ...DEFAULTS, ...validPreferences(stored) };
}

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
