/**
 * A key with what is held down with it, joined by `+`: `mod` is Ctrl, and ⌘ on Apple's; `Alt`, `Shift`. What is no letter is named as
 * `KeyboardEvent.key`.
 */
export type Combo = string;

export interface Shortcut {
  /** What can be pressed: any of them. */
  combos: readonly Combo[];
  textKey: string;
}

interface Section {
  id: string;
  textKey: string;
  shortcuts: readonly Shortcut[];
}

/** What works wherever one is, by what it does. Those without `mod` or `Alt` never fire while something is typed. */
export const SHORTCUTS = {
  switcher: { combos: ["mod+k"], textKey: "shortcuts:do.switcher" },
  search: { combos: ["mod+f"], textKey: "shortcuts:do.search" },
  help: { combos: ["mod+/", "?"], textKey: "shortcuts:do.help" },
  members: { combos: ["mod+Shift+m"], textKey: "shortcuts:do.members" },
  previousChannel: { combos: ["Alt+ArrowUp"], textKey: "shortcuts:do.previousChannel" },
  nextChannel: { combos: ["Alt+ArrowDown"], textKey: "shortcuts:do.nextChannel" },
  previousUnread: { combos: ["Alt+Shift+ArrowUp"], textKey: "shortcuts:do.previousUnread" },
  nextUnread: { combos: ["Alt+Shift+ArrowDown"], textKey: "shortcuts:do.nextUnread" },
  directs: { combos: ["Alt+0"], textKey: "shortcuts:do.directs" },
  inbox: { combos: ["Alt+i"], textKey: "shortcuts:do.inbox" },
  markRead: { combos: ["Escape"], textKey: "shortcuts:do.markRead" },
  markGroupRead: { combos: ["Shift+Escape"], textKey: "shortcuts:do.markGroupRead" },
} as const satisfies Record<string, Shortcut>;

export type ShortcutName = keyof typeof SHORTCUTS;

/** The groups of the rail from above: `Alt+1` to `Alt+9`. */
export const GROUP_KEYS = 9;

const of = (...names: ShortcutName[]): Shortcut[] => names.map((name) => SHORTCUTS[name]);

export const SECTIONS: readonly Section[] = [
  {
    id: "go",
    textKey: "shortcuts:section.go",
    shortcuts: [
      ...of("switcher", "search", "previousChannel", "nextChannel", "previousUnread", "nextUnread"),
      { combos: [`Alt+1 … ${GROUP_KEYS}`], textKey: "shortcuts:do.group" },
      ...of("directs", "inbox"),
    ],
  },
  {
    id: "do",
    textKey: "shortcuts:section.do",
    shortcuts: of("markRead", "markGroupRead", "members", "help"),
  },
  {
    id: "write",
    textKey: "shortcuts:section.write",
    shortcuts: [
      { combos: ["Enter"], textKey: "shortcuts:do.send" },
      { combos: ["Shift+Enter"], textKey: "shortcuts:do.newLine" },
      { combos: ["ArrowUp"], textKey: "shortcuts:do.editLast" },
      { combos: ["mod+b"], textKey: "shortcuts:do.bold" },
      { combos: ["mod+i"], textKey: "shortcuts:do.italic" },
      { combos: ["mod+e"], textKey: "shortcuts:do.code" },
      { combos: ["mod+k"], textKey: "shortcuts:do.link" },
    ],
  },
  {
    id: "message",
    textKey: "shortcuts:section.message",
    shortcuts: [
      { combos: ["ArrowUp", "ArrowDown"], textKey: "shortcuts:do.walk" },
      { combos: ["r"], textKey: "shortcuts:do.reply" },
      { combos: ["e"], textKey: "shortcuts:do.edit" },
      { combos: ["+"], textKey: "shortcuts:do.react" },
      { combos: ["t"], textKey: "shortcuts:do.thread" },
      { combos: ["p"], textKey: "shortcuts:do.pin" },
      { combos: ["c"], textKey: "shortcuts:do.copy" },
      { combos: ["Delete"], textKey: "shortcuts:do.remove" },
    ],
  },
];

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
