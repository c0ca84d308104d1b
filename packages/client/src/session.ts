import type { SessionTokens } from "@fanfare/contract";
import { endsSession, FanfareError } from "./errors.ts";

/** Tokens are renewed this long before they expire, so that none expires on its way. */
const EXPIRY_MARGIN_MS = 30_000;
/** A clock that is wrong must not make a client refresh before every call. */
const EARLY_REFRESH_INTERVAL_MS = 60_000;
const TOKEN_REFUSED: ReadonlySet<string> = new Set(["TOKEN_EXPIRED", "UNAUTHENTICATED"]);

export interface SessionOptions {
  /** Exchanges tokens for new ones. */
  renew(old: SessionTokens): Promise<SessionTokens>;
  /** New tokens, or null when the session has ended: keep them where they are safe. */
  onChange(tokens: SessionTokens | null): void;
}

/** The tokens of one login. A refresh token is good for one use, so there is never more than one refresh at a time. */
export class Session {
  readonly #options: SessionOptions;
  #tokens: SessionTokens | null = null;
  #botToken: string | null = null;
  #refreshing: Promise<string> | null = null;
  #refreshedAtMs = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  get tokens(): SessionTokens | null {
    return this.#tokens;
  }

  /** The token of a bot is good until it is changed. */
  useBotToken(token: string): void {
    this.use(null);
    this.#botToken = token;
  }

  use(tokens: SessionTokens | null): void {
    this.#botToken = null;
    if (tokens === null && this.#tokens === null) return;
    this.#tokens = tokens;
    this.#refreshing = null;
    this.#options.onChange(tokens);
  }

  /**
   * Does something with a good token; with a new one if the server does not accept the first.
   * @throws {FanfareError} what `work` or the refresh throws; UNAUTHENTICATED when nobody is logged in
   */
  async withToken<T>(work: (accessToken: string) => Promise<T>): Promise<T> {
    if (this.#botToken !== null) return work(this.#botToken);
    const token = await this.#accessToken();
    try {
      return await work(token);
    } catch (error) {
      if (!(error instanceof FanfareError) || !TOKEN_REFUSED.has(error.type)) throw error;
      // Another call may have refreshed it meanwhile.
      const current = this.#tokens?.accessToken;
      const renewed = this.#refreshing === null && current !== undefined && current !== token;
      return work(renewed ? current : await this.#refresh());
    }
  }

  async #accessToken(): Promise<string> {
    if (this.#refreshing !== null) return this.#refreshing;
    const tokens = this.#loggedIn();
    const leftMs = Date.parse(tokens.accessTokenExpiresAt) - Date.now();
    const rested = Date.now() - this.#refreshedAtMs > EARLY_REFRESH_INTERVAL_MS;
    if (leftMs > EXPIRY_MARGIN_MS || !rested) return tokens.accessToken;
    try {
      return await this.#refresh();
    } catch (error) {
      // The old token may still do, and the server says so if it does not.
      if (endsSession(error)) throw error;
      return tokens.accessToken;
    }
  }

  /**
   * Exchanges the refresh token. Everyone who asks while it runs gets the same answer.
   * @throws {FanfareError} when the server refuses, which ends the session, or cannot be reached, which does not
   */
  #refresh(): Promise<string> {
    this.#refreshing ??= this.#exchange(this.#loggedIn());
    return this.#refreshing;
  }

  async #exchange(old: SessionTokens): Promise<string> {
    try {
      const tokens = await this.#options.renew(old);
      this.#refreshedAtMs = Date.now();
      if (this.#tokens !== old) return await this.#accessToken();
      this.use(tokens);
      return tokens.accessToken;
    } catch (error) {
      if (this.#tokens === old && endsSession(error)) this.use(null);
      throw error;
    } finally {
      if (this.#tokens === old) this.#refreshing = null;
    }
  }

  #loggedIn(): SessionTokens {
    if (this.#tokens !== null) return this.#tokens;
    const message = "Nobody is logged in: call login, register, createGuest or useTokens first.";
    throw new FanfareError({ type: "UNAUTHENTICATED", message, retryable: false, requestId: "" });
  }
}
