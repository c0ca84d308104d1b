import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useMe } from "../../../data/me.ts";
import { chooseLanguage, LANGUAGE_NAMES, LANGUAGES } from "../../../i18n/language.ts";
import { useAction } from "../../../shared/use-action.ts";
import { setPreferences, usePreferences } from "../../../state/preferences.ts";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { Select } from "../../../ui/select.tsx";

const AS_BROWSER = "browser";

/** Of the page at once, and of what the server writes. */
export function LanguageSelect() {
  const { t } = useTranslation("user-settings");
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
        label={t("look.language")}
        hint={t("look.languageHint")}
        value={language ?? AS_BROWSER}
        onChange={change}
        options={[
          { value: AS_BROWSER, label: t("look.asBrowser") },
          ...LANGUAGES.map((one) => ({ value: one, label: LANGUAGE_NAMES[one] })),
        ]}
      />
      <ErrorNote text={error} />
    </div>
  );
}
