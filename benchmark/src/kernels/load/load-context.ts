import type { ErrorTable } from "../broadcast/error-table.ts";
import type { Progress } from "../../report/progress.ts";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import type { LoadPlan } from "./load-plan.ts";
import type { LoadMeasurement } from "./load-result.ts";

/** The resources of a load command. */
export interface LoadContext {
  target: Pick<FanfareTarget, "name" | "urls" | "dialect" | "isThrowaway" | "usage">;
  plan: LoadPlan;
  progress: Progress;
  errors: ErrorTable;
  signal: AbortSignal;
}

export function describeTarget({ target }: LoadContext): LoadMeasurement["target"] {
  return { name: target.name, url: target.urls.join(", "), isThrowaway: target.isThrowaway };
}
