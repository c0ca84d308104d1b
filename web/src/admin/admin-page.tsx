import type { AdminAuditEntry } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import {
  Flag,
  FolderInput,
  Gauge,
  Hourglass,
  KeyRound,
  type LucideIcon,
  Megaphone,
  Palette,
  Puzzle,
  Scale,
  ScrollText,
  ShieldX,
  UserCog,
  Users,
  Wrench,
} from "lucide-react";
import type { ComponentType } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "wouter";
import { useAdminAuditLog, useAdminPolicy, useAdminStats } from "../data/admin.ts";
import { useCall } from "../data/call.ts";
import { useMe } from "../data/me.ts";
import { useUser } from "../data/people.ts";
import { useOpenDirectReports } from "../data/reports.ts";
import { adminPath, landingPath } from "../routes.ts";
import { dayAndTime } from "../shared/times.ts";
import { Badge, type BadgeTone, CountBadge } from "../ui/display.tsx";
import { buttonClass } from "../ui/button.tsx";
import { EmptyState, Loaded, showToast, Skeleton } from "../ui/feedback.tsx";
import { Form, TextArea, useForm } from "../ui/form.tsx";
import { SettingsLayout } from "../ui/settings-layout.tsx";
import { AdminGroups } from "./admin-groups.tsx";
import { AdminHolds } from "./admin-holds.tsx";
import { AdminImports } from "./admin-imports.tsx";
import { AdminPlugins } from "./admin-plugins.tsx";
import { AdminReports } from "./admin-reports.tsx";
import { AdminJobs, AdminOverview, MaintenanceForm } from "./admin-server.tsx";
import { AdminUsers } from "./admin-users.tsx";
import { LimitsForm, PolicyForm, SessionsForm } from "./access-forms.tsx";
import { AdminBranding } from "./branding-form.tsx";
import { AdminList } from "./admin-parts.tsx";
import { auditDetails } from "./audit-details.ts";
import { Main } from "../ui/main.tsx";

const OUTCOMES: Record<string, BadgeTone> = { done: "good", begun: "warn" };

const PAGES: Record<AdminSection, ComponentType> = {
  overview: AdminOverview,
  users: AdminUsers,
  groups: AdminGroups,
  imports: AdminImports,
  reports: AdminReports,
  access: AdminAccess,
  branding: AdminBranding,
  announcements: AdminAnnouncements,
  maintenance: AdminMaintenance,
  holds: AdminHolds,
  plugins: AdminPlugins,
  jobs: AdminJobs,
  "audit-log": AdminAuditLog,
};

/** Sections with rows of several columns. */
const WIDE: ReadonlySet<AdminSection> = new Set([
  "overview",
  "users",
  "groups",
  "imports",
  "holds",
  "jobs",
  "audit-log",
]);

export function AdminPage({ section }: { section?: string | undefined }) {
  const { t } = useTranslation("admin");
  const { admin } = useMe();
  const openReports = useOpenDirectReports();
  const [, navigate] = useLocation();
  if (!admin) {
    return (
      <Main className="flex min-h-0 flex-1">
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
      </Main>
    );
  }
  const current = sectionOf(section);
  const Page = PAGES[current];
  return (
    <SettingsLayout
      title={t("shell:admin")}
      sections={ADMIN_SECTIONS.map(({ id, textKey, icon }) => ({
        id,
        label: t(textKey),
        href: adminPath(id),
        icon,
        badge: id === "reports" && (
          <CountBadge count={openReports} label={t("group-settings:reports.open", { count: openReports })} />
        ),
      }))}
      current={current}
      isWide={WIDE.has(current)}
      onClose={() => navigate(landingPath())}
    >
      <Page />
    </SettingsLayout>
  );
}

function AdminAccess() {
  return (
    <Loaded of={useAdminPolicy()} placeholder={<Skeleton className="h-72 rounded-lg" />}>
      {(policy) => (
        <>
          <PolicyForm {...policy} />
          <SessionsForm {...policy} />
          <LimitsForm {...policy} />
        </>
      )}
    </Loaded>
  );
}

function AdminAnnouncements() {
  const { t } = useTranslation("admin");
  const call = useCall();
  const form = useForm({
    initial: { text: "" },
    async submit({ text }) {
      await call("admin.announce", { text });
      form.set("text", "");
      showToast({ text: t("announcements.done"), tone: "good" });
    },
  });
  return (
    <>
      <p className="text-muted">{t("announcements.hint")}</p>
      <Form form={form} action={t("announcements.action")} disabled={form.values.text.trim() === ""}>
        <TextArea label={t("announcements.text")} maxLength={LIMITS.noticeMaxChars} {...form.field("text")} />
      </Form>
    </>
  );
}

function AdminAuditLog() {
  const { t } = useTranslation("admin");
  const entries = useAdminAuditLog();
  return (
    <>
      <p className="text-muted">{t("audit.hint")}</p>
      <AdminList
        label={t("common:auditLog")}
        pages={entries}
        empty={<EmptyState icon={ScrollText} title={t("audit.none")} text={t("audit.noneText")} />}
      >
        {(entry) => <AuditEntryRow key={entry.id} entry={entry} />}
      </AdminList>
    </>
  );
}

function AdminMaintenance() {
  const { t } = useTranslation("admin");
  return (
    <>
      <p className="text-muted">{t("maintenance.hint")}</p>
      <Loaded of={useAdminStats()} placeholder={<Skeleton className="h-40 rounded-lg" />}>
        {({ maintenance }) => <MaintenanceForm key={String(maintenance.enabled)} maintenance={maintenance} />}
      </Loaded>
    </>
  );
}

function AuditEntryRow({ entry }: { entry: AdminAuditEntry }) {
  const { t, i18n } = useTranslation("admin");
  const { userId, reason, others } = auditDetails(entry.params);
  const actor = useUser(entry.actorId);
  const target = useUser(userId);
  const textKey = `audit.actions.${entry.action.replace("admin.", "")}`;
  const { outcome, createdAt, address } = entry;
  const known = outcome === "done" || outcome === "begun";
  return (
    <li>
      <article className="grid gap-1 px-2 py-1.5">
        <p className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
          <span className="font-medium">
            {entry.actorId === null
              ? t("audit.identityProvider")
              : (actor?.nickname ?? t("audit.unknownActor"))}
          </span>
          <span>{i18n.exists(`admin:${textKey}`) ? t(textKey) : entry.action}</span>
          {userId !== null && <span className="font-medium">{target?.nickname ?? userId}</span>}
          <Badge tone={OUTCOMES[outcome] ?? "danger"}>
            {known ? t(`audit.outcomes.${outcome}`) : outcome}
          </Badge>
        </p>
        {reason !== null && <p className="wrap-anywhere">{t("group-settings:audit.reason", { reason })}</p>}
        <p className="text-sm wrap-anywhere text-muted">
          <time dateTime={createdAt}>{dayAndTime(createdAt)}</time>
          {[others, address].filter((part) => part !== null).map((part) => ` · ${part}`)}
        </p>
      </article>
    </li>
  );
}

type AdminSection =
  | "overview"
  | "users"
  | "groups"
  | "imports"
  | "reports"
  | "access"
  | "branding"
  | "announcements"
  | "maintenance"
  | "holds"
  | "plugins"
  | "jobs"
  | "audit-log";

const ADMIN_SECTIONS: readonly { id: AdminSection; textKey: string; icon: LucideIcon }[] = [
  { id: "overview", textKey: "common:overview", icon: Gauge },
  { id: "users", textKey: "admin:sections.users", icon: UserCog },
  { id: "groups", textKey: "common:groups", icon: Users },
  { id: "imports", textKey: "admin:sections.imports", icon: FolderInput },
  { id: "reports", textKey: "common:reports", icon: Flag },
  { id: "access", textKey: "admin:sections.access", icon: KeyRound },
  { id: "branding", textKey: "admin:sections.branding", icon: Palette },
  { id: "announcements", textKey: "admin:sections.announcements", icon: Megaphone },
  { id: "maintenance", textKey: "admin:sections.maintenance", icon: Wrench },
  { id: "holds", textKey: "admin:sections.holds", icon: Scale },
  { id: "plugins", textKey: "admin:sections.plugins", icon: Puzzle },
  { id: "jobs", textKey: "admin:sections.jobs", icon: Hourglass },
  { id: "audit-log", textKey: "common:auditLog", icon: ScrollText },
];

/** Falls back to the first section. */
function sectionOf(name: string | undefined): AdminSection {
  return ADMIN_SECTIONS.find(({ id }) => id === name)?.id ?? "overview";
}
