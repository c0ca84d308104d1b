import type { ConnectionState } from "@fanfare/client";
import { useTranslation } from "react-i18next";
import { useConnectionState } from "../../data/connection.ts";
import { useServerStatus } from "../../data/status.ts";
import { errorText } from "../../shared/error-text.ts";
import { cx } from "../../ui/cx.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { LineChart } from "./chart/line-chart.tsx";
import { Figure } from "../../shared/figure.tsx";
import { middleOf } from "./middle-of.ts";
import { useFormats } from "../../shared/use-formats.ts";

const MINUTES = 10;

const DOT: Record<ConnectionState, string> = {
  online: "bg-good",
  connecting: "bg-warn",
  reconnecting: "bg-warn",
  offline: "bg-danger",
  closed: "bg-danger",
};

/** The connection of this browser, how fast it is, and which server is at its other end. */
export function ConnectionFigures() {
  const { t } = useTranslation("status");
  const state = useConnectionState();
  const { data, error, refetch } = useServerStatus();
  const { milliseconds, duration, time } = useFormats();
  const durations = (data?.roundTrips ?? []).map(({ durationMs }) => durationMs);
  const last = durations.at(-1);
  return (
    <section aria-labelledby="status-connection" className="grid gap-3">
      <h2 id="status-connection" className="text-lg font-semibold">
        {t("connection.title")}
      </h2>
      <ErrorNote text={error === null ? null : errorText(error)} onRetry={() => void refetch()} />
      <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Figure name={t("connection.state")}>
          <span aria-hidden className={cx("size-2.5 shrink-0 rounded-full", DOT[state])} />
          <span role="status">{t(`connection.states.${state}`)}</span>
        </Figure>
        <Figure
          name={t("connection.roundTrip")}
          note={durations.length >= 5 && t("connection.middle", { value: milliseconds(middleOf(durations)) })}
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
          formatTime={time}
          summary={t("connection.summary", {
            last: milliseconds(last),
            highest: milliseconds(Math.max(...durations)),
          })}
        />
      )}
    </section>
  );
}
