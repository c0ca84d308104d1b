import { Languages, Moon, Sun } from "lucide-react";
import { useTranslation } from "react-i18next";
import { LANGUAGE_NAMES, LANGUAGE_TAGS, LANGUAGES } from "../../i18n/language.ts";
import { setPreferences, usePreferences } from "../../state/preferences.ts";
import { Button } from "../../ui/button.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { useMedia } from "../../ui/use-media.ts";

/** Language and theme, before there are settings. */
export function EntranceFooter() {
  const { t, i18n } = useTranslation("session");
  const theme = usePreferences((preferences) => preferences.theme);
  const systemIsDark = useMedia("(prefers-color-scheme: dark)");
  const isDark = theme === "system" ? systemIsDark : theme === "dark";
  const others = LANGUAGES.filter((language) => language !== i18n.language);
  return (
    <footer className="flex items-center justify-center gap-1 px-5 pb-[max(1rem,env(safe-area-inset-bottom))]">
      {others.map((language) => (
        <Button
          key={language}
          variant="ghost"
          size="sm"
          lang={LANGUAGE_TAGS[language]}
          icon={<Languages size={16} aria-hidden />}
          onClick={() => setPreferences({ language })}
        >
          {LANGUAGE_NAMES[language]}
        </Button>
      ))}
      <IconButton
        icon={isDark ? Sun : Moon}
        label={isDark ? t("lightTheme") : t("darkTheme")}
        size="sm"
        onClick={() => setPreferences({ theme: isDark ? "light" : "dark" })}
      />
    </footer>
  );
}
