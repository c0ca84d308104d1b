import { useTranslation } from "react-i18next";
import { setPreferences, usePreferences } from "../../../state/preferences.ts";
import { Switch } from "../../../ui/switch.tsx";
import { Section } from "../section.tsx";
import { DesktopSwitch } from "./desktop-switch.tsx";
import { GroupLevels } from "./group-levels.tsx";
import { PushSection } from "./push-section.tsx";

/** What somebody is told of, and how. */
export function NotificationsPart() {
  const { t } = useTranslation("user-settings");
  const hasSounds = usePreferences((preferences) => preferences.notificationSounds);
  return (
    <>
      <Section title={t("notify.here")} text={t("notify.hereText")}>
        <DesktopSwitch />
        <Switch
          label={t("notify.sounds")}
          checked={hasSounds}
          onChange={(notificationSounds) => setPreferences({ notificationSounds })}
        />
      </Section>
      <PushSection />
      <GroupLevels />
    </>
  );
}
