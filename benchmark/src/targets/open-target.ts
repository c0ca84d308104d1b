import { openBareTarget } from "./bare/bare-target.ts";
import { openFanfareTarget, type FanfareOptions } from "./fanfare/fanfare-target.ts";
import type { Target, TargetName } from "./target.ts";

export function openTarget(name: TargetName, options: FanfareOptions, signal: AbortSignal): Promise<Target> {
  return name === "fanfare" ? openFanfareTarget(options, signal) : openBareTarget(name, options.urls);
}
