import { useTranslation } from "react-i18next";
import { setPreferences, usePreferences } from "../../../state/preferences.ts";
import { Switch } from "../../../ui/switch.tsx";
import { Section } from "../section.tsx";
import { BlockedUsers } from "./blocked-users.tsx";
import { ReachForm } from "./reach-form.tsx";

/** Who may reach somebody, and what asks before it leads elsewhere. */
export function PrivacyPart() {
  const { t } = useTranslation("user-settings");
  const confirmLinks = usePreferences((preferences) => preferences.confirmLinks);
  return (
    <>
      <ReachForm />
      <BlockedUsers />
      <Section title={t("privacy.links")}>
        <Switch
          label={t("privacy.confirmLinks")}
          hint={t("privacy.confirmLinksHint")}
          checked={confirmLinks}
          onChange={(isOn) => setPreferences({ confirmLinks: isOn })}
        />
      </Section>
    </>
  );
}
