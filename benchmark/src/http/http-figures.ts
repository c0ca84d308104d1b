import { figures, type Figure } from "../report/figures.ts";
import type { HttpMeasurement } from "./http-result.ts";

/** Figures that are compared with other runs and published ones. */
export function httpFigures({ rates, percentiles, bytesPerMillion, counts }: HttpMeasurement): Figure[] {
  const at = (wanted: number) => percentiles?.find(({ percent }) => percent === wanted)?.ms ?? null;
  return figures({
    acknowledgedPerSecond: rates.acknowledgedPerSecond,
    acknowledgedPerCpuSecond: rates.acknowledgedPerCpuSecond,
    ackP50Ms: at(50),
    ackP90Ms: at(90),
    ackP99Ms: at(99),
    ackP100Ms: at(100),
    storedPerSecond: rates.storedPerSecond,
    bytesPerMillion,
    unstored: counts.behind,
  });
}
