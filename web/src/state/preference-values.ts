export interface Preferences {
  theme: "system" | "light" | "dark";
  density: "comfortable" | "compact";
  /** Of body text, in pixels of the browser's default size. */
  fontSize: 14 | 15 | 16 | 18;
  /** null follows the system. */
  highContrast: boolean | null;
  /** null follows the browser. */
  language: "en" | "zh" | null;
  /** null follows the system. */
  reducedMotion: boolean | null;
  /** System notifications while the page is open but not visible. */
  desktopNotifications: boolean;
  notificationSounds: boolean;
  /** Whether to confirm before opening external links. */
  confirmLinks: boolean;
  /** Whether the member list is shown next to the channel. */
  showMembers: boolean;
}

const DEFAULTS: Preferences = {
  theme: "system",
  density: "comfortable",
  fontSize: 15,
  highContrast: null,
  language: null,
  reducedMotion: null,
  desktopNotifications: false,
  notificationSounds: false,
  confirmLinks: true,
  showMembers: true,
};

/** Valid values; other stored values are ignored. */
const CHOICES: { [K in keyof Preferences]: readonly Preferences[K][] } = {
  theme: ["system", "light", "dark"],
  density: ["comfortable", "compact"],
  fontSize: [14, 15, 16, 18],
  highContrast: [true, false, null],
  language: ["en", "zh", null],
  reducedMotion: [true, false, null],
  desktopNotifications: [true, false],
  notificationSounds: [true, false],
  confirmLinks: [true, false],
  showMembers: [true, false],
};

export function parsePreferences(stored: unknown): Preferences {
  const known = Object.entries((stored ?? {}) as Record<string, unknown>).filter(
    ([name, value]) =>
      Object.hasOwn(CHOICES, name) &&
      (CHOICES[name as keyof Preferences] as readonly unknown[]).includes(value),
  );
  return { ...DEFAULTS, ...(Object.fromEntries(known) as Partial<Preferences>) };
}
