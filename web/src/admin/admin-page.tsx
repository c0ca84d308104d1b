import type { AdminAuditEntry } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import {
  Gauge,
  Hourglass,
  KeyRound,
  type LucideIcon,
  Megaphone,
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
import { adminPath, landingPath } from "../routes.ts";
import { dayAndTime } from "../shared/times.ts";
import { Badge, type BadgeTone } from "../ui/display.tsx";
import { buttonClass } from "../ui/button.tsx";
import { EmptyState, Skeleton, showToast, Pending } from "../ui/feedback.tsx";
import { Form, TextArea, useForm } from "../ui/form.tsx";
import { SettingsLayout } from "../ui/settings-layout.tsx";
import { AdminGroups } from "./admin-groups.tsx";
import { AdminJobs } from "./admin-jobs.tsx";
import { AdminOverview } from "./admin-overview.tsx";
import { AdminUsers } from "./admin-users.tsx";
import { LimitsForm, PolicyForm } from "./access-forms.tsx";
import { MaintenanceForm } from "./maintenance-form.tsx";
import { AdminList } from "./admin-list.tsx";

const OUTCOMES: Record<string, BadgeTone> = { done: "good", begun: "warn" };

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

/** Sections with rows of several columns. */
const WIDE: ReadonlySet<AdminSection> = new Set(["overview", "users", "groups", "jobs", "audit-log"]);

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
      isWide={WIDE.has(current)}
      onClose={() => navigate(landingPath())}
    >
      <Page />
    </SettingsLayout>
  );
}

function AdminAccess() {
  const policy = useAdminPolicy();
  const { data } = policy;
  return (
    <>
      <Pending of={policy}>
        <Skeleton className="h-72 rounded-lg" />
      </Pending>
      {data !== undefined && (
        <>
          <PolicyForm {...data} />
          <LimitsForm {...data} />
        </>
      )}
    </>
  );
}

function AdminAnnouncements() {
  const { t } = useTranslation("admin");
  const call = useCall();
  const form = useForm({
    initial: { text: "" },
    async submit({ text }) {
      await call("admin.announce", { text });
      form.reset({ text: "" });
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
        label={t("sections.auditLog")}
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
  const stats = useAdminStats();
  const { data } = stats;
  return (
    <>
      <p className="text-muted">{t("maintenance.hint")}</p>
      <Pending of={stats}>
        <Skeleton className="h-40 rounded-lg" />
      </Pending>
      {data !== undefined && (
        <MaintenanceForm key={String(data.maintenance.enabled)} maintenance={data.maintenance} />
      )}
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
          <span className="font-medium">{actor?.nickname ?? t("audit.unknownActor")}</span>
          <span>{i18n.exists(`admin:${textKey}`) ? t(textKey) : entry.action}</span>
          {userId !== null && <span className="font-medium">{target?.nickname ?? userId}</span>}
          <Badge tone={OUTCOMES[outcome] ?? "danger"}>
            {known ? t(`audit.outcomes.${outcome}`) : outcome}
          </Badge>
        </p>
        {reason !== null && <p className="wrap-anywhere">{t("audit.reason", { reason })}</p>}
        <p className="text-sm wrap-anywhere text-muted">
          <time dateTime={createdAt}>{dayAndTime(createdAt)}</time>
          {[others, address].filter((part) => part !== null).map((part) => ` · ${part}`)}
        </p>
      </article>
    </li>
  );
}

export interface AuditDetails {
  userId: string | null;
  reason: string | null;
  others: string | null;
}

export function auditDetails(params: unknown): AuditDetails {
  const given = typeof params === "object" && params !== null ? (params as Record<string, unknown>) : {};
  const { userId, reason, ...others } = given;
  const texts = Object.entries(others).map(([name, value]) => `${name}: ${textOf(value)}`);
  return {
    userId: typeof userId === "string" ? userId : null,
    reason: typeof reason === "string" && reason !== "" ? reason : null,
    others: texts.length === 0 ? null : texts.join(", "),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

export type AdminSection =
  | "overview"
  | "users"
  | "groups"
  | "access"
  | "announcements"
  | "maintenance"
  | "jobs"
  | "audit-log";

export const ADMIN_SECTIONS: readonly { id: AdminSection; textKey: string; icon: LucideIcon }[] = [
  { id: "overview", textKey: "admin:sections.overview", icon: Gauge },
  { id: "users", textKey: "admin:sections.users", icon: UserCog },
  { id: "groups", textKey: "admin:sections.groups", icon: Users },
  { id: "access", textKey: "admin:sections.access", icon: KeyRound },
  { id: "announcements", textKey: "admin:sections.announcements", icon: Megaphone },
  { id: "maintenance", textKey: "admin:sections.maintenance", icon: Wrench },
  { id: "jobs", textKey: "admin:sections.jobs", icon: Hourglass },
  { id: "audit-log", textKey: "admin:sections.auditLog", icon: ScrollText },
];

/** Falls back to the first section. */
export function sectionOf(name: string | undefined): AdminSection {
  return ADMIN_SECTIONS.find(({ id }) => id === name)?.id ?? "overview";
}
