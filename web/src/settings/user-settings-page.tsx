import type { ComponentType } from "react";
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
import { useHasCalls } from "../session/server-meta.ts";
import { useMe } from "../data/me.ts";
import { landingPath, settingsPath } from "../routes.ts";
import { SettingsLayout } from "../ui/settings-layout.tsx";
import { AccountPart } from "./account/account-part.tsx";
import { AppearancePart } from "./appearance/appearance-part.tsx";
import { DeleteAccount } from "./data/delete-account.tsx";
import { NotificationsPart } from "./notifications/notifications-part.tsx";
import { CallsPart } from "./calls/calls-part.tsx";
import { PrivacyPart } from "./privacy/privacy-part.tsx";
import { ProfilePart } from "./profile/profile-part.tsx";
import { PasskeysSection, OidcSection } from "./security/login-methods.tsx";
import { SessionsSection, TokensSection } from "./security/sessions-section.tsx";
import { TotpSection } from "./security/totp-section.tsx";
import { ExportData } from "./data/export-data.tsx";
import { NotFound } from "../app/home/home-pages.tsx";

export function UserSettingsPage({ section }: { section: string | undefined }) {
  const { t } = useTranslation("settings");
  const [, navigate] = useLocation();
  const hasCalls = useHasCalls();
  const current = SECTIONS.find(({ id }) => id === (section ?? "profile"));
  return (
    <SettingsLayout
      title={t("common:settings")}
      current={current?.id}
      onClose={() => navigate(landingPath())}
      sections={SECTIONS.filter(({ id }) => hasCalls || id !== "calls").map(({ id, icon, textKey }) => ({
        id,
        icon,
        label: t(textKey),
        href: settingsPath(id),
      }))}
    >
      <div className="grid gap-9">
        {current ? <current.part /> : <NotFound what="page" hasHeader={false} />}
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
