import { Activity, BookOpen } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { useAdminStats } from "../data/admin.ts";
import { ADMIN_GUIDE, adminPath, statusPath } from "../routes.ts";
import { Figure } from "../shared/figure.tsx";
import { useFormats } from "../shared/formats.ts";
import { buttonClass } from "../ui/button.tsx";
import { Skeleton, Pending } from "../ui/feedback.tsx";

export function AdminOverview() {
  const { t } = useTranslation("admin");
  const stats = useAdminStats();
  const { data } = stats;
  const { count, bytes, duration } = useFormats();
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
        <Figure name={t("overview.users")}>{countOf(data?.users)}</Figure>
        <Figure name={t("overview.groups")}>{countOf(data?.groups)}</Figure>
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
            {t("overview.services", { services: data.process.services.join(", ") })}
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
