import type { ClusterSize } from "../../platform/cluster.ts";
import type { RunContext } from "../../cli/scenario.ts";
import { Api } from "./api.ts";
import { type FanfareTarget, openFanfareTarget } from "./fanfare-target.ts";

export interface FanfarePlace {
  /** A running platform; undefined: start one for this run. */
  url?: string | undefined;
  metricsUrl?: string | undefined;
  cluster?: ClusterSize | undefined;
  /** Concurrent registrations of guests. */
  registrations: number;
}

/** Opens the platform to measure; closed when the command ends. Errors of its API go to the command's table. */
export async function openFanfare(
  { errors, signal, defer }: Pick<RunContext, "errors" | "signal" | "defer">,
  { url, metricsUrl, cluster, registrations }: FanfarePlace,
): Promise<FanfareTarget> {
  const options = {
    urls: url === undefined ? [] : [url],
    metricsUrl,
    cluster,
    registrationConcurrency: registrations,
    onError: (code: string) => errors.add("api", code),
  };
  const target = await openFanfareTarget(options, signal);
  defer(() => target.close());
  return target;
}

/** Also opens a client of its API for `calls` concurrent calls. */
export async function openFanfareApi(
  context: Pick<RunContext, "errors" | "signal" | "defer">,
  place: FanfarePlace,
  calls: number,
): Promise<{ target: FanfareTarget; api: Api }> {
  const target = await openFanfare(context, place);
  const api = new Api(target.urls[0]!, calls, (code) => context.errors.add("api", code));
  context.defer(async () => api.close());
  return { target, api };
}
