import { LIMITS, type Result } from "@fanfare/contract";
import type { Handler } from "@fanfare/kernel";
import type { AdminDependencies } from "../admin.dependencies.ts";
import { mergeSteps } from "../merge-steps.ts";

type Metrics = Result<"admin.metrics">;

/** Several admins may look at once. */
const MAX_AGE_MS = 1000;
/** A gateway that hangs must not hide the others. */
const TIMEOUT_MS = 2000;

export function metrics({ node }: AdminDependencies): Handler<"admin.metrics"> {
  let asked: Promise<Metrics> | undefined;
  let askedAtMs = 0;
  const ask = async (): Promise<Metrics> => {
    const { answers, silent } = await node.callEach("gateway.getSteps", {}, TIMEOUT_MS);
    return {
      stepMs: LIMITS.metricsStepMs,
      gateways: answers.length,
      silentGateways: silent,
      steps: mergeSteps(answers),
    };
  };
  return () => {
    const nowMs = Date.now();
    if (asked === undefined || nowMs - askedAtMs > MAX_AGE_MS) {
      asked = ask();
      askedAtMs = nowMs;
    }
    return asked;
  };
}
