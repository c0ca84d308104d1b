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

export function syncedOnly(changes: Partial<Preferences>): Partial<Synced> {
  return Object.fromEntries(Object.entries(changes).filter(([name]) => !Object.hasOwn(LOCAL, name)));
}

/** Invalid values are ignored. */
export function validPreferences(values: unknown): Partial<Preferences> {
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
