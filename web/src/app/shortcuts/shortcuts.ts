/**
 * A key and its modifiers, joined by `+`: `mod` (Ctrl, or ⌘ on Apple devices), `Alt`, `Shift`. Keys other than letters have their
 * `KeyboardEvent.key` name.
 */
export type Combo = string;

export interface Shortcut {
  /** Alternatives. */
  combos: readonly Combo[];
  textKey: string;
}

interface Section {
  id: string;
  textKey: string;
  shortcuts: readonly Shortcut[];
}

/** Shortcuts that work everywhere. Those without `mod` or `Alt` are ignored while typing. */
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

/** `Alt+1` to `Alt+9` open the groups of the rail. */
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

/** Whether exactly these keys are pressed. */
export function isCombo(combo: Combo, event: Keys, isApple: boolean): boolean {
  const parts = combo.split("+");
  const key = parts.at(-1)!;
  const has = (part: string): boolean => parts.slice(0, -1).includes(part);
  if (event.isComposing || event.altKey !== has("Alt")) return false;
  const [mod, other] = isApple ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
  if (mod !== has("mod") || other) return false;
  // Whether a symbol needs Shift depends on the keyboard layout.
  const isSign = /^[^\p{L}\p{N}]$/u.test(key);
  if (!isSign && event.shiftKey !== has("Shift")) return false;
  return event.key.toLowerCase() === key.toLowerCase() || (has("Alt") && isPlace(event.code, key));
}

/** With Alt, Apple keyboards produce other characters, so the physical key counts. */
function isPlace(code: string, key: string): boolean {
  return code === `Digit${key}` || code === `Key${key.toUpperCase()}`;
}

/** Whether the combo could be typed into a text field: Esc, a symbol or a plain letter. */
export function needsNoField(combo: Combo): boolean {
  return !combo.includes("mod+") && !combo.includes("Alt+");
}

const SIGNS: Record<string, string> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  Escape: "Esc",
  Delete: "Del",
};

/** The labels on the keyboard. */
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
