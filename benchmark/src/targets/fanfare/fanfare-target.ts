import type { RunContext } from "../../cli/scenario.ts";
import { processUsage } from "../../kernels/broadcast/resource-use.ts";
import { metricsUsage, readNatsTraffic, type NatsTraffic } from "../../kernels/broadcast/server-metrics.ts";
import {
  startCluster,
  startSingleInstance,
  type ClusterSize,
  type Platform,
} from "../../platform/platform.ts";
import type { Progress } from "../../report/progress.ts";
import { withChannel, type ExistingUsers } from "../existing-users.ts";
import type { Prepared, Sender, ServerUsage, Target } from "../target.ts";
import { Api, explain, openFanfareSender } from "./api.ts";
import { openMeeting, registerGuests, type GroupAccess, type Meeting } from "./meeting.ts";

export interface FanfareOptions {
  /** Of a running platform; undefined: start one for this run. */
  url?: string | undefined;
  metricsUrl?: string | undefined;
  /** What to start without a URL; undefined: a single instance. */
  cluster?: ClusterSize | undefined;
  /** Of a single instance that is started; undefined: its default. */
  gatewayThreads?: number;
  /** Of a single instance that is started: the processors it runs on, as in `taskset --cpu-list`; default: all. */
  cores?: string;
  /** Concurrent registrations of members. */
  registrations: number;
  /** Of a running platform; default: new guests. */
  existing?: ExistingUsers | undefined;
  onError: (code: string) => void;
}

export async function openFanfareTarget(
  options: FanfareOptions,
  signal: AbortSignal,
): Promise<FanfareTarget> {
  if (options.url !== undefined) return new FanfareTarget(options, undefined);
  const { cluster, gatewayThreads, cores } = options;
  const platform = await (cluster
    ? startCluster(cluster, signal)
    : startSingleInstance(signal, gatewayThreads, cores));
  return new FanfareTarget(options, platform);
}

export class FanfareTarget implements Target {
  readonly name = "fanfare";
  readonly dialect = "fanfare";
  readonly urls: readonly string[];
  /** What was started for this run. */
  readonly platform: Platform | undefined;
  readonly api: Api;
  readonly #metricsUrls: readonly string[];
  readonly #concurrency: number;
  readonly #existing: (ExistingUsers & { channel: string }) | undefined;
  #meeting: Meeting | undefined;
  /** The group is of this run, and removed with it. */
  #isOwner = false;

  constructor(options: FanfareOptions, platform: Platform | undefined) {
    const { url, metricsUrl, existing, registrations } = options;
    this.platform = platform;
    this.urls = platform?.gateways.map((gateway) => gateway.url) ?? [url!];
    this.#metricsUrls =
      metricsUrl === undefined
        ? (platform?.gateways.map((gateway) => gateway.metricsUrl) ?? [])
        : [metricsUrl];
    this.#concurrency = registrations;
    this.#existing = existing && withChannel(existing, this.name);
    this.api = new Api(this.urls[0]!, registrations, options.onError);
  }

  get isThrowaway(): boolean {
    return this.platform !== undefined;
  }

  /** The group of the run; available after `prepare`. */
  get meeting(): Meeting {
    return this.#meeting!;
  }

  async prepare(count: number, progress: Progress, signal: AbortSignal): Promise<Prepared> {
    if (this.#existing)
      return { credentials: this.#existing.memberTokens.slice(0, count), registration: null };
    this.#meeting = await openMeeting(this.api, signal);
    this.#isOwner = true;
    const work = { count, concurrency: this.#concurrency, progress, signal };
    const { tokens, registration } = await registerGuests(this.api, this.#meeting, work);
    // Memory left over from the registration would hide what connections take: start with a fresh server.
    await this.platform?.refresh(signal);
    return { credentials: tokens, registration };
  }

  /** Continues with a group that exists: its owner logs in again, as access tokens expire. */
  async resume(access: GroupAccess, signal?: AbortSignal): Promise<void> {
    const { accessToken, accessTokenExpiresAt: expiresAt } = await this.api.call(
      "user.login",
      access.owner,
      undefined,
      signal,
    );
    this.#meeting = { code: "", ...access, ownerToken: accessToken, expiresAt };
  }

  openSender(): Promise<Sender> {
    const { token, channelId } = this.#place;
    return openFanfareSender(this.urls[0]!, token, channelId).catch(explain);
  }

  async countStored(isMeasured: (content: string) => boolean): Promise<number> {
    let stored = 0;
    await this.storedIds((content) => void (isMeasured(content) && stored++)).catch(explain);
    return stored;
  }

  /**
   * The ids of all messages of the channel in order.
   * @param onContent called with the text of each
   */
  async storedIds(onContent: (content: string) => void): Promise<string[]> {
    const ids: string[] = [];
    const { token, channelId } = this.#place;
    for await (const { id, content } of this.api.messages(channelId, () => token)) {
      ids.push(id);
      onContent(content);
    }
    return ids;
  }

  async usage(): Promise<ServerUsage | null> {
    const answers = await Promise.all(this.#metricsUrls.map(metricsUsage));
    const metrics = answers.filter((answer) => answer !== null);
    const process = this.#processUsage();
    if (metrics.length === 0 && !process) return null;
    const sum = (of: (usage: ServerUsage) => number | null) =>
      metrics.length === 0 ? null : metrics.reduce((total, usage) => total + (of(usage) ?? 0), 0);
    const worst = (of: (usage: ServerUsage) => number | null) =>
      metrics.length === 0 ? null : Math.max(...metrics.map((usage) => of(usage) ?? 0));
    return {
      rssBytes: sum((usage) => usage.rssBytes),
      cpuSeconds: sum((usage) => usage.cpuSeconds),
      eventLoopP99Ms: worst((usage) => usage.eventLoopP99Ms),
      eventLoopMaxMs: worst((usage) => usage.eventLoopMaxMs),
      ...process,
    };
  }

  async cpuSeconds(): Promise<number | null> {
    return (this.#processUsage() ?? (await this.usage()))?.cpuSeconds ?? null;
  }

  cpuSecondsByKind(): Record<string, number> | null {
    // A single instance is one process, with its database as a child.
    if (!this.platform || this.platform.workers === 0) return null;
    const byKind: Record<string, number> = {};
    for (const { name, pid } of this.platform.processes) {
      // gateway-2 is a gateway.
      const kind = name.replace(/-\d+$/, "");
      const usage = processUsage(pid);
      if (usage === null) return null;
      byKind[kind] = (byKind[kind] ?? 0) + usage.cpuSeconds;
    }
    return byKind;
  }

  async natsTraffic(): Promise<NatsTraffic | null> {
    const monitorUrl = this.platform?.natsMonitorUrl;
    return monitorUrl === undefined ? null : readNatsTraffic(monitorUrl);
  }

  async close(): Promise<void> {
    if (this.#meeting && this.#isOwner && !this.platform) await this.#leaveNothing(this.#meeting);
    this.#meeting = undefined;
    this.api.close();
    await this.platform?.close();
  }

  /** The user that sends, and the channel of all users. */
  get #place(): { token: string; channelId: string } {
    if (this.#existing) return { token: this.#existing.senderToken, channelId: this.#existing.channel };
    return { token: this.meeting.ownerToken, channelId: this.meeting.channelId };
  }

  /** Of all processes that were started for this run. */
  #processUsage(): { rssBytes: number; cpuSeconds: number } | null {
    if (!this.platform) return null;
    const all = this.platform.processes.map(({ pid }) => processUsage(pid));
    if (all.some((usage) => usage === null)) return null;
    const sum = (of: "rssBytes" | "cpuSeconds") => all.reduce((total, usage) => total + usage![of], 0);
    return { rssBytes: sum("rssBytes"), cpuSeconds: sum("cpuSeconds") };
  }

  /** On a running server the group is deleted; guests can't be. */
  async #leaveNothing(meeting: Meeting): Promise<void> {
    const remove = () =>
      this.api.call("group.delete", { groupId: meeting.groupId }, this.#meeting?.ownerToken);
    await remove()
      .catch(async () => {
        // The access token may have expired.
        await this.resume(meeting);
        await remove();
      })
      .catch((error: Error) => {
        process.stderr.write(`Could not delete the run's group (${error.message}).\n`);
      });
  }
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
