import type { SessionTokens } from "@fanfare/contract";
import type { Api } from "../../targets/fanfare/api.ts";

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
