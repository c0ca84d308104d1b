import type { CapacityAttempt, CapacitySearch } from "../capacity/capacity-result.ts";
import { clusterRows } from "../measure/cluster-figures.ts";
import { limitFigures, limitRatios } from "../measure/limit-figures.ts";
import { sweepRows } from "../measure/sweep-figures.ts";
import { RESULT_VERSION, type Result } from "./result.ts";

/**
 * A stored result in the current version. In version 1 the figures of limits, sweep and cluster have the median as p100Ms, and
 * no worst message: they are rebuilt from the passes.
 * @throws {Error} for an unknown version
 */
export function inCurrentVersion(stored: Result): Result {
  const version: number = stored.version;
  if (version === RESULT_VERSION) return stored;
  if (version !== 1) {
    throw new Error(
      `it has version ${String(version)}, but this tester reads versions 1 and ${RESULT_VERSION}`,
    );
  }
  return rebuilt({ ...stored, version: RESULT_VERSION });
}

function rebuilt(result: Result): Result {
  switch (result.command) {
    case "limits": {
      const figures = limitFigures(result.passes);
      return { ...result, figures, ratios: limitRatios(figures) };
    }
    case "sweep":
      return { ...result, rows: sweepRows(result.passes) };
    case "cluster": {
      const gatewaysOf = (label: string) => result.rows.find((row) => row.label === label)?.gateways ?? null;
      return { ...result, rows: clusterRows(result.passes, gatewaysOf) };
    }
    case "capacity":
      return { ...result, searches: result.searches.map(rebuiltSearch) };
    default:
      return result;
  }
}

function rebuiltSearch(search: CapacitySearch): CapacitySearch {
  const { held, failed, attempts } = search;
  return {
    ...search,
    held: held && rebuiltAttempt(held),
    failed: failed && rebuiltAttempt(failed),
    attempts: attempts.map(rebuiltAttempt),
  };
}

/** Only the worst message was stored, as p100Ms. */
function rebuiltAttempt(stored: CapacityAttempt & { p100Ms?: number | null }): CapacityAttempt {
  const { p100Ms = null, ...attempt } = stored;
  return { ...attempt, worstMs: p100Ms, medianMs: null, firstMs: null, coldMs: null };
}
