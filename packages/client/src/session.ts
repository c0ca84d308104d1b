import type { SessionTokens } from "@fanfare/contract";
import { endsSession, FanfareError } from "./errors.ts";

/** Tokens are renewed this long before they expire, so that none expires in transit. */
const EXPIRY_MARGIN_MS = 30_000;
/** Prevents a wrong clock from causing a refresh before every call. */
const EARLY_REFRESH_INTERVAL_MS = 60_000;
const TOKEN_REFUSED: ReadonlySet<string> = new Set(["TOKEN_EXPIRED", "UNAUTHENTICATED"]);

export interface SessionOptions {
  /** Exchanges tokens for new ones. */
  renew(old: SessionTokens): Promise<SessionTokens>;
  /** Receives new tokens to store, or null when the session has ended. */
  onChange(tokens: SessionTokens | null): void;
}

/** The tokens of one login. A refresh token can be used once, so there is only one refresh at a time. */
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

  /** A bot token is valid until it is rotated. */
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
   * Runs `work` with a valid token, and again with a new one if the server rejects the first.
   * @throws {FanfareError} the error of `work` or of the refresh; UNAUTHENTICATED when not logged in
   */
  async withToken<T>(work: (accessToken: string) => Promise<T>): Promise<T> {
    if (this.#botToken !== null) return work(this.#botToken);
    const token = await this.#accessToken();
    try {
      return await work(token);
    } catch (error) {
      if (!(error instanceof FanfareError) || !TOKEN_REFUSED.has(error.type)) throw error;
      // Another call could have refreshed it meanwhile.
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
      // The old token can still be valid; otherwise the server rejects it.
      if (endsSession(error)) throw error;
      return tokens.accessToken;
    }
  }

  /**
   * Exchanges the refresh token. Concurrent calls share one refresh.
   * @throws {FanfareError} if the server rejects it, which ends the session, or can't be reached, which does not
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
    const message = "Not logged in: call login, register, createGuest or useTokens first.";
    throw new FanfareError({ type: "UNAUTHENTICATED", message, retryable: false, requestId: "" });
  }
}
