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
  const current = SECTIONS.find(({ id }) => id === section) ?? SECTIONS[0]!;
  return (
    <SettingsLayout
      title={t("shell:admin")}
      sections={SECTIONS.map(({ id, textKey, icon }) => ({
        id,
        label: t(textKey),
        href: adminPath(id),
        icon,
        badge: id === "reports" && (
          <CountBadge count={openReports} label={t("group-settings:reports.open", { count: openReports })} />
        ),
      }))}
      current={current.id}
      isWide={current.isWide}
      onClose={() => navigate(landingPath())}
    >
      <current.page />
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

const SECTIONS: readonly {
  id: string;
  page: ComponentType;
  textKey: string;
  icon: LucideIcon;
  /** Whether its rows have several columns. */
  isWide?: true;
}[] = [
  { id: "overview", page: AdminOverview, textKey: "common:overview", icon: Gauge, isWide: true },
  { id: "users", page: AdminUsers, textKey: "admin:sections.users", icon: UserCog, isWide: true },
  { id: "groups", page: AdminGroups, textKey: "common:groups", icon: Users, isWide: true },
  { id: "imports", page: AdminImports, textKey: "admin:sections.imports", icon: FolderInput, isWide: true },
  { id: "reports", page: AdminReports, textKey: "common:reports", icon: Flag },
  { id: "access", page: AdminAccess, textKey: "admin:sections.access", icon: KeyRound },
  { id: "branding", page: AdminBranding, textKey: "admin:sections.branding", icon: Palette },
  { id: "announcements", page: AdminAnnouncements, textKey: "admin:sections.announcements", icon: Megaphone },
  { id: "maintenance", page: AdminMaintenance, textKey: "admin:sections.maintenance", icon: Wrench },
  { id: "holds", page: AdminHolds, textKey: "admin:sections.holds", icon: Scale, isWide: true },
  { id: "plugins", page: AdminPlugins, textKey: "admin:sections.plugins", icon: Puzzle },
  { id: "jobs", page: AdminJobs, textKey: "admin:sections.jobs", icon: Hourglass, isWide: true },
  { id: "audit-log", page: AdminAuditLog, textKey: "common:auditLog", icon: ScrollText, isWide: true },
];
