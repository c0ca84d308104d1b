import { Activity, BookOpen, Hourglass, RotateCcw, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { useAdminStats, useDeadJobs } from "../data/admin.ts";
import { ADMIN_GUIDE, adminPath, statusPath } from "../routes.ts";
import { useFormats } from "../shared/formats.ts";
import { buttonClass, IconButton, Button } from "../ui/button.tsx";
import { Skeleton, Pending, EmptyState, ErrorNote, showToast } from "../ui/feedback.tsx";
import type { DeadJob, Maintenance } from "@fanfare/contract";
import { useCall } from "../data/call.ts";
import { useAction } from "../shared/use-action.ts";
import { dayAndTime } from "../shared/times.ts";
import { ListRow } from "../ui/list-row.tsx";
import { AdminList, Figure } from "./admin-parts.tsx";
import { LIMITS } from "@fanfare/contract/limits";
import { useState } from "react";
import { openConfirm } from "../ui/open-dialog.tsx";
import { TextArea } from "../ui/form.tsx";

export function AdminOverview() {
  const { t } = useTranslation("admin");
  const stats = useAdminStats();
  const { data } = stats;
  const { count, bytes, duration, list } = useFormats();
  const countOf = (amount: number | null | undefined) => {
    if (data === undefined) return <Skeleton className="h-5 w-16" />;
    return typeof amount === "number" ? (
      count(amount)
    ) : (
      <span className="text-muted">{t("overview.unknown")}</span>
    );
  };
  return (
    <>
      <Pending of={stats}>{null}</Pending>
      {data?.maintenance.enabled === true && (
        <p role="status" className="rounded-md bg-warn-soft px-3 py-2 text-warn-text">
          {t("overview.inMaintenance")}{" "}
          <Link href={adminPath("maintenance")} className="font-medium underline">
            {t("overview.turnOffMaintenance")}
          </Link>
        </p>
      )}
      <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Figure name={t("overview.online")}>{countOf(data?.online)}</Figure>
        <Figure name={t("sections.users")}>{countOf(data?.users)}</Figure>
        <Figure name={t("common:groups")}>{countOf(data?.groups)}</Figure>
        <Figure name={t("overview.messages")}>{countOf(data?.messages)}</Figure>
      </dl>
      {data !== undefined && (
        <section aria-labelledby="admin-process" className="grid gap-3">
          <h2 id="admin-process" className="text-lg font-semibold">
            {t("overview.process")}
          </h2>
          <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
            <Figure name={t("overview.version")}>{data.process.version}</Figure>
            <Figure name={t("overview.node")}>{data.process.nodeVersion}</Figure>
            <Figure name={t("overview.memory")}>{bytes(data.process.memoryBytes)}</Figure>
            <Figure name={t("overview.uptime")}>{duration(data.process.uptimeMs)}</Figure>
          </dl>
          <p className="text-sm text-muted">
            {t("overview.services", { services: list(data.process.services) })}
          </p>
          <p className="flex flex-wrap gap-2">
            <Link href={statusPath()} className={buttonClass()}>
              <Activity size={16} aria-hidden />
              {t("overview.liveMetrics")}
            </Link>
            <a href={ADMIN_GUIDE} target="_blank" rel="noopener" className={buttonClass()}>
              <BookOpen size={16} aria-hidden />
              {t("overview.guide")}
            </a>
          </p>
        </section>
      )}
    </>
  );
}

/** Dead-lettered jobs, which an admin can retry or delete. */
export function AdminJobs() {
  const { t } = useTranslation("admin");
  const jobs = useDeadJobs();
  return (
    <>
      <p className="text-muted">{t("jobs.hint")}</p>
      <AdminList
        label={t("sections.jobs")}
        pages={jobs}
        empty={<EmptyState icon={Hourglass} title={t("jobs.none")} text={t("jobs.noneText")} />}
      >
        {(job) => <JobRow key={job.id} job={job} />}
      </AdminList>
    </>
  );
}

function JobRow({ job: { id, kind, key, tries, lastError, deadAt } }: { job: DeadJob }) {
  const { t } = useTranslation("admin");
  const call = useCall();
  const { busy, error, run } = useAction();
  const name = key === "" ? kind : `${kind} ${key}`;
  const act = async (action: "admin.retryJob" | "admin.deleteJob", done: string): Promise<void> => {
    if (await run(() => call(action, { jobId: id }))) showToast({ text: done, tone: "good" });
  };
  return (
    <ListRow
      title={name}
      subtitle={[dayAndTime(deadAt), t("jobs.tries", { count: tries })].join(" · ")}
      trailing={
        <>
          <IconButton
            icon={RotateCcw}
            label={t("jobs.retry", { name })}
            tooltipSide="left"
            disabled={busy}
            onClick={() => void act("admin.retryJob", t("jobs.retried"))}
          />
          <IconButton
            icon={Trash2}
            label={t("groups.delete.of", { name })}
            variant="danger"
            tooltipSide="left"
            disabled={busy}
            onClick={() => void act("admin.deleteJob", t("jobs.deleted"))}
          />
        </>
      }
    >
      <p className="px-2 pb-1.5 font-mono text-sm wrap-anywhere text-muted">{lastError}</p>
      <ErrorNote text={error} />
    </ListRow>
  );
}

export function MaintenanceForm({ maintenance }: { maintenance: Maintenance }) {
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
