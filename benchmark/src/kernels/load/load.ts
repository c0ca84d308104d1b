import type { RunTools } from "../../cli/scenario.ts";
import type { Result, SessionTokens } from "@fanfare/contract";
import { addressNeeds, checkLimits } from "../../cli/preflight.ts";
import { explain, type Api } from "../../targets/fanfare/api.ts";
import type { FanfareTarget } from "../../targets/fanfare/fanfare-target.ts";
import { registerAll, type RegistrationResult } from "../../targets/registration.ts";
import type { RequestLoop } from "../requests/request-threads.ts";

/** Options common to all load runs. Durations in milliseconds. */
export interface LoadPlan {
  loop: RequestLoop;
  /** Requests before the measured ones; never more than these. */
  warmUp: number;
  /** When an unanswered request times out, and when waiting for deliveries ends. */
  timeoutMs: number;
  payloadBytes: number;
  connecting: number;
  napMs: number;
  /** Threads that send, and threads for users who only receive. */
  sendingThreads: number;
  receivingThreads: number;
}

/** The resources of a load command. */
export interface LoadContext extends RunTools {
  target: Pick<
    FanfareTarget,
    "name" | "urls" | "dialect" | "isThrowaway" | "size" | "usage" | "cpuSeconds" | "api" | "openMeeting"
  >;
  plan: LoadPlan;
}

/** The participants. */
export interface LoadScene {
  /** Users, online or not. */
  users: number;
  /** Connections that send. */
  senders: number;
  /** All receiving connections, including those that send; 0: no one receives. */
  online: number;
  channels: number;
  /** The number of groups, and of members in each; null without groups. */
  groups: number | null;
  members: number | null;
}

/** A token that expires sooner than this is refreshed first. */
const MARGIN_MS = 60_000;

type Tokens = Pick<SessionTokens, "accessToken" | "accessTokenExpiresAt" | "refreshToken">;

/** API access that outlives one access token: a long run reads back after its end. */
export class Session {
  readonly #api: Pick<Api, "call">;
  #tokens: Tokens;
  /** Using a refresh token twice ends its session, so all callers wait for the same answer. */
  #refreshing: Promise<void> | undefined;

  constructor(api: Pick<Api, "call">, tokens: Tokens) {
    this.#api = api;
    this.#tokens = tokens;
  }

  async token(): Promise<string> {
    if (Date.parse(this.#tokens.accessTokenExpiresAt) - Date.now() < MARGIN_MS)
      await (this.#refreshing ??= this.#refresh());
    return this.#tokens.accessToken;
  }

  async #refresh(): Promise<void> {
    try {
      this.#tokens = await this.#api.call("user.refresh", { refreshToken: this.#tokens.refreshToken });
    } finally {
      this.#refreshing = undefined;
    }
  }
}

/** The tester's memory for each request, and for up to eight deliveries that share a byte. */
const BYTES_PER_REQUEST = 24;
/** The embedded database keeps stored messages in memory, with their indexes. */
const BYTES_PER_STORED_MESSAGE = 1024;

export interface LoadSize {
  /** Simultaneously open connections. */
  connections: number;
  /** Deliveries if nothing is lost. */
  deliveries: number;
}

/** @throws {ExitError} that says what to do if the run would fail halfway */
export async function checkLoad(
  url: string | undefined,
  { loop: { requests }, payloadBytes }: LoadPlan,
  { connections, deliveries }: LoadSize,
): Promise<void> {
  const isStoredHere = url === undefined && payloadBytes > 0;
  const stored = isStoredHere ? requests * (BYTES_PER_STORED_MESSAGE + payloadBytes) : 0;
  const furtherBytes = requests * BYTES_PER_REQUEST + deliveries / 8 + stored;
  checkLimits({ users: connections, messages: 0, kind: "light", furtherBytes, ...(await addressNeeds(url)) });
}

export interface SceneChannel {
  id: string;
  /** A user with access to the channel. */
  reader: Session;
  /** Connections that get its messages, ascending: first those that only receive, then those that send. */
  connections: Int32Array;
}

/** Users and channels created for a run, and who sends what where. */
export interface Scene {
  size: LoadScene;
  registration: RegistrationResult;
  /** Tokens of users who only receive: connection 0, 1, … */
  receivers: readonly string[];
  /** Tokens of users who send, and receive too. */
  senders: readonly string[];
  channels: readonly SceneChannel[];
  /** @param turn how many messages this sender has sent before, approximately */
  channelOf(sender: number, turn: number): number;
  /** Removes everything that can be removed from a running server. */
  remove(): Promise<void>;
}

/** @returns the tokens and the user */
export function createGuest({ target, signal }: LoadContext): Promise<Result<"user.createGuest">> {
  return target.api.call("user.createGuest", {}, undefined, signal);
}

/** Runs a task this many times, with limited concurrency, and shows the progress. */
export function doAll<T>(
  { plan, progress, signal }: LoadContext,
  label: string,
  count: number,
  work: (index: number) => Promise<T>,
): ReturnType<typeof registerAll<T>> {
  return registerAll({ label, count, concurrency: plan.connecting, progress, signal }, work).catch(explain);
}
