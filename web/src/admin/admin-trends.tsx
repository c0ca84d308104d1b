import type { DayStats } from "@fanfare/contract";
import { ChartLine, Minus, TrendingDown, TrendingUp } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ON_OPEN, useActionQuery } from "../data/data-context.ts";
import { localeOf } from "../i18n/language.ts";
import { useFormats } from "../shared/formats.ts";
import { useNow } from "../shared/hooks.ts";
import { Button } from "../ui/button.tsx";
import { Segments } from "../ui/choices.tsx";
import { DataTable } from "./admin-parts.tsx";
import { EmptyState, Loaded, Skeleton } from "../ui/feedback.tsx";
import { LineChart } from "./status/chart/line-chart.tsx";

const TOTAL = { textKey: "admin:trends.total" };

const MEASURES: readonly {
  measure: Measure;
  textKey: string;
  lead?: { textKey: string };
}[] = [
  { measure: "messages", textKey: "admin:trends.messages", lead: TOTAL },
  {
    measure: "activeUsers",
    textKey: "admin:trends.activeUsers",
    lead: { textKey: "admin:trends.average" },
  },
  { measure: "newUsers", textKey: "admin:trends.newUsers", lead: TOTAL },
  { measure: "fileBytes", textKey: "admin:trends.fileBytes" },
];
const SPANS = { "30": 30, "90": 90 } as const;
type Span = keyof typeof SPANS;
const MAX_SPAN = 90;
/** So that yesterday appears on a page that stays open. */
const REFETCH_INTERVAL_MS = 10 * 60_000;

/** Messages, people and files per day, compared with the days before. */
export function AdminTrends() {
  const { t } = useTranslation("admin");
  const [span, setSpan] = useState<Span>("30");
  const [asTable, setAsTable] = useState(false);
  const trends = useActionQuery(
    "admin.getTrends",
    { days: 2 * MAX_SPAN },
    { ...ON_OPEN, refetchInterval: REFETCH_INTERVAL_MS },
  );
  const Content = asTable ? TrendTable : TrendCharts;
  return (
    <section aria-labelledby="admin-trends" className="grid gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <h2 id="admin-trends" className="me-auto text-lg font-semibold">
          {t("trends.title")}
        </h2>
        <div className="w-36">
          <Segments<Span>
            label={t("trends.period")}
            value={span}
            onChange={setSpan}
            options={(["30", "90"] as const).map((value) => ({
              value,
              label: t("trends.days", { days: SPANS[value] }),
            }))}
          />
        </div>
        <Button size="sm" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? t("status:metrics.asCharts") : t("status:metrics.asTable")}
        </Button>
      </div>
      <Loaded of={trends} placeholder={<Skeleton className="h-56 rounded-lg" />}>
        {({ days }) =>
          days.length === 0 ? (
            <EmptyState icon={ChartLine} title={t("trends.empty")} text={t("trends.emptyText")} />
          ) : (
            <Content days={days} span={SPANS[span]} />
          )
        }
      </Loaded>
    </section>
  );
}

interface TrendsProps {
  days: readonly DayStats[];
  span: number;
}

function TrendCharts({ days, span }: TrendsProps) {
  const { t } = useTranslation("admin");
  const { formatOf, formatDay } = useTrendFormats();
  const nowMs = useNow();
  const times = daysUntil(nowMs, span).map((day) => Date.parse(day));
  return (
    <div className="grid gap-3 lg:grid-cols-2">
      {MEASURES.map(({ measure, textKey, lead: { textKey: leadTextKey } = {} }) => {
        const trend = trendOf(days, measure, nowMs, span);
        const format = formatOf(measure);
        const value = trend.value === null ? t("overview.unknown") : format(Math.round(trend.value));
        const lead = trend.value === null || leadTextKey === undefined ? value : t(leadTextKey, { value });
        return (
          <LineChart
            key={measure}
            title={t(textKey)}
            lead={<Lead text={lead} change={trend.change} span={span} />}
            times={times}
            series={[
              { name: t("trends.now"), tone: "accent", values: trend.now },
              ...(trend.before.every((value) => value === null)
                ? []
                : [
                    {
                      name: t("trends.before"),
                      tone: "muted" as const,
                      values: trend.before,
                      isDashed: true,
                    },
                  ]),
            ]}
            maxSpanMs={times.at(-1)! - times[0]!}
            format={format}
            formatTime={formatDay}
            summary={`${t(textKey)}: ${lead}`}
          />
        );
      })}
    </div>
  );
}

/** The value of a period, and how it has changed. */
function Lead({ text, change, span }: { text: string; span: number } & Pick<Trend, "change">) {
  const { t } = useTranslation("admin");
  const { percent } = useTrendFormats();
  const Icon = change === null || Math.abs(change) < 0.005 ? Minus : change > 0 ? TrendingUp : TrendingDown;
  return (
    <p className="grid gap-0.5">
      <span className="text-xl font-semibold tabular-nums">{text}</span>
      <span className="flex items-center gap-1.5 text-sm text-muted">
        <Icon size={14} aria-hidden className="shrink-0" />
        {change === null
          ? t("trends.notComparable")
          : t("trends.change", { change: percent(change), days: span })}
      </span>
    </p>
  );
}

function TrendTable({ days, span }: TrendsProps) {
  const { t } = useTranslation("admin");
  const { formatDay } = useTrendFormats();
  const { bytes, count } = useFormats();
  const known = new Map(days.map((one) => [one.day, one]));
  const valueOf = (measure: Measure) => (day: string) => {
    const value = known.get(day)?.[measure] ?? null;
    return value === null ? "–" : (measure === "fileBytes" ? bytes : count)(value);
  };
  return (
    <DataTable
      label={t("trends.title")}
      columns={[
        [t("trends.day"), (day) => formatDay(Date.parse(day))],
        ...MEASURES.map(({ measure, textKey }) => [t(textKey), valueOf(measure)] as const),
      ]}
      rows={daysUntil(useNow(), span).toReversed()}
      keyOf={(day) => day}
    />
  );
}

function useTrendFormats() {
  const { i18n } = useTranslation();
  const { bytes, number } = useFormats();
  const locale = localeOf(i18n.language);
  // Days are counted in UTC.
  const day = new Intl.DateTimeFormat(locale, { month: "short", day: "numeric", timeZone: "UTC" });
  const percent = new Intl.NumberFormat(locale, {
    style: "percent",
    signDisplay: "exceptZero",
    maximumFractionDigits: 0,
  });
  return {
    formatOf: (measure: Measure) => (measure === "fileBytes" ? bytes : number),
    formatDay: (atMs: number) => day.format(atMs),
    percent: (share: number) => percent.format(share),
  };
}

type Measure = Exclude<keyof DayStats, "day">;

/** A measure in the last days, and in as many days before. */
interface Trend {
  /** Per day of the period, oldest first; null: not counted. */
  now: (number | null)[];
  before: (number | null)[];
  /** The total, average or last value; null: nothing was counted. */
  value: number | null;
  /** As a share of the value of the period before; null: that one isn't known. */
  change: number | null;
}

const DAY_MS = 86_400_000;

/** `span` days as ISO dates, the last of which ends `today`, oldest first. */
export function daysUntil(todayMs: number, span: number): string[] {
  const today = Math.floor(todayMs / DAY_MS);
  return Array.from({ length: span }, (_, index) =>
    new Date((today - span + index) * DAY_MS).toISOString().slice(0, 10),
  );
}

/** @param todayMs its day isn't over, so it isn't in the period */
export function trendOf(days: readonly DayStats[], measure: Measure, todayMs: number, span: number): Trend {
  const byDay = new Map(days.map((one) => [one.day, one[measure]]));
  const all = daysUntil(todayMs, 2 * span).map((day) => byDay.get(day) ?? null);
  const before = all.slice(0, span);
  const now = all.slice(span);
  const value = VALUE_OF[measure](now);
  const earlier = isComparable(measure, now, before) ? VALUE_OF[measure](before) : null;
  const change = value === null || earlier === null || earlier === 0 ? null : value / earlier - 1;
  return { now, before, value, change };
}

/** A total needs each day, an average the first day of the period before, and storage the last one. */
function isComparable(measure: Measure, now: Trend["now"], before: Trend["before"]): boolean {
  if (VALUE_OF[measure] === sum) return ![...before, ...now].includes(null);
  return (measure === "fileBytes" ? before.at(-1) : before[0]) !== null;
}

type ValueOf = (values: readonly (number | null)[]) => number | null;

const counted = (values: readonly (number | null)[]) => values.filter((value) => value !== null);

const sum: ValueOf = (values) => {
  const all = counted(values);
  return all.length === 0 ? null : all.reduce((total, value) => total + value, 0);
};

const average: ValueOf = (values) => {
  const total = sum(values);
  return total === null ? null : total / counted(values).length;
};

const VALUE_OF: Record<Measure, ValueOf> = {
  messages: sum,
  newUsers: sum,
  activeUsers: average,
  fileBytes: (values) => counted(values).at(-1) ?? null,
};
