import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { useMe } from "../../data/me.ts";
import { chooseLanguage, LANGUAGE_NAMES, LANGUAGES } from "../../i18n/language.ts";
import { useAction } from "../../shared/use-action.ts";
import type { Preferences } from "../../state/preference-values.ts";
import { setPreferences, usePreferences } from "../../state/preferences.ts";
import { ErrorNote } from "../../ui/feedback.tsx";
import { RadioGroup } from "../../ui/choices.tsx";
import { Select } from "../../ui/select.tsx";

const AS_BROWSER = "browser";

const THEMES: readonly Preferences["theme"][] = ["system", "light", "dark"];
const DENSITIES: readonly Preferences["density"][] = ["comfortable", "compact"];
const FONT_SIZES: readonly Preferences["fontSize"][] = [14, 15, 16, 18];
const CONTRASTS = ["system", "normal", "high"] as const;
const MOTIONS = ["system", "full", "reduced"] as const;

/** Settings of this browser. Each choice applies at once. */
export function AppearancePart() {
  const { t } = useTranslation("settings");
  const { theme, density, fontSize, highContrast, reducedMotion } = usePreferences();
  return (
    <>
      <p className="-mt-4 text-sm text-muted">{t("appearance.text")}</p>
      <RadioGroup
        inline
        label={t("appearance.theme")}
        value={theme}
        onChange={(next) => setPreferences({ theme: next })}
        options={THEMES.map((value) => ({ value, label: t(`appearance.${value}`) }))}
      />
      <RadioGroup
        inline
        label={t("appearance.contrast")}
        value={highContrast === null ? "system" : highContrast ? "high" : "normal"}
        onChange={(next) => setPreferences({ highContrast: next === "system" ? null : next === "high" })}
        options={CONTRASTS.map((value) => ({ value, label: t(`appearance.contrastOf.${value}`) }))}
      />
      <RadioGroup
        inline
        label={t("appearance.fontSize")}
        value={`${fontSize}`}
        onChange={(next) => setPreferences({ fontSize: FONT_SIZES.find((size) => `${size}` === next) ?? 15 })}
        options={FONT_SIZES.map((size) => ({ value: `${size}`, label: t(`appearance.fontSizeOf.${size}`) }))}
      />
      <RadioGroup
        label={t("appearance.density")}
        value={density}
        onChange={(next) => setPreferences({ density: next })}
        options={DENSITIES.map((value) => ({
          value,
          label: t(`appearance.${value}`),
          hint: t(`appearance.${value}Hint`),
        }))}
      />
      <LanguageSelect />
      <RadioGroup
        inline
        label={t("appearance.motion")}
        value={reducedMotion === null ? "system" : reducedMotion ? "reduced" : "full"}
        onChange={(next) => setPreferences({ reducedMotion: next === "system" ? null : next === "reduced" })}
        options={MOTIONS.map((value) => ({ value, label: t(`appearance.motionOf.${value}`) }))}
      />
    </>
  );
}

/** Also sets the language of emails and push notifications. */
function LanguageSelect() {
  const { t } = useTranslation("settings");
  const language = usePreferences((preferences) => preferences.language);
  const { locale } = useMe();
  const call = useCall();
  const { error, run } = useAction();
  const change = (chosen: string) => {
    const next = LANGUAGES.find((one) => one === chosen) ?? null;
    setPreferences({ language: next });
    const shown = chooseLanguage(next, navigator.languages);
    if (shown !== locale) void run(() => call("user.updateProfile", { locale: shown }));
  };
  return (
    <div className="grid max-w-xs gap-3">
      <Select
        label={t("appearance.language")}
        hint={t("appearance.languageHint")}
        value={language ?? AS_BROWSER}
        onChange={change}
        options={[
          { value: AS_BROWSER, label: t("appearance.browserDefault") },
          ...LANGUAGES.map((one) => ({ value: one, label: LANGUAGE_NAMES[one] })),
        ]}
      />
      <ErrorNote text={error} />
    </div>
  );
}
