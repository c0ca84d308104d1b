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

/** Everything there is, for the help. */
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
