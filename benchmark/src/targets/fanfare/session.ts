import { setTimeout as sleep } from "node:timers/promises";
import type { SessionTokens } from "@fanfare/contract";
import { Progress } from "../../report/progress.ts";
import { registerAll, type Work } from "../registration.ts";
import { explain, type Api } from "./api.ts";

/** A token that expires sooner than this is refreshed first: connecting everyone takes a while. */
const MARGIN_MS = 300_000;
/** How often tokens in use are checked. */
const CHECK_MS = 60_000;
/** Few, because they are refreshed while requests are measured. */
const REFRESHES_AT_ONCE = 4;

type Tokens = Pick<SessionTokens, "accessToken" | "accessTokenExpiresAt" | "refreshToken">;

/** API access that outlives one access token: a long run reads back after its end, and connects again. */
export class Session {
  readonly #api: Pick<Api, "call">;
  #tokens: Tokens;
  /** Using a refresh token twice ends its session, so all callers wait for the same answer. */
  #refreshing: Promise<void> | undefined;

  constructor(api: Pick<Api, "call">, tokens: Tokens) {
    this.#api = api;
    this.#tokens = tokens;
  }

  get isExpiring(): boolean {
    return Date.parse(this.#tokens.accessTokenExpiresAt) - Date.now() < MARGIN_MS;
  }

  async token(): Promise<string> {
    if (this.isExpiring) await (this.#refreshing ??= this.#refresh());
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

/**
 * Access tokens that are valid for some minutes. Shows no progress: it can be a part of another step.
 * @throws {ExitError} with the error of the first session that could not be refreshed
 */
export async function tokensOf(
  sessions: readonly Session[],
  work: Pick<Work, "concurrency" | "signal">,
): Promise<string[]> {
  const expiring = sessions.filter(({ isExpiring }) => isExpiring);
  const { concurrency, signal } = work;
  const progress = new Progress(false);
  const all = { label: "refreshing tokens", count: expiring.length, concurrency, progress, signal };
  if (expiring.length > 0) await registerAll(all, (i) => expiring[i]!.token()).catch(explain);
  return Promise.all(sessions.map((session) => session.token()));
}

/**
 * Refreshes tokens in use when they are about to expire, until the signal is aborted.
 * @param use is passed the tokens of all sessions, in their order
 */
export async function keepValid(
  sessions: readonly Session[],
  use: (tokens: string[]) => void,
  signal: AbortSignal,
  everyMs = CHECK_MS,
): Promise<void> {
  const work = { concurrency: REFRESHES_AT_ONCE, signal };
  while (await sleep(everyMs, true, { signal, ref: false }).catch(() => false)) {
    if (!sessions.some(({ isExpiring }) => isExpiring)) continue;
    // Tried again before they expire; rejections of expired tokens are counted.
    await tokensOf(sessions, work).then(use, () => {});
  }
}
