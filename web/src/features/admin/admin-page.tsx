import { ShieldX } from "lucide-react";
import type { ComponentType } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "wouter";
import { useMe } from "../../data/me.ts";
import { adminPath, landingPath } from "../../routes.ts";
import { buttonClass } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { SettingsLayout } from "../../ui/settings-layout.tsx";
import { AdminAccess } from "./admin-access.tsx";
import { AdminAnnouncements } from "./admin-announcements.tsx";
import { AdminAuditLog } from "./admin-audit-log.tsx";
import { AdminGroups } from "./admin-groups.tsx";
import { AdminJobs } from "./admin-jobs.tsx";
import { AdminMaintenance } from "./admin-maintenance.tsx";
import { AdminOverview } from "./admin-overview.tsx";
import { AdminUsers } from "./admin-users.tsx";
import { ADMIN_SECTIONS, type AdminSection, sectionOf } from "./sections.ts";

const PAGES: Record<AdminSection, ComponentType> = {
  overview: AdminOverview,
  users: AdminUsers,
  groups: AdminGroups,
  access: AdminAccess,
  announcements: AdminAnnouncements,
  maintenance: AdminMaintenance,
  jobs: AdminJobs,
  "audit-log": AdminAuditLog,
};

/** What those do who run the instance; everybody else is told whom to ask. */
export function AdminPage({ section }: { section?: string | undefined }) {
  const { t } = useTranslation("admin");
  const { admin } = useMe();
  const [, navigate] = useLocation();
  if (!admin) {
    return (
      <main id="main" tabIndex={-1} className="flex min-h-0 flex-1 outline-none">
        <EmptyState
          isPage
          icon={ShieldX}
          title={t("refused.title")}
          text={t("refused.text")}
          action={
            <Link href={landingPath()} className={buttonClass({ variant: "primary" })}>
              {t("refused.back")}
            </Link>
          }
        />
      </main>
    );
  }
  const current = sectionOf(section);
  const Page = PAGES[current];
  return (
    <SettingsLayout
      title={t("title")}
      sections={ADMIN_SECTIONS.map(({ id, textKey, icon }) => ({
        id,
        label: t(textKey),
        href: adminPath(id),
        icon,
      }))}
      current={current}
      onClose={() => navigate(landingPath())}
    >
      <Page />
    </SettingsLayout>
  );
}
