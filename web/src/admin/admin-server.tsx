import {
  Activity,
  BookOpen,
  ChevronRight,
  CircleCheck,
  Flag,
  HardDrive,
  Hourglass,
  type LucideIcon,
  RotateCcw,
  ServerOff,
  Trash2,
  Wrench,
} from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { useAdminStats, useDeadJobs } from "../data/admin.ts";
import { ADMIN_GUIDE, adminPath, statusPath } from "../routes.ts";
import { useFormats, dotted } from "../shared/formats.ts";
import { buttonClass, IconButton } from "../ui/button.tsx";
import { Skeleton, Pending, EmptyState, ErrorNote, showToast } from "../ui/feedback.tsx";
import type { DeadJob, Result } from "@fanfare/contract";
import { ON_OPEN, useActionQuery } from "../data/data-context.ts";
import { useLoaded } from "../data/store.ts";
import { openReportsOf } from "@fanfare/client/store";
import { cx } from "../ui/cx.ts";
import { AdminTrends } from "./admin-trends.tsx";
import { useCall } from "../data/call.ts";
import { useAction } from "../shared/use-action.ts";
import { dayAndTime } from "../shared/times.ts";
import { ListRow } from "../ui/list-row.tsx";
import { AdminList, Figure } from "./admin-parts.tsx";
import { LIMITS } from "@fanfare/contract/limits";

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
      {data !== undefined && <Attention stats={data} />}
      <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Figure name={t("overview.online")}>{countOf(data?.online)}</Figure>
        <Figure name={t("sections.users")}>{countOf(data?.users)}</Figure>
        <Figure name={t("common:groups")}>{countOf(data?.groups)}</Figure>
        <Figure name={t("overview.messages")}>{countOf(data?.messages)}</Figure>
      </dl>
      <AdminTrends />
      {data !== undefined && (
        <section aria-labelledby="admin-process" className="grid gap-3">
          <h2 id="admin-process" className="text-lg font-semibold">
            {t("overview.process")}
          </h2>
          <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
            <Figure name={t("overview.version")} note={`${t("overview.node")} ${data.process.nodeVersion}`}>
              {data.process.version}
            </Figure>
            <Figure name={t("overview.uptime")}>{duration(data.process.uptimeMs)}</Figure>
            <Figure name={t("overview.memory")}>{bytes(data.process.memoryBytes)}</Figure>
            <Figure
              name={t("overview.disk")}
              note={
                data.process.disk !== null &&
                t("overview.diskTotal", { total: bytes(data.process.disk.totalBytes) })
              }
            >
              {data.process.disk === null ? t("overview.unknown") : bytes(data.process.disk.freeBytes)}
            </Figure>
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

const LOW_DISK_SHARE = 0.1;
/** A tenth of a large disk still lasts for long. */
const LOW_DISK_BYTES = 20e9;

export function isDiskLow({ freeBytes, totalBytes }: Disk): boolean {
  return freeBytes < totalBytes * LOW_DISK_SHARE && freeBytes < LOW_DISK_BYTES;
}

type Disk = NonNullable<Result<"admin.stats">["process"]["disk"]>;

const CHECK_INTERVAL_MS = 30_000;

interface AttentionItem {
  text: string;
  icon: LucideIcon;
  href: string;
  isUrgent?: boolean;
}

/** What an admin should look at first. */
function Attention({ stats: { maintenance, process, ...counts } }: { stats: Result<"admin.stats"> }) {
  const { t } = useTranslation("admin");
  const { bytes, count } = useFormats();
  const reports = useLoaded("admin.getOpenReportCount", {}, (state) => openReportsOf(state, null));
  const openReports = reports.data ?? 0;
  const dead = useActionQuery("admin.listDeadJobs", {}, { ...ON_OPEN, refetchInterval: CHECK_INTERVAL_MS });
  const { jobs, nextJobId } = dead.data ?? { jobs: [], nextJobId: null };
  const { disk } = process;
  const isSilent = Object.values(counts).includes(null);
  const found: (AttentionItem | false)[] = [
    maintenance.enabled && {
      text: t("overview.inMaintenance"),
      icon: Wrench,
      href: adminPath("maintenance"),
    },
    disk !== null &&
      isDiskLow(disk) && {
        text: t("attention.disk", { free: bytes(disk.freeBytes), total: bytes(disk.totalBytes) }),
        icon: HardDrive,
        href: "#admin-process",
        isUrgent: true,
      },
    isSilent && { text: t("attention.silent"), icon: ServerOff, href: statusPath(), isUrgent: true },
    reports.error !== null && {
      text: t("attention.reportsUnchecked"),
      icon: Flag,
      href: adminPath("reports"),
    },
    openReports > 0 && {
      text: t("attention.reports", {
        count: openReports,
        reports: count(openReports) + (openReports < LIMITS.reportsCounted ? "" : "+"),
      }),
      icon: Flag,
      href: adminPath("reports"),
    },
    dead.isError && { text: t("attention.jobsUnchecked"), icon: Hourglass, href: adminPath("jobs") },
    jobs.length > 0 &&
      !dead.isError && {
        text: t("attention.jobs", {
          count: jobs.length,
          jobs: count(jobs.length) + (nextJobId === null ? "" : "+"),
        }),
        icon: Hourglass,
        href: adminPath("jobs"),
      },
  ];
  const items = found.filter((item) => item !== false);
  // Only then is it known that there is nothing.
  if (items.length === 0 && (reports.isPending || dead.isPending))
    return <Skeleton className="h-control rounded-lg" />;
  return (
    <section aria-labelledby="admin-attention" className="grid gap-2">
      <h2 id="admin-attention" className="text-lg font-semibold">
        {t("attention.title")}
      </h2>
      {items.length === 0 ? (
        <p className="flex items-center gap-2 text-muted">
          <CircleCheck size={18} aria-hidden className="shrink-0 text-good" />
          {t("attention.none")}
        </p>
      ) : (
        <ul className="grid divide-y divide-line overflow-hidden rounded-lg border border-line bg-raised">
          {items.map(({ text, icon: Icon, href, isUrgent }) => {
            // The browser scrolls to places on this page.
            const Anchor = href.startsWith("#") ? "a" : Link;
            return (
              <li key={href + text}>
                <Anchor
                  href={href}
                  className="flex min-h-11 items-center gap-3 px-4 py-2 -outline-offset-2 transition-colors hover:bg-hover"
                >
                  <Icon
                    size={18}
                    aria-hidden
                    className={cx("shrink-0", isUrgent === true ? "text-danger-text" : "text-warn-text")}
                  />
                  <span className="min-w-0 flex-1 wrap-anywhere">{text}</span>
                  <ChevronRight size={16} aria-hidden className="shrink-0 text-muted" />
                </Anchor>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}

/** Dead-lettered jobs, which an admin can retry or delete. */
export function AdminJobs() {
  const { t } = useTranslation("admin");
  const jobs = useDeadJobs();
  return (
    <AdminList
      hint={t("jobs.hint")}
      label={t("sections.jobs")}
      pages={jobs}
      empty={<EmptyState icon={Hourglass} title={t("jobs.none")} text={t("jobs.noneText")} />}
    >
      {(job) => <JobRow key={job.id} job={job} />}
    </AdminList>
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
      subtitle={dotted([dayAndTime(deadAt), t("jobs.tries", { count: tries })])}
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
