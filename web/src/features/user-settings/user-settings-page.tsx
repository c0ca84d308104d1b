import { type ComponentType, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useCall } from "../../data/call.ts";
import { useMe } from "../../data/me.ts";
import { landingPath, settingsPath } from "../../routes.ts";
import { DownloadLines } from "../../shared/download-lines.tsx";
import { setPreferences, usePreferences } from "../../state/preferences.ts";
import { SettingsLayout } from "../../ui/settings-layout.tsx";
import { Switch } from "../../ui/switch.tsx";
import { AccountPart } from "./account/account-part.tsx";
import { AppearancePart } from "./appearance/appearance-part.tsx";
import { DeleteAccount } from "./data/delete-account.tsx";
import { readExport } from "./data/read-export.ts";
import { GroupLevels } from "./notifications/group-levels.tsx";
import { askPermission, type PermissionState, permissionNow } from "./notifications/permission.ts";
import { PushSection } from "./notifications/push-section.tsx";
import { BlockedUsers } from "./privacy/blocked-users.tsx";
import { ReachForm } from "./privacy/reach-form.tsx";
import { ProfilePart } from "./profile/profile-part.tsx";
import { Section } from "./section.tsx";
import { type SectionId, SECTIONS } from "./sections.ts";
import { OidcSection } from "./security/oidc-section.tsx";
import { SessionsSection } from "./security/sessions-section.tsx";
import { TokensSection } from "./security/tokens-section.tsx";
import { TotpSection } from "./security/totp-section.tsx";

const PARTS: Record<SectionId, ComponentType> = {
  profile: ProfilePart,
  account: AccountPart,
  security: SecurityPart,
  notifications: NotificationsPart,
  privacy: PrivacyPart,
  appearance: AppearancePart,
  data: DataPart,
};

/** Everything somebody can say about themselves, their account and this browser. */
export function UserSettingsPage({ section }: { section: string | undefined }) {
  const { t } = useTranslation("user-settings");
  const [, navigate] = useLocation();
  const { id: current } = SECTIONS.find(({ id }) => id === section) ?? SECTIONS[0];
  const Part = PARTS[current];
  return (
    <SettingsLayout
      title={t("title")}
      current={current}
      onClose={() => navigate(landingPath())}
      sections={SECTIONS.map(({ id, icon, textKey }) => ({
        id,
        icon,
        label: t(textKey),
        href: settingsPath(id),
      }))}
    >
      <div className="grid max-w-xl gap-9">
        <Part />
      </div>
    </SettingsLayout>
  );
}

/** To take everything along, and to go. */
function DataPart() {
  return (
    <>
      <ExportData />
      <DeleteAccount />
    </>
  );
}

/** What the user is notified about, and how. */
function NotificationsPart() {
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

/** Notifications of the browser, which it has to allow. */
function DesktopSwitch() {
  const { t } = useTranslation("user-settings");
  const isWanted = usePreferences((preferences) => preferences.desktopNotifications);
  const [permission, setPermission] = useState<PermissionState>(permissionNow);
  const change = async (desktopNotifications: boolean) => {
    if (!desktopNotifications) return setPreferences({ desktopNotifications });
    const answer = await askPermission();
    setPermission(answer);
    setPreferences({ desktopNotifications: answer === "granted" });
  };
  return (
    <Switch
      label={t("notify.desktop")}
      hint={permission === "granted" || permission === "default" ? undefined : t(`notify.${permission}`)}
      checked={isWanted && permission === "granted"}
      disabled={permission === "unsupported"}
      onChange={(isOn) => void change(isOn)}
    />
  );
}

/** Who can reach the user, and the warning before external links. */
function PrivacyPart() {
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

/** What keeps the account its owner's. */
function SecurityPart() {
  const isGuest = useMe().kind === "guest";
  return (
    <>
      {!isGuest && <TotpSection />}
      {!isGuest && <OidcSection />}
      <SessionsSection />
      <TokensSection />
    </>
  );
}

/** Everything that the server has of the user, as one file. */
function ExportData() {
  const { t } = useTranslation("user-settings");
  const { username, nickname } = useMe();
  const call = useCall();
  const day = () => new Date().toISOString().slice(0, "2026-01-01".length);
  return (
    <Section title={t("export.title")} text={t("export.text")}>
      <DownloadLines
        action={t("export.action")}
        progress={(items) => t("export.busy", { items })}
        done={(items) => t("export.done", { items })}
        fileName={() => `fanfare-${username ?? nickname}-${day()}.jsonl`}
        read={(signal) => readExport(call, signal)}
      />
    </Section>
  );
}
