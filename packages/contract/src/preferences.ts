/** The values of the preferences that are the same on all of a user's devices. The first is the default. */
export const PREFERENCES = {
  theme: ["system", "light", "dark"],
  density: ["comfortable", "compact"],
  /** Of body text, in pixels of the browser's default size. */
  fontSize: [15, 14, 16, 18],
  /** null follows the system. */
  highContrast: [null, true, false],
  /** null follows the system. */
  reducedMotion: [null, true, false],
  /** The key that sends a message. With "modEnter", Ctrl or ⌘ and Enter send it, and Enter begins a new line. */
  sendKey: ["enter", "modEnter"],
  /** Whether to confirm before opening external links. */
  confirmLinks: [true, false],
  /** Whether the member list is shown next to the channel. */
  showMembers: [true, false],
  /** Whether the formatting buttons are shown above the message box. */
  showFormatting: [false, true],
} as const;

export type Preferences = { [K in keyof typeof PREFERENCES]: (typeof PREFERENCES)[K][number] } & {
  /** null follows the browser. */
  language: string | null;
};
