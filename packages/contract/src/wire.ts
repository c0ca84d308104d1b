import type { InstancePolicy } from "./entities.ts";
import type { WireError } from "./errors.ts";

/** Additions are compatible and keep the version; anything else is a new one. */
export const PROTOCOL_VERSION = 1;

/** The answer to every call, by socket and by HTTP alike. */
export type WireAnswer<T> = { ok: true; data: T } | { ok: false; error: WireError };

/** What `GET /api/meta` answers. */
export interface Meta {
  name: "fanfare";
  version: string;
  protocolVersion: number;
  /** Whether there is a way to log in at `GET /auth/oidc/start`. */
  oidcLogin: boolean;
  /** Whether mails go out: without them nobody can reset a forgotten password. */
  sendsMail: boolean;
  /** Whether passwords are accepted; otherwise OpenID Connect is the only way to log in. */
  passwordLogin: boolean;
  /** Whether anyone can create an account, or those with an invite to a group. */
  registration: InstancePolicy["registration"];
  /** Whether anyone can join as a guest, without an account. */
  guests: boolean;
  /** New accounts need a verified e-mail address in one of these domains; empty: any or no address. */
  mailDomains: string[];
  /** Who can create groups; everyone: guests too. */
  groupCreation: InstancePolicy["groupCreation"];
}
