import { create } from "zustand";
import { followStored, loadStored, saveStored } from "./stored.ts";
import { type Preferences, parsePreferences } from "./preference-values.ts";

/** public/theme.js also reads this key. */
const PREFERENCES_KEY = "fanfare.preferences";

/** `usePreferences((p) => p.theme)`. */
export const usePreferences = create<Preferences>(() => parsePreferences(loadStored(PREFERENCES_KEY)));

export function setPreferences(changes: Partial<Preferences>): void {
  usePreferences.setState(changes);
  saveStored(PREFERENCES_KEY, usePreferences.getState());
}

followStored(PREFERENCES_KEY, () => {
  usePreferences.setState(parsePreferences(loadStored(PREFERENCES_KEY)));
});
