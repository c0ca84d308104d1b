import type { DeadJob } from "@fanfare/contract";
import { Hourglass, RotateCcw, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useDeadJobs } from "../data/admin.ts";
import { useCall } from "../data/call.ts";
import { useAction } from "../shared/use-action.ts";
import { dayAndTime } from "../shared/times.ts";
import { EmptyState, ErrorNote, showToast } from "../ui/feedback.tsx";
import { IconButton } from "../ui/button.tsx";
import { ListRow } from "../ui/list-row.tsx";
import { AdminList } from "./admin-list.tsx";

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
            label={t("jobs.delete", { name })}
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
