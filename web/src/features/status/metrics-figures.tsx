import type { Result } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { Figure } from "../../shared/figure.tsx";
import { useFormats } from "../../shared/use-formats.ts";

/** The newest step in figures. */
export function MetricsFigures({ metrics: { gateways, steps } }: { metrics: Result<"admin.metrics"> }) {
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
        note={slowest > 0 && t("metrics.slowestOfAll", { value: milliseconds(slowest) })}
      >
        {last.fanoutMs === null ? "–" : milliseconds(last.fanoutMs.p100)}
      </Figure>
    </dl>
  );
}
