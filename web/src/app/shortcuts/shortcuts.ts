import { useEffect } from "react";

/**
 * A key and its modifiers, joined by `+`: `mod` (Ctrl, or ⌘ on Apple devices), `Alt`, `Shift`. Keys other than letters have their
 * `KeyboardEvent.key` name.
 */
export type Combo = string;

interface Shortcut {
  /** Alternatives. */
  combos: readonly Combo[];
  textKey: string;
}

interface Section {
  id: string;
  textKey: string;
  shortcuts: readonly Shortcut[];
}

/** Shortcuts that work everywhere, except those that `needsNoField` while typing. */
export const SHORTCUTS = {
  switcher: { combos: ["mod+k"], textKey: "shortcuts:action.switcher" },
  search: { combos: ["mod+f"], textKey: "shortcuts:action.search" },
  help: { combos: ["mod+/", "?"], textKey: "shortcuts:action.help" },
  members: { combos: ["mod+Shift+m"], textKey: "shortcuts:action.members" },
  favorite: { combos: ["Alt+Shift+f"], textKey: "shortcuts:action.favorite" },
  previousChannel: { combos: ["Alt+ArrowUp"], textKey: "shortcuts:action.previousChannel" },
  nextChannel: { combos: ["Alt+ArrowDown"], textKey: "shortcuts:action.nextChannel" },
  previousUnread: { combos: ["Alt+Shift+ArrowUp"], textKey: "shortcuts:action.previousUnread" },
  nextUnread: { combos: ["Alt+Shift+ArrowDown"], textKey: "shortcuts:action.nextUnread" },
  directs: { combos: ["Alt+0"], textKey: "directs:title" },
  inbox: { combos: ["Alt+i"], textKey: "inbox:title" },
  markRead: { combos: ["Escape"], textKey: "shortcuts:action.markRead" },
  markGroupRead: { combos: ["Shift+Escape"], textKey: "shortcuts:action.markGroupRead" },
  callMicrophone: { combos: ["Alt+m"], textKey: "shortcuts:action.callMicrophone" },
  callDeafen: { combos: ["Alt+Shift+m"], textKey: "shortcuts:action.callDeafen" },
  callCamera: { combos: ["Alt+v"], textKey: "shortcuts:action.callCamera" },
  callLeave: { combos: ["Alt+Shift+l"], textKey: "calls:leave" },
} as const satisfies Record<string, Shortcut>;

export type ShortcutName = keyof typeof SHORTCUTS;

/** `Alt+1` to `Alt+9` open the groups of the rail. */
export const GROUP_KEYS = 9;

const of = (...names: ShortcutName[]): Shortcut[] => names.map((name) => SHORTCUTS[name]);

export const SECTIONS: readonly Section[] = [
  {
    id: "navigation",
    textKey: "shortcuts:section.navigation",
    shortcuts: [
      ...of("switcher", "search", "previousChannel", "nextChannel", "previousUnread", "nextUnread"),
      { combos: [`Alt+1 … ${GROUP_KEYS}`], textKey: "shortcuts:action.group" },
      ...of("directs", "inbox"),
    ],
  },
  {
    id: "global",
    textKey: "shortcuts:section.global",
    shortcuts: of("markRead", "markGroupRead", "favorite", "members", "help"),
  },
  {
    id: "calls",
    textKey: "calls:title",
    shortcuts: of("callMicrophone", "callDeafen", "callCamera", "callLeave"),
  },
  {
    id: "composer",
    textKey: "shortcuts:section.composer",
    shortcuts: [
      { combos: ["Enter"], textKey: "composer:send" },
      { combos: ["Shift+Enter"], textKey: "shortcuts:action.newLine" },
      { combos: ["ArrowUp"], textKey: "shortcuts:action.editLast" },
      { combos: ["mod+b"], textKey: "composer:format.bold" },
      { combos: ["mod+i"], textKey: "composer:format.italic" },
      { combos: ["mod+Shift+x"], textKey: "composer:format.strikethrough" },
      { combos: ["mod+e"], textKey: "composer:format.code" },
      { combos: ["mod+k"], textKey: "shortcuts:action.link" },
      { combos: ["mod+Shift+7"], textKey: "composer:format.numberedList" },
      { combos: ["mod+Shift+8"], textKey: "composer:format.bulletedList" },
      { combos: ["mod+Shift+9"], textKey: "composer:format.quote" },
    ],
  },
  {
    id: "message",
    textKey: "shortcuts:section.message",
    shortcuts: [
      { combos: ["ArrowUp", "ArrowDown"], textKey: "shortcuts:action.moveFocus" },
      { combos: ["r"], textKey: "messages:action.reply" },
      { combos: ["e"], textKey: "common:edit" },
      { combos: ["+"], textKey: "messages:action.react" },
      { combos: ["t"], textKey: "messages:action.openThread" },
      { combos: ["f"], textKey: "messages:forward.action" },
      { combos: ["p"], textKey: "shortcuts:action.pin" },
      { combos: ["u"], textKey: "messages:action.markUnread" },
      { combos: ["s"], textKey: "messages:action.save" },
      { combos: ["x", " "], textKey: "shortcuts:action.select" },
      { combos: ["c"], textKey: "messages:action.copyText" },
      { combos: ["Delete"], textKey: "common:delete" },
    ],
  },
  {
    id: "inbox",
    textKey: "inbox:title",
    shortcuts: [
      { combos: ["ArrowUp", "ArrowDown"], textKey: "shortcuts:action.moveFocus" },
      { combos: ["Enter"], textKey: "search:jump" },
      { combos: ["r"], textKey: "messages:action.reply" },
      { combos: ["e"], textKey: "shortcuts:action.done" },
      { combos: ["+"], textKey: "messages:action.react" },
      { combos: ["s"], textKey: "messages:action.save" },
    ],
  },
];

export type Keys = Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

/** Whether exactly these keys are pressed. */
export function isCombo(combo: Combo, event: Keys, isApple: boolean): boolean {
  const parts = combo.split("+");
  const key = parts.at(-1)!;
  const has = (part: string): boolean => parts.slice(0, -1).includes(part);
  if (event.altKey !== has("Alt")) return false;
  const [mod, other] = isApple ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
  if (mod !== has("mod") || other) return false;
  // Whether a symbol needs Shift depends on the keyboard layout.
  const isSign = /^[^\p{L}\p{N}]$/u.test(key);
  if (!isSign && event.shiftKey !== has("Shift")) return false;
  // With Shift, digits are symbols.
  const isMoved = has("Alt") || (has("Shift") && /\d/.test(key));
  return event.key.toLowerCase() === key.toLowerCase() || (isMoved && isPlace(event.code, key));
}

/** With Alt, Apple keyboards produce other characters, so the physical key counts. */
function isPlace(code: string, key: string): boolean {
  return code === `Digit${key}` || code === `Key${key.toUpperCase()}`;
}

/** Whether the combo could be typed into a text field: Esc, a symbol or a plain letter. On Apple devices, Alt types characters. */
export function needsNoField(combo: Combo, isApple: boolean): boolean {
  return !combo.includes("mod+") && !(combo.includes("Alt+") && !(isApple && /\+.$/.test(combo)));
}

const SIGNS: Record<string, string> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  Escape: "Esc",
  Delete: "Del",
  " ": "Space",
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

/** In place of the shortcuts while they load: repeats the last one afterwards. */
export function EarlyShortcuts() {
  useEffect(() => {
    let last: KeyboardEvent | undefined;
    const apple = isApple();
    const isHit = (event: KeyboardEvent): boolean =>
      Object.values(SHORTCUTS).some(({ combos }) => combos.some((combo) => isCombo(combo, event, apple)));
    const onKeyDown = (event: KeyboardEvent) => {
      const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
      if (event.defaultPrevented || event.repeat || !hasModifier || !isHit(event)) return;
      event.preventDefault();
      last = event;
    };
    addEventListener("keydown", onKeyDown);
    return () => {
      removeEventListener("keydown", onKeyDown);
      if (last === undefined) return;
      const { target } = last;
      const again = new KeyboardEvent("keydown", last);
      // Once what was loaded listens.
      setTimeout(() => (target instanceof Node && target.isConnected ? target : window).dispatchEvent(again));
    };
  }, []);
  return null;
}
