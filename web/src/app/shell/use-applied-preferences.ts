import { useEffect } from "react";
import { chooseLanguage } from "../../i18n/language.ts";
import { changeLanguage } from "../../i18n/set-up.ts";
import { usePreferences } from "../../state/preferences.ts";
import { useMedia } from "../../ui/hooks.ts";

/** Puts theme, density, motion and language onto the page as soon as they change; public/theme.js did so at the start. */
export function useAppliedPreferences(): void {
  const { theme, density, language, reducedMotion } = usePreferences();
  const systemIsDark = useMedia("(prefers-color-scheme: dark)");
  const systemReduces = useMedia("(prefers-reduced-motion: reduce)");
  const isDark = theme === "system" ? systemIsDark : theme === "dark";
  const reduces = reducedMotion ?? systemReduces;
  useEffect(() => {
    const { dataset } = document.documentElement;
    const theme = isDark ? "dark" : "light";
    // Otherwise every element with a color transition animates: thousands in a long channel list.
    if (dataset["theme"] !== theme) withoutTransitions(() => (dataset["theme"] = theme));
    dataset["density"] = density;
    dataset["motion"] = reduces ? "reduced" : "full";
  }, [isDark, density, reduces]);
  useEffect(() => {
    void changeLanguage(chooseLanguage(language, navigator.languages));
  }, [language]);
}

function withoutTransitions(change: () => void): void {
  const { dataset } = document.documentElement;
  dataset["still"] = "";
  change();
  // Forces a style recalculation before transitions are enabled again.
  void getComputedStyle(document.body).color;
  delete dataset["still"];
}
