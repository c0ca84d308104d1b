import type { RunContext } from "../../cli/scenario.ts";
import { type FanfareOptions, type FanfareTarget, openFanfareTarget } from "./fanfare-target.ts";

/** Opens the platform to measure; closed when the command ends. Errors of its API go to the command's table. */
export async function openFanfare(
  { errors, signal, defer }: Pick<RunContext, "errors" | "signal" | "defer">,
  options: Omit<FanfareOptions, "onError">,
): Promise<FanfareTarget> {
  const onError = (code: string) => errors.add("api", code);
  const target = await openFanfareTarget({ ...options, onError }, signal);
  defer(() => target.close());
  return target;
}
