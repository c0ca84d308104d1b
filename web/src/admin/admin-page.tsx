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
  UserX,
} from "lucide-react";
import { type ComponentType, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "wouter";
import type { Report, ReportOutcome, Maintenance } from "@fanfare/contract";
import { useAdminPolicy, useAdminStats } from "../data/admin.ts";
import { useCall } from "../data/call.ts";
import { useMe } from "../data/me.ts";
import { useOpenDirectReports, useDirectReports } from "../data/review-queues.ts";
import { adminPath, landingPath } from "../routes.ts";
import { CountBadge } from "../ui/display.tsx";
import { buttonClass, Button } from "../ui/button.tsx";
import { EmptyState, Loaded, showToast, Skeleton, ErrorNote } from "../ui/feedback.tsx";
import { Form, TextArea, useForm } from "../ui/form.tsx";
import { SettingsLayout } from "../ui/settings-layout.tsx";
import { AdminGroups } from "./admin-groups.tsx";
import { AdminHolds } from "./admin-holds.tsx";
import { AdminImports } from "./admin-imports.tsx";
import { AdminPlugins } from "./admin-plugins.tsx";
import { AdminJobs, AdminOverview } from "./admin-server.tsx";
import { AdminUsers, UserActionDialog } from "./admin-users.tsx";
import { LimitsForm, PolicyForm, SessionsForm } from "./access-forms.tsx";
import { AdminBranding } from "./branding-form.tsx";
import { Main } from "../ui/main.tsx";
import { AdminAuditLog } from "./admin-audit-log.tsx";
import { useUser } from "../data/people.ts";
import { CloseReport, ReportCard, ReportList } from "../groups/group-settings/reports/reports-part.tsx";
import { openDialog, openConfirm } from "../ui/open-dialog.tsx";
import { useAction } from "../shared/use-action.ts";

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
          <CountBadge count={openReports} label={t("groups:reports.open", { count: openReports })} />
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

/** The open reports of direct messages. */
function AdminReports() {
  const { t } = useTranslation("admin");
  const reports = useDirectReports();
  return (
    <ReportList reports={reports} hint={t("reports.hint")} noneText={t("reports.noneText")}>
      {(report) => <DirectReport report={report} />}
    </ReportList>
  );
}

function DirectReport({ report }: { report: Report }) {
  const { t } = useTranslation("admin");
  const call = useCall();
  const author = useUser(report.authorId);
  const close = async (outcome: ReportOutcome) => {
    await call("admin.closeReport", { reportId: report.id, outcome });
    showToast({ text: t("group-settings:reports.closed"), tone: "good" });
  };
  const disable = () =>
    openDialog((onClose) => (
      <UserActionDialog
        user={author!}
        userAction="disable"
        onDone={() => close("disabled")}
        onClose={onClose}
      />
    ));
  return (
    <ReportCard report={report} place={null}>
      <CloseReport report={report} onClose={close}>
        {author !== undefined && author.deleted !== true && (
          <Button size="sm" icon={UserX} onClick={disable}>
            {t("users.disable.menu")}
          </Button>
        )}
      </CloseReport>
    </ReportCard>
  );
}

function MaintenanceForm({ maintenance }: { maintenance: Maintenance }) {
  const { t } = useTranslation("admin");
  const call = useCall();
  const [message, setMessage] = useState(maintenance.message);
  const { busy, error, run } = useAction();
  const text = message.trim();
  const turnOn = () =>
    openConfirm({
      title: t("maintenance.confirmTitle"),
      children: t("maintenance.confirmText"),
      action: t("maintenance.turnOn"),
      danger: true,
      onConfirm: () => call("admin.setMaintenance", { enabled: true, ...(text !== "" && { message: text }) }),
    });
  if (maintenance.enabled) {
    return (
      <div className="grid gap-4 rounded-lg border border-line bg-warn-soft p-4">
        <p className="font-semibold text-warn-text">{t("maintenance.isOn")}</p>
        {maintenance.message !== "" && (
          <p className="wrap-anywhere whitespace-pre-wrap">{maintenance.message}</p>
        )}
        <ErrorNote text={error} />
        <div>
          <Button
            variant="primary"
            busy={busy}
            onClick={() => void run(() => call("admin.setMaintenance", { enabled: false }))}
          >
            {t("maintenance.turnOff")}
          </Button>
        </div>
      </div>
    );
  }
  return (
    <div className="grid gap-4">
      <TextArea
        label={t("maintenance.message")}
        hint={t("maintenance.messageHint")}
        maxLength={LIMITS.noticeMaxChars}
        value={message}
        onChange={setMessage}
      />
      <div>
        <Button variant="danger" onClick={turnOn}>
          {t("maintenance.turnOn")}
        </Button>
      </div>
    </div>
  );
}
