import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useAdminMetrics } from "../../data/status.ts";
import { errorText } from "../../shared/error-text.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { MetricsCharts } from "./metrics-charts.tsx";
import { MetricsFigures } from "./metrics-figures.tsx";
import { MetricsTable } from "./metrics-table.tsx";

/** What all gateways did in the last ten minutes. */
export function MetricsPanel() {
  const { t } = useTranslation("status");
  const { data, error, refetch } = useAdminMetrics();
  const [asTable, setAsTable] = useState(false);
  return (
    <section aria-labelledby="status-metrics" className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="status-metrics" className="text-lg font-semibold">
          {t("metrics.title")}
        </h2>
        <Button size="sm" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? t("metrics.asCharts") : t("metrics.asTable")}
        </Button>
      </div>
      <ErrorNote text={error === null ? null : errorText(error)} onRetry={() => void refetch()} />
      {data === undefined && error === null && <Skeleton className="h-56 rounded-lg" />}
      {data?.steps.length === 0 && <EmptyState title={t("metrics.empty")} text={t("metrics.emptyText")} />}
      {data !== undefined && data.steps.length > 0 && (
        <>
          {data.silentGateways > 0 && (
            <p role="status" className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn-text">
              {t("metrics.silent", { count: data.silentGateways })}
            </p>
          )}
          <MetricsFigures metrics={data} />
          {asTable ? <MetricsTable steps={data.steps} /> : <MetricsCharts metrics={data} />}
        </>
      )}
    </section>
  );
}
