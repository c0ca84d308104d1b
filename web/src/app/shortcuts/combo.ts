import type { Combo } from "./shortcuts.ts";

/** What of a key event says which keys are down. */
export type Keys = Pick<
  KeyboardEvent,
  "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey" | "isComposing"
>;

/** Whether exactly these keys are down. `isApple`: ⌘ stands for `mod`, else Ctrl. */
export function isCombo(combo: Combo, event: Keys, isApple: boolean): boolean {
  const parts = combo.split("+");
  const key = parts.at(-1)!;
  const has = (part: string): boolean => parts.slice(0, -1).includes(part);
  if (event.isComposing || event.altKey !== has("Alt")) return false;
  const [mod, other] = isApple ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
  if (mod !== has("mod") || other) return false;
  // What a sign needs to be typed differs by keyboard: Shift says nothing about it.
  const isSign = /^[^\p{L}\p{N}]$/u.test(key);
  if (!isSign && event.shiftKey !== has("Shift")) return false;
  return event.key.toLowerCase() === key.toLowerCase() || (has("Alt") && isPlace(event.code, key));
}

/** With Alt, Apple's keyboards give other characters: there the place of the key counts. */
function isPlace(code: string, key: string): boolean {
  return code === `Digit${key}` || code === `Key${key.toUpperCase()}`;
}

/** Whether a combo is none that text is typed with: Esc, a sign or a letter could be meant for a field. */
export function needsNoField(combo: Combo): boolean {
  return !combo.includes("mod+") && !combo.includes("Alt+");
}

const SIGNS: Record<string, string> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  Escape: "Esc",
  Delete: "Del",
};

/** How the keys are written on a keyboard. */
export function keysOf(combo: Combo, isApple: boolean): string[] {
  const held: Record<string, string> = isApple
    ? { mod: "⌘", Alt: "⌥", Shift: "⇧" }
    : { mod: "Ctrl", Alt: "Alt", Shift: "Shift" };
  if (combo === "+") return ["+"];
  return combo
    .split("+")
    .map((part) => held[part] ?? SIGNS[part] ?? (part.length === 1 ? part.toUpperCase() : part));
}

export function isApple(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}
