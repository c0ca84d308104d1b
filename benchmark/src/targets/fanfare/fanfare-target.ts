import type { Message } from "@fanfare/contract";
import { defaultGatewayThreads } from "@fanfare/kernel/gateway-threads";
import type { RunContext } from "../../cli/scenario.ts";
import { mapValues, sum } from "../../kernels/broadcast/percentiles.ts";
import { metricsUsage, readNatsTraffic, type NatsTraffic } from "../../kernels/broadcast/server-metrics.ts";
import { startCluster, startSingleInstance, type ClusterSize } from "../../platform/platform.ts";
import { count } from "../../report/format.ts";
import type { Progress } from "../../report/progress.ts";
import { withChannel, type ExistingUsers } from "../tokens.ts";
import type { Prepared, Sender, ServerUsage, Target } from "../target.ts";
import { Api, explain, openFanfareSender } from "./api.ts";
import { openMeeting, registerGuests, type Meeting } from "./meeting.ts";
import { tokensOf } from "./session.ts";

export interface FanfareOptions {
  /** Of a running platform; undefined: start one for this run. */
  url?: string | undefined;
  metricsUrl?: string | undefined;
  /** What to start without a URL; undefined: a single instance. */
  cluster?: ClusterSize | undefined;
  /** Of a single instance that is started; undefined: its default. */
  gatewayThreads?: number | undefined;
  /** Of a single instance that is started: the processors it runs on, as in `taskset --cpu-list`; default: all. */
  cores?: string;
  /** Concurrent registrations of members. */
  registrations: number;
  /** Of a running platform; default: new guests. */
  existing?: ExistingUsers | undefined;
  onError: (code: string) => void;
}

export type FanfareTarget = Awaited<ReturnType<typeof openFanfareTarget>>;

export async function openFanfareTarget(options: FanfareOptions, signal: AbortSignal) {
  const { url, metricsUrl, cluster, cores, registrations, onError } = options;
  const { gatewayThreads = defaultGatewayThreads() } = options;
  /** What was started for this run. */
  const platform =
    url !== undefined
      ? undefined
      : await (cluster ? startCluster(cluster, signal) : startSingleInstance(signal, gatewayThreads, cores));
  const urls = platform?.gateways.map((gateway) => gateway.url) ?? [url!];
  const metricsUrls =
    metricsUrl === undefined ? platform?.gateways.map((one) => one.metricsUrl) : [metricsUrl];
  const existing = options.existing && withChannel(options.existing, "fanfare");
  const api = new Api(urls[0]!, registrations, onError);
  /** The group of the run, which is removed with it. */
  let meeting: Meeting | undefined;
  let sender: Awaited<ReturnType<typeof openFanfareSender>> | undefined;

  /** Of all processes that were started for this run. */
  function usageOfProcesses() {
    const all = Object.values(platform?.usage() ?? {});
    if (all.length === 0) return null;
    return {
      rssBytes: sum(all.map((one) => one.rssBytes)),
      cpuSeconds: sum(all.map((one) => one.cpuSeconds)),
    };
  }

  const target = {
    name: "fanfare",
    dialect: "fanfare" as const,
    urls,
    platform,
    api,
    isThrowaway: platform !== undefined,
    size: cluster
      ? `${count(cluster.gateways, "gateway")}, ${count(cluster.workers, "worker")}`
      : `a single instance, ${count(gatewayThreads, "gateway thread")}`,
    /** The group of the run; available after `prepare`. */
    get meeting(): Meeting {
      return meeting!;
    },
    /** Creates the group of the run, which is removed with it. */
    async openMeeting(signal: AbortSignal): Promise<Meeting> {
      return (meeting = await openMeeting(api, signal));
    },
    async prepare(users: number, progress: Progress, signal: AbortSignal): Promise<Prepared> {
      if (existing)
        return { credentials: async () => existing.memberTokens.slice(0, users), registration: null };
      const work = { concurrency: registrations, progress, signal };
      const group = await target.openMeeting(signal);
      const { sessions, registration } = await registerGuests(api, [group.code], { count: users, ...work });
      // Memory left over from the registration would hide what connections take: start with a fresh server.
      await platform?.refresh(signal);
      return { credentials: () => tokensOf(sessions, work), registration };
    },
    async openSender(): Promise<Sender> {
      const [token, channelId] = existing
        ? [existing.senderToken, existing.channel]
        : [await meeting!.owner.token().catch(explain), meeting!.channelId];
      return (sender = await openFanfareSender(urls[0]!, token, channelId).catch(explain));
    },
    /** All messages of the channel in order. Only with the open sender can tokens of existing users have expired. */
    messages(): AsyncGenerator<Message> {
      return existing ? sender!.messages() : api.messages(meeting!.channelId, () => meeting!.owner.token());
    },
    async *contents() {
      for await (const { content } of target.messages()) yield content;
    },
    async usage(): Promise<ServerUsage | null> {
      const metrics = (await Promise.all((metricsUrls ?? []).map(metricsUsage))).filter(
        (one) => one !== null,
      );
      const ofProcesses = usageOfProcesses();
      if (metrics.length === 0) return ofProcesses && { ...ofProcesses, eventLoopMaxMs: null };
      const of = (key: keyof ServerUsage) => metrics.map((usage) => usage[key] ?? 0);
      return {
        rssBytes: sum(of("rssBytes")),
        cpuSeconds: sum(of("cpuSeconds")),
        eventLoopMaxMs: Math.max(...of("eventLoopMaxMs")),
        ...ofProcesses,
      };
    },
    async cpuSeconds(): Promise<number | null> {
      return (usageOfProcesses() ?? (await target.usage()))?.cpuSeconds ?? null;
    },
    cpuSecondsByKind(): Record<string, number> | null {
      // A single instance is one process, with its database as a child.
      const usage = platform && platform.workers > 0 ? platform.usage() : null;
      return usage && mapValues(usage, ({ cpuSeconds }) => cpuSeconds);
    },
    async natsTraffic(): Promise<NatsTraffic | null> {
      return platform?.natsMonitorUrl === undefined ? null : readNatsTraffic(platform.natsMonitorUrl);
    },
    async close(): Promise<void> {
      const group = meeting;
      meeting = undefined;
      // On a running server the group is deleted; guests can't be.
      if (group && !platform)
        await group.owner
          .token()
          .then((token) => api.call("group.delete", { groupId: group.groupId }, token))
          .catch((error: Error) => {
            process.stderr.write(`Could not delete the run's group (${error.message}).\n`);
          });
      api.close();
      await platform?.close();
    },
  };
  return target;
}

export function isFanfare(target: Target): target is FanfareTarget {
  return "messages" in target;
}

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
