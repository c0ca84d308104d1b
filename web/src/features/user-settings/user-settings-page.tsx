import type { ComponentType } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { landingPath, settingsPath } from "../../routes.ts";
import { SettingsLayout } from "../../ui/settings-layout.tsx";
import { AccountPart } from "./account/account-part.tsx";
import { AppearancePart } from "./appearance/appearance-part.tsx";
import { DataPart } from "./data/data-part.tsx";
import { NotificationsPart } from "./notifications/notifications-part.tsx";
import { PrivacyPart } from "./privacy/privacy-part.tsx";
import { ProfilePart } from "./profile/profile-part.tsx";
import { type SectionId, SECTIONS } from "./sections.ts";
import { SecurityPart } from "./security/security-part.tsx";

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
