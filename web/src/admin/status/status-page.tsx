import type { ConnectionState } from "@fanfare/client";
import type { MetricsStep, Result } from "@fanfare/contract";
import { Activity } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useConnectionState } from "../../data/data-context.ts";
import { useMe } from "../../data/me.ts";
import { useAdminMetrics, useServerStatus } from "../../data/admin.ts";
import { useFormats } from "../../shared/formats.ts";
import { clockTime } from "../../shared/times.ts";
import { Button } from "../../ui/button.tsx";
import { cx } from "../../ui/cx.ts";
import { DataTable, Figure } from "../admin-parts.tsx";
import { EmptyState, Loaded, Pending, Skeleton } from "../../ui/feedback.tsx";
import { PageHeader } from "../../app/shell/page-header.tsx";
import { LineChart, type Series } from "./chart/line-chart.tsx";

const SPAN_MS = 10 * 60_000;

const MINUTES = 10;

const DOT: Record<ConnectionState, string> = {
  online: "bg-good",
  connecting: "bg-warn",
  reconnecting: "bg-warn",
  offline: "bg-danger",
  closed: "bg-danger",
};

export function StatusPage() {
  const { t } = useTranslation("status");
  const { admin } = useMe();
  return (
    <>
      <PageHeader icon={Activity} title={t("title")} />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto grid max-w-5xl gap-8 px-4 py-5 pb-[calc(env(safe-area-inset-bottom)+1.25rem)] md:px-8 md:py-7">
          <ConnectionFigures />
          {admin && <MetricsPanel />}
        </div>
      </div>
    </>
  );
}

function ConnectionFigures() {
  const { t } = useTranslation("status");
  const state = useConnectionState();
  const status = useServerStatus();
  const { data } = status;
  const { milliseconds, duration } = useFormats();
  const durations = (data?.roundTrips ?? []).map(({ durationMs }) => durationMs);
  const last = durations.at(-1);
  return (
    <section aria-labelledby="status-connection" className="grid gap-3">
      <h2 id="status-connection" className="text-lg font-semibold">
        {t("connection.title")}
      </h2>
      <Pending of={status}>{null}</Pending>
      <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Figure name={t("connection.state")}>
          <span aria-hidden className={cx("size-2.5 shrink-0 rounded-full", DOT[state])} />
          <span role="status">{t(`connection.states.${state}`)}</span>
        </Figure>
        <Figure
          name={t("connection.roundTrip")}
          note={durations.length >= 5 && t("connection.median", { value: milliseconds(medianOf(durations)) })}
        >
          {last === undefined ? <Skeleton className="h-5 w-16" /> : milliseconds(last)}
        </Figure>
        <Figure name={t("connection.version")}>{data?.version ?? <Skeleton className="h-5 w-16" />}</Figure>
        <Figure name={t("connection.uptime")}>
          {data === undefined ? <Skeleton className="h-5 w-24" /> : duration(data.uptimeMs)}
        </Figure>
      </dl>
      {data !== undefined && last !== undefined && durations.length > 1 && (
        <LineChart
          title={t("connection.roundTrips")}
          hint={t("connection.roundTripHint")}
          times={data.roundTrips.map(({ atMs }) => atMs)}
          series={[{ name: t("connection.roundTrip"), tone: "accent", values: durations }]}
          maxSpanMs={MINUTES * 60_000}
          format={milliseconds}
          formatTime={chartTime}
          summary={t("connection.summary", {
            last: milliseconds(last),
            highest: milliseconds(Math.max(...durations)),
          })}
        />
      )}
    </section>
  );
}

function MetricsPanel() {
  const { t } = useTranslation("status");
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
      <Loaded of={useAdminMetrics()} placeholder={<Skeleton className="h-56 rounded-lg" />}>
        {(metrics) =>
          metrics.steps.length === 0 ? (
            <EmptyState title={t("metrics.empty")} text={t("metrics.emptyText")} />
          ) : (
            <>
              {metrics.silentGateways > 0 && (
                <p role="status" className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn-text">
                  {t("metrics.unresponsive", { count: metrics.silentGateways })}
                </p>
              )}
              <MetricsFigures metrics={metrics} />
              {asTable ? <MetricsTable steps={metrics.steps} /> : <MetricsCharts metrics={metrics} />}
            </>
          )
        }
      </Loaded>
    </section>
  );
}

function MetricsFigures({ metrics: { gateways, steps } }: { metrics: Result<"admin.metrics"> }) {
  const { t } = useTranslation("status");
  const { milliseconds, number } = useFormats();
  const last = steps.at(-1);
  if (last === undefined) return null;
  const slowest = steps.reduce((highest, { fanoutMs }) => Math.max(highest, fanoutMs?.p100 ?? 0), 0);
  return (
    <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Figure name={t("metrics.connections")} note={t("metrics.gateways", { count: gateways })}>
        {number(last.connections)}
      </Figure>
      <Figure name={t("metrics.messages")}>{number(last.messagesPerSecond)}</Figure>
      <Figure name={t("metrics.deliveries")}>{number(last.deliveriesPerSecond)}</Figure>
      <Figure
        name={t("metrics.slowest")}
        note={slowest > 0 && t("metrics.slowestMax", { value: milliseconds(slowest) })}
      >
        {last.fanoutMs === null ? "–" : milliseconds(last.fanoutMs.p100)}
      </Figure>
    </dl>
  );
}

function MetricsCharts({ metrics: { steps } }: { metrics: Result<"admin.metrics"> }) {
  const { t } = useTranslation("status");
  const { milliseconds, number, bytes } = useFormats();
  const times = steps.map(({ endedAt }) => Date.parse(endedAt));

  const chart = (
    title: string,
    format: (value: number) => string,
    series: readonly Series[],
    hint?: string,
  ) => {
    const values = series[0]!.values.filter((value) => value !== null);
    const last = values.at(-1);
    return (
      <LineChart
        title={title}
        {...(hint !== undefined && { hint })}
        times={times}
        series={series}
        maxSpanMs={SPAN_MS}
        format={format}
        formatTime={chartTime}
        summary={
          last === undefined
            ? t("metrics.noData", { title })
            : t("metrics.summary", { title, last: format(last), highest: format(Math.max(...values)) })
        }
      />
    );
  };
  const one = (title: string, format: (value: number) => string, of: (step: MetricsStep) => number) =>
    chart(title, format, [{ name: t("metrics.now"), tone: "accent", values: steps.map(of) }]);
  const fanout = (part: "p50" | "p99" | "p100") => steps.map(({ fanoutMs }) => fanoutMs?.[part] ?? null);

  return (
    <div className="grid gap-3">
      {chart(
        t("metrics.fanout"),
        milliseconds,
        [
          { name: "p100", tone: "accent", values: fanout("p100") },
          { name: "p99", tone: "info", values: fanout("p99") },
          { name: "p50", tone: "muted", values: fanout("p50") },
        ],
        t("metrics.fanoutHint"),
      )}
      <div className="grid gap-3 lg:grid-cols-2">
        {one(t("metrics.connections"), number, ({ connections }) => connections)}
        {one(t("metrics.messages"), number, ({ messagesPerSecond }) => messagesPerSecond)}
        {one(t("metrics.deliveries"), number, ({ deliveriesPerSecond }) => deliveriesPerSecond)}
        {one(t("metrics.eventLoop"), milliseconds, ({ eventLoopDelayMs }) => eventLoopDelayMs)}
        {one(t("metrics.memory"), bytes, ({ memoryBytes }) => memoryBytes)}
      </div>
    </div>
  );
}

export function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

function MetricsTable({ steps }: { steps: readonly MetricsStep[] }) {
  const { t } = useTranslation("status");
  const { milliseconds, number, bytes } = useFormats();
  const orNothing = (value: number | undefined) => (value === undefined ? "–" : milliseconds(value));
  return (
    <DataTable<MetricsStep>
      label={t("metrics.table")}
      columns={[
        [t("metrics.time"), ({ endedAt }) => chartTime(Date.parse(endedAt))],
        ["p100", ({ fanoutMs }) => orNothing(fanoutMs?.p100)],
        ["p99", ({ fanoutMs }) => orNothing(fanoutMs?.p99)],
        ["p50", ({ fanoutMs }) => orNothing(fanoutMs?.p50)],
        [t("metrics.connections"), ({ connections }) => number(connections)],
        [t("metrics.messages"), ({ messagesPerSecond }) => number(messagesPerSecond)],
        [t("metrics.deliveries"), ({ deliveriesPerSecond }) => number(deliveriesPerSecond)],
        [t("metrics.eventLoop"), ({ eventLoopDelayMs }) => milliseconds(eventLoopDelayMs)],
        [t("metrics.memory"), ({ memoryBytes }) => bytes(memoryBytes)],
      ]}
      rows={steps.toReversed()}
      keyOf={({ endedAt }) => endedAt}
    />
  );
}

/** Short enough for a chart's axis. */
function chartTime(atMs: number): string {
  return clockTime(atMs, atMs % 60_000 === 0 ? "time" : "seconds");
}
