import type { MetricsStep } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useFormats } from "../../shared/use-formats.ts";

/** The same figures as the charts', newest first. */
export function MetricsTable({ steps }: { steps: readonly MetricsStep[] }) {
  const { t } = useTranslation("status");
  const { milliseconds, number, bytes, time } = useFormats();
  const orNothing = (value: number | undefined) => (value === undefined ? "–" : milliseconds(value));
  const columns: [name: string, of: (step: MetricsStep) => string][] = [
    ["p100", ({ fanoutMs }) => orNothing(fanoutMs?.p100)],
    ["p99", ({ fanoutMs }) => orNothing(fanoutMs?.p99)],
    ["p50", ({ fanoutMs }) => orNothing(fanoutMs?.p50)],
    [t("metrics.connections"), ({ connections }) => number(connections)],
    [t("metrics.messages"), ({ messagesPerSecond }) => number(messagesPerSecond)],
    [t("metrics.deliveries"), ({ deliveriesPerSecond }) => number(deliveriesPerSecond)],
    [t("metrics.eventLoop"), ({ eventLoopDelayMs }) => milliseconds(eventLoopDelayMs)],
    [t("metrics.memory"), ({ memoryBytes }) => bytes(memoryBytes)],
  ];
  return (
    // It scrolls by itself, so it must be reachable by keyboard.
    <div
      role="region"
      aria-label={t("metrics.table")}
      tabIndex={0}
      className="max-h-[70dvh] overflow-auto rounded-lg border border-line"
    >
      <table className="w-full text-right text-sm whitespace-nowrap tabular-nums">
        <thead className="sticky top-0 bg-raised">
          <tr className="border-b border-line">
            <th scope="col" className="px-3 py-2 text-left font-medium">
              {t("metrics.time")}
            </th>
            {columns.map(([name]) => (
              <th key={name} scope="col" className="px-3 py-2 font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {steps.toReversed().map((step) => (
            <tr key={step.endedAt} className="border-b border-line last:border-0">
              <th scope="row" className="px-3 py-1.5 text-left font-normal text-muted">
                {time(Date.parse(step.endedAt))}
              </th>
              {columns.map(([name, of]) => (
                <td key={name} className="px-3 py-1.5">
                  {of(step)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
