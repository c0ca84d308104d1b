import { useTranslation } from "react-i18next";

interface Device {
  /** null if unknown. */
  browser: string | null;
  system: string | null;
  isPhone: boolean;
}

/** In this order, because browsers also name the ones that they derive from. */
const BROWSERS: [name: string, mark: RegExp][] = [
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ["Safari", /\bSafari\//],
];
const SYSTEMS: [name: string, mark: RegExp][] = [
  ["Android", /\bAndroid\b/],
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b/],
  ["Linux", /\bLinux\b/],
];

/** Parses a session's user agent. */
export function parseUserAgent(userAgent: string | null): Device {
  const find = (known: typeof BROWSERS) => known.find(([, mark]) => mark.test(userAgent ?? ""))?.[0] ?? null;
  const system = find(SYSTEMS);
  return {
    browser: find(BROWSERS),
    system,
    isPhone: system === "iPhone" || (system === "Android" && /\bMobile\b/.test(userAgent ?? "")),
  };
}

export function useDeviceName(): (userAgent: string | null) => string {
  const { t } = useTranslation("settings");
  return (userAgent) => {
    const { browser, system } = parseUserAgent(userAgent);
    if (browser !== null && system !== null) return t("sessions.device", { browser, system });
    return browser ?? system ?? (userAgent === null || userAgent === "" ? t("sessions.unknown") : userAgent);
  };
}
