import type { Meta } from "@fanfare/contract";
import { create } from "zustand";
import { loadStored, saveStored } from "../state/stored.ts";
import { setAppName } from "../ui/hooks.ts";

type Branding = Meta["branding"];
type Shades = NonNullable<Branding["accentShades"]>;

const KEY = "fanfare.branding";

const UNBRANDED: Branding = {
  name: "Fanfare",
  accentColor: null,
  landingText: "",
  logoUrl: null,
  accentShades: null,
};

const SELECTORS: Record<keyof Shades, string> = {
  light: ":root",
  dark: ':root[data-theme="dark"]',
  lightContrast: ':root[data-contrast="high"]',
  darkContrast: ':root[data-theme="dark"][data-contrast="high"]',
};

/** How the instance presents itself, as of the last visit until the server answers. */
export const useBranding = create<Branding>(() => ({
  ...UNBRANDED,
  ...(loadStored(KEY) as Partial<Branding> | null),
}));

let sheet: CSSStyleSheet | null = null;

export function setBranding(branding: Branding): void {
  if (JSON.stringify(branding) === JSON.stringify(useBranding.getState())) return;
  saveStored(KEY, branding);
  useBranding.setState(branding);
  applyBranding();
}

/** Applies name, icons and accent color to the document. */
export function applyBranding(): void {
  const { name, logoUrl, accentShades } = useBranding.getState();
  setAppName(name);
  markIcon(false);
  document.querySelector("link[rel=apple-touch-icon]")?.setAttribute("href", logoUrl ?? TOUCH_ICON);
  if (accentShades === null && sheet === null) return;
  if (sheet === null) {
    sheet = new CSSStyleSheet();
    document.adoptedStyleSheets.push(sheet);
  }
  sheet.replaceSync(accentShades === null ? "" : cssOf(accentShades));
}

const TOUCH_ICON = "/icons/apple-touch-icon.png";

/** Marks the icon of the tab. A logo can't be marked. */
export function markIcon(isUnread: boolean): void {
  const own = isUnread ? "/favicon-unread.svg" : "/favicon.svg";
  const link = document.querySelector("link[rel=icon]");
  const { logoUrl } = useBranding.getState();
  const href = logoUrl ?? own;
  // Each change loads it again.
  if (link === null || link.getAttribute("href") === href) return;
  link.setAttribute("href", href);
  link.setAttribute("type", logoUrl === null ? "image/svg+xml" : "image/webp");
}

function cssOf(shades: Shades): string {
  return Object.entries(SELECTORS)
    .map(([theme, selector]) => {
      const tokens = Object.entries(shades[theme as keyof Shades]);
      return `${selector}{${tokens.map(([name, color]) => `--color-${name}:${color}`).join(";")}}`;
    })
    .join("");
}
