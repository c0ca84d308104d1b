export interface Preferences {
  theme: "system" | "light" | "dark";
  density: "comfortable" | "compact";
  /** null: as the browser says. */
  language: "en" | "zh" | null;
  /** null: as the system says. */
  reducedMotion: boolean | null;
  /** Notifications of the browser while the page is open but not looked at. */
  desktopNotifications: boolean;
  notificationSounds: boolean;
  /** Whether a link that leads elsewhere asks before it is followed. */
  confirmLinks: boolean;
  /** Whether the list of members stands beside the channel. */
  showMembers: boolean;
}

const DEFAULTS: Preferences = {
  theme: "system",
  density: "comfortable",
  language: null,
  reducedMotion: null,
  desktopNotifications: false,
  notificationSounds: false,
  confirmLinks: true,
  showMembers: true,
};

/** What each of them can be; anything else that is stored counts as never chosen. */
const CHOICES: { [K in keyof Preferences]: readonly Preferences[K][] } = {
  theme: ["system", "light", "dark"],
  density: ["comfortable", "compact"],
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
