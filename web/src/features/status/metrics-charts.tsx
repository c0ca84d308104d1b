import type { MetricsStep, Result } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { LineChart, type Series } from "./chart/line-chart.tsx";
import { useFormats } from "../../shared/use-formats.ts";

const SPAN_MS = 10 * 60_000;

/** The last ten minutes as lines, the fan-out first. */
export function MetricsCharts({ metrics: { steps } }: { metrics: Result<"admin.metrics"> }) {
  const { t } = useTranslation("status");
  const { milliseconds, number, bytes, time } = useFormats();
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
        formatTime={time}
        summary={
          last === undefined
            ? t("metrics.nothing", { title })
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
