import { useTranslation } from "react-i18next";
import { languageName, LANGUAGES } from "../../i18n/language.ts";
import { type Preferences, setPreferences, usePreferences } from "../../state/preferences.ts";
import { RadioGroup } from "../../ui/choices.tsx";
import { isApple } from "../../app/shortcuts/shortcuts.ts";
import { Select } from "../../ui/select.tsx";

const AS_BROWSER = "browser";

const THEMES: readonly Preferences["theme"][] = ["system", "light", "dark"];
const DENSITIES: readonly Preferences["density"][] = ["comfortable", "compact"];
const FONT_SIZES: readonly Preferences["fontSize"][] = [14, 15, 16, 18];
const CONTRASTS = ["system", "normal", "high"] as const;
const SEND_KEYS: readonly Preferences["sendKey"][] = ["enter", "modEnter"];
const MOTIONS = ["system", "full", "reduced"] as const;

/** Each choice applies at once, on all of the user's devices. */
export function AppearancePart() {
  const { t } = useTranslation("settings");
  const { theme, density, fontSize, highContrast, reducedMotion, sendKey } = usePreferences();
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
        options={CONTRASTS.map((value) => ({ value, label: t(`appearance.${value}`) }))}
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
      <RadioGroup
        label={t("appearance.sendKey")}
        value={sendKey}
        onChange={(next) => setPreferences({ sendKey: next })}
        options={SEND_KEYS.map((value) => ({
          value,
          label: t(`appearance.${value}`, { mod: isApple() ? "⌘" : t("ui:keys.ctrl") }),
          hint: t(`appearance.${value}Hint`),
        }))}
      />
      <LanguageSelect />
      <RadioGroup
        inline
        label={t("appearance.motion")}
        value={reducedMotion === null ? "system" : reducedMotion ? "reduced" : "full"}
        onChange={(next) => setPreferences({ reducedMotion: next === "system" ? null : next === "reduced" })}
        options={MOTIONS.map((value) => ({ value, label: t(`appearance.${value}`) }))}
      />
    </>
  );
}

/** Also for emails and push notifications: see `OwnDevices`. */
function LanguageSelect() {
  const { t } = useTranslation("settings");
  const language = usePreferences((preferences) => preferences.language);
  const change = (chosen: string) =>
    setPreferences({ language: LANGUAGES.find((one) => one === chosen) ?? null });
  return (
    <div className="grid max-w-xs">
      <Select
        label={t("session:language")}
        hint={t("appearance.languageHint")}
        value={language ?? AS_BROWSER}
        onChange={change}
        options={[
          { value: AS_BROWSER, label: t("appearance.browserDefault") },
          ...LANGUAGES.map((one) => ({ value: one, label: languageName(one) })),
        ]}
      />
    </div>
  );
}
