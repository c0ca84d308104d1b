import type { AccentShades, AccentTheme } from "./accent.ts";
import type { Branding, InstancePolicy } from "./entities.ts";
import type { WireError } from "./errors.ts";

/** Increased by incompatible changes; additions keep the version. */
export const PROTOCOL_VERSION = 1;

/** The response to every call, by socket and by HTTP. */
export type WireAnswer<T> = { ok: true; data: T } | { ok: false; error: WireError };

/** The response of `GET /api/meta`. */
export interface Meta {
  name: "fanfare";
  version: string;
  protocolVersion: number;
  /** Whether single sign-on (OIDC or SAML) is enabled: see `GET /auth/oidc/start`. */
  oidcLogin: boolean;
  /** The providers, in the order of their buttons; name null: just "single sign-on". */
  oidcProviders: { id: string; name: string | null }[];
  /** Whether the server can send email; without it, users can't reset forgotten passwords. */
  sendsMail: boolean;
  /** Whether passwords are accepted; otherwise single sign-on is the only way to log in. */
  passwordLogin: boolean;
  /** The only origin at which browsers accept passkeys of this server; null if its host is an IP address, which can't have any. */
  passkeyOrigin: string | null;
  /** Whether anyone can create an account, or those with an invite to a group. */
  registration: InstancePolicy["registration"];
  /** Whether anyone can join as a guest, without an account. */
  guests: boolean;
  /** New accounts need a verified email address in one of these domains; empty: any or no address. */
  mailDomains: string[];
  /** Who can create groups; everyone: guests too. */
  groupCreation: InstancePolicy["groupCreation"];
  /** Whether there is a directory of groups. */
  directory: boolean;
  /** Whether calls are set up. */
  calls: boolean;
  /** Whether there are plug-ins for clients: see `plugin.list`. */
  plugins: boolean;
  branding: Branding & {
    /** Readable shades of the accent color; null: the client's own colors. */
    accentShades: Record<AccentTheme, AccentShades> | null;
  };
}
