import { randomBytes } from "node:crypto";
import { metricsUsage } from "../../measure/prometheus.ts";
import { processUsage } from "../../measure/process-usage.ts";
import { connectError } from "../../exit.ts";
import type { Progress } from "../../report/progress.ts";
import { registerAll } from "../registration.ts";
import type { Prepared, Sender, ServerUsage, Target } from "../target.ts";
import { Api, ApiError } from "./api.ts";
import { openFanfareSender } from "./fanfare-sender.ts";
import { ThrowawayInstance } from "./throwaway-instance.ts";

const PAGE_ITEMS = 100;

export interface FanfareOptions {
  /** undefined: an instance of its own for this run. */
  url: string | undefined;
  metricsUrl: string | undefined;
  registrationConcurrency: number;
  onError: (code: string) => void;
}

/** The group that a run makes, and its owner, who sends. */
interface Meeting {
  ownerToken: string;
  groupId: string;
  channelId: string;
}

export async function openFanfareTarget(options: FanfareOptions, signal: AbortSignal): Promise<Target> {
  const instance = options.url === undefined ? await ThrowawayInstance.start(signal) : undefined;
  return new FanfareTarget(options, instance);
}

class FanfareTarget implements Target {
  readonly name = "fanfare";
  readonly dialect = "fanfare";
  readonly url: string;
  readonly isThrowaway: boolean;
  readonly #instance: ThrowawayInstance | undefined;
  readonly #metricsUrl: string | undefined;
  readonly #concurrency: number;
  readonly #api: Api;
  #meeting: Meeting | undefined;

  constructor(options: FanfareOptions, instance: ThrowawayInstance | undefined) {
    this.#instance = instance;
    this.isThrowaway = instance !== undefined;
    this.url = instance?.url ?? options.url!;
    this.#metricsUrl = options.metricsUrl ?? instance?.metricsUrl;
    this.#concurrency = options.registrationConcurrency;
    this.#api = new Api(this.url, options.registrationConcurrency, options.onError);
  }

  async prepare(count: number, progress: Progress, signal: AbortSignal): Promise<Prepared> {
    const { meeting, code } = await this.#meet(signal).catch(explain);
    this.#meeting = meeting;
    let done = 0;
    const register = async () => {
      const { accessToken } = await this.#api.call("user.createGuest", {}, undefined, signal);
      await this.#api.call("invite.accept", { code }, accessToken, signal);
      return accessToken;
    };
    const { users, result } = await progress
      .during(
        "registering guests",
        count,
        () => done,
        () => registerAll(count, this.#concurrency, register, () => done++),
      )
      .catch(explain);
    // What the registration left in memory would hide what the connections take: begin as one that has just started.
    await this.#instance?.restart(signal);
    return { credentials: users, registration: result };
  }

  openSender(): Promise<Sender> {
    const { ownerToken, channelId } = this.#meeting!;
    return openFanfareSender(this.url, ownerToken, channelId).catch(explain);
  }

  async countStored(isMeasured: (content: string) => boolean): Promise<number> {
    const { ownerToken, channelId } = this.#meeting!;
    let stored = 0;
    for (let after = 0; ;) {
      const { messages } = await this.#api.call(
        "message.list",
        { channelId, after, limit: PAGE_ITEMS },
        ownerToken,
      );
      stored += messages.filter((message) => isMeasured(message.content)).length;
      const last = messages.at(-1);
      if (!last || messages.length < PAGE_ITEMS) return stored;
      after = last.seq;
    }
  }

  async usage(): Promise<ServerUsage | null> {
    const metrics = this.#metricsUrl === undefined ? null : await metricsUsage(this.#metricsUrl);
    const process = this.#instance ? processUsage(this.#instance.pid) : null;
    if (!metrics && !process) return null;
    return {
      rssBytes: null,
      cpuSeconds: null,
      eventLoopP99Ms: null,
      eventLoopMaxMs: null,
      ...metrics,
      ...process,
    };
  }

  async cpuSeconds(): Promise<number | null> {
    const own = this.#instance && processUsage(this.#instance.pid);
    return own ? own.cpuSeconds : ((await this.usage())?.cpuSeconds ?? null);
  }

  async close(): Promise<void> {
    if (this.#meeting && !this.#instance) await this.#leaveNothing(this.#meeting);
    this.#meeting = undefined;
    this.#api.close();
    await this.#instance?.stop();
  }

  async #meet(signal: AbortSignal): Promise<{ meeting: Meeting; code: string }> {
    const name = `bench-${randomBytes(6).toString("hex")}`;
    const password = randomBytes(18).toString("base64url");
    const owner = await this.#api.call("user.register", { username: name, password }, undefined, signal);
    const ownerToken = owner.accessToken;
    const { group, channels } = await this.#api.call("group.create", { name }, ownerToken, signal);
    const channelId = channels[0]!.id;
    const { invite } = await this.#api.call("invite.create", { groupId: group.id }, ownerToken, signal);
    return { meeting: { ownerToken, groupId: group.id, channelId }, code: invite.code };
  }

  /** On somebody's server the group goes; the guests stay, as guests do. */
  async #leaveNothing({ groupId, ownerToken }: Meeting): Promise<void> {
    await this.#api.call("group.delete", { groupId }, ownerToken).catch((error: Error) => {
      process.stderr.write(`The group of this run could not be deleted (${error.message}).\n`);
    });
  }
}

const ADVICE: Record<string, string | undefined> = {
  RATE_LIMITED: " The server limits the rate: start it with RATE_LIMIT_FACTOR=1000 for a test.",
  ECONNREFUSED: ". Nothing listens there: start the server first, or leave --url out.",
};

function explain(error: unknown): never {
  if (!(error instanceof ApiError)) throw error;
  throw connectError(`${error.message}${ADVICE[error.code] ?? ""}`);
}
