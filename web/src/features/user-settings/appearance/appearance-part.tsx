import { useTranslation } from "react-i18next";
import { type Preferences, setPreferences, usePreferences } from "../../../state/preferences.ts";
import { RadioGroup } from "../../../ui/radio-group.tsx";
import { LanguageSelect } from "./language-select.tsx";

const THEMES: readonly Preferences["theme"][] = ["system", "light", "dark"];
const DENSITIES: readonly Preferences["density"][] = ["comfortable", "compact"];
const MOTIONS = ["system", "full", "reduced"] as const;

/** How the page looks in this browser. Each choice holds at once. */
export function AppearancePart() {
  const { t } = useTranslation("user-settings");
  const { theme, density, reducedMotion } = usePreferences();
  return (
    <>
      <p className="-mt-4 text-sm text-muted">{t("look.text")}</p>
      <RadioGroup
        inline
        label={t("look.theme")}
        value={theme}
        onChange={(next) => setPreferences({ theme: next })}
        options={THEMES.map((value) => ({ value, label: t(`look.${value}`) }))}
      />
      <RadioGroup
        label={t("look.density")}
        value={density}
        onChange={(next) => setPreferences({ density: next })}
        options={DENSITIES.map((value) => ({
          value,
          label: t(`look.${value}`),
          hint: t(`look.${value}Hint`),
        }))}
      />
      <LanguageSelect />
      <RadioGroup
        inline
        label={t("look.motion")}
        value={reducedMotion === null ? "system" : reducedMotion ? "reduced" : "full"}
        onChange={(next) => setPreferences({ reducedMotion: next === "system" ? null : next === "reduced" })}
        options={MOTIONS.map((value) => ({ value, label: t(`look.motionOf.${value}`) }))}
      />
    </>
  );
}
