import { type ComponentType, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import {
  Bell,
  CircleUserRound,
  FileDown,
  IdCard,
  type LucideIcon,
  Palette,
  Phone,
  ShieldCheck,
  UserRoundX,
} from "lucide-react";
import type { Reach } from "@fanfare/contract";
import { useCall } from "../data/call.ts";
import { useHasCalls } from "../session/server-meta.ts";
import { useMe } from "../data/me.ts";
import { landingPath, settingsPath } from "../routes.ts";
import { DownloadLines } from "../shared/download-lines.tsx";
import { setPreferences, usePreferences } from "../state/preferences.ts";
import { SettingsLayout } from "../ui/settings-layout.tsx";
import { Switch } from "../ui/choices.tsx";
import { useReach } from "../data/people.ts";
import { useSave } from "../shared/use-action.ts";
import { ErrorNote, Loaded, SkeletonRows } from "../ui/feedback.tsx";
import { Select } from "../ui/select.tsx";
import { AccountPart } from "./account/account-part.tsx";
import { AppearancePart } from "./appearance/appearance-part.tsx";
import { DeleteAccount } from "./data/delete-account.tsx";
import { GroupLevels, KeywordsSection, EmailSection } from "./notifications/notification-sections.tsx";
import {
  requestNotificationPermission,
  getPermission,
  type PermissionState,
} from "../inbox/notifications/notifier.tsx";
import { QuietHoursSection } from "./notifications/quiet-hours-section.tsx";
import { PushSection } from "./notifications/push-section.tsx";
import { CallsPart } from "./calls/calls-part.tsx";
import { BlockedUsers } from "./privacy/blocked-users.tsx";
import { ProfilePart } from "./profile/profile-part.tsx";
import { Section } from "./section.tsx";
import { PasskeysSection } from "./security/passkeys-section.tsx";
import { OidcSection } from "./security/oidc-section.tsx";
import { SessionsSection, TokensSection } from "./security/sessions-section.tsx";
import { TotpSection } from "./security/totp-section.tsx";
import { readExport } from "./data/read-export.ts";

export function UserSettingsPage({ section }: { section: string | undefined }) {
  const { t } = useTranslation("settings");
  const [, navigate] = useLocation();
  const hasCalls = useHasCalls();
  const current = SECTIONS.find(({ id }) => id === section) ?? SECTIONS[0]!;
  return (
    <SettingsLayout
      title={t("common:settings")}
      current={current.id}
      onClose={() => navigate(landingPath())}
      sections={SECTIONS.filter(({ id }) => hasCalls || id !== "calls").map(({ id, icon, textKey }) => ({
        id,
        icon,
        label: t(textKey),
        href: settingsPath(id),
      }))}
    >
      <div className="grid gap-9">
        <current.part />
      </div>
    </SettingsLayout>
  );
}

function DataPart() {
  return (
    <>
      <ExportData />
      <DeleteAccount />
    </>
  );
}

function NotificationsPart() {
  const { t } = useTranslation("settings");
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
      <EmailSection />
      <QuietHoursSection />
      <KeywordsSection />
      <GroupLevels />
    </>
  );
}

/** Needs the browser's permission. */
function DesktopSwitch() {
  const { t } = useTranslation("settings");
  const isWanted = usePreferences((preferences) => preferences.desktopNotifications);
  const [permission, setPermission] = useState<PermissionState>(getPermission);
  const change = async (desktopNotifications: boolean) => {
    if (!desktopNotifications) return setPreferences({ desktopNotifications });
    const response = await requestNotificationPermission();
    setPermission(response);
    setPreferences({ desktopNotifications: response === "granted" });
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

function PrivacyPart() {
  const { t } = useTranslation("settings");
  const confirmLinks = usePreferences((preferences) => preferences.confirmLinks);
  return (
    <>
      <ReachForm />
      <BlockedUsers />
      <Section title={t("group-settings:rules.links.title")}>
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

function SecurityPart() {
  const isGuest = useMe().kind === "guest";
  return (
    <>
      {!isGuest && <TotpSection />}
      {!isGuest && <PasskeysSection />}
      {!isGuest && <OidcSection />}
      <SessionsSection />
      <TokensSection />
    </>
  );
}

function ExportData() {
  const { t } = useTranslation("settings");
  const { username, nickname } = useMe();
  const call = useCall();
  const day = () => new Date().toISOString().slice(0, "2026-01-01".length);
  return (
    <Section title={t("export.title")} text={t("export.text")}>
      <DownloadLines
        action={t("export.action")}
        progress={(items) => t("export.progress", { items })}
        done={(items) => t("export.done", { items })}
        fileName={() => `fanfare-${username ?? nickname}-${day()}.jsonl`}
        read={(signal) => readExport(call, signal)}
      />
    </Section>
  );
}

const SECTIONS: readonly { id: string; part: ComponentType; icon: LucideIcon; textKey: string }[] = [
  { id: "profile", part: ProfilePart, icon: IdCard, textKey: "common:profile" },
  { id: "account", part: AccountPart, icon: CircleUserRound, textKey: "settings:section.account" },
  { id: "security", part: SecurityPart, icon: ShieldCheck, textKey: "settings:section.security" },
  { id: "notifications", part: NotificationsPart, icon: Bell, textKey: "settings:section.notifications" },
  { id: "privacy", part: PrivacyPart, icon: UserRoundX, textKey: "settings:section.privacy" },
  { id: "calls", part: CallsPart, icon: Phone, textKey: "calls:title" },
  { id: "appearance", part: AppearancePart, icon: Palette, textKey: "settings:section.appearance" },
  { id: "data", part: DataPart, icon: FileDown, textKey: "settings:section.data" },
];

const REQUESTS = [
  { value: "everyone", textKey: "contact.everyone" },
  { value: "groupMates", textKey: "contact.groupMates" },
  { value: "nobody", textKey: "contact.noOne" },
] as const;
const DIRECT: readonly Reach["directFrom"][] = ["everyone", "groupMates", "friends"];

/** Each choice is saved at once. */
function ReachForm() {
  const { t } = useTranslation("settings");
  const call = useCall();
  const { error, save } = useSave();
  const change = (changes: Partial<Reach>) => save(() => call("friend.setReach", changes));
  return (
    <Section title={t("contact.title")} text={t("contact.text")}>
      <Loaded of={useReach()} placeholder={<SkeletonRows count={2} />}>
        {(reach) => (
          <>
            <Select
              label={t("contact.directFrom")}
              value={reach.directFrom}
              options={DIRECT.map((value) => ({ value, label: t(`contact.${value}`) }))}
              onChange={(directFrom) => change({ directFrom })}
            />
            <Select
              label={t("contact.requestsFrom")}
              value={reach.requestsFrom}
              options={REQUESTS.map(({ value, textKey }) => ({ value, label: t(textKey) }))}
              onChange={(requestsFrom) => change({ requestsFrom })}
            />
          </>
        )}
      </Loaded>
      <ErrorNote text={error} />
    </Section>
  );
}
