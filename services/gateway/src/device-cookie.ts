import { randomUUID } from "node:crypto";
import {
  actionDefinition,
  type ActionName,
  isActionName,
  type Result,
  type SessionTokens,
  type WireAnswer,
} from "@fanfare/contract";
import type { Config, Sealer } from "@fanfare/kernel";
import type { FastifyReply, FastifyRequest } from "fastify";
import { ONE_YEAR_S } from "./constants.ts";

const COOKIE = "fanfare_device";
const PATH = "/api/user.login";
/** Accounts remembered per device; the least recent logins are dropped first. */
const MAX_NAMES = 8;
const PURPOSE = "device cookie";

interface Device {
  id: string;
  /** Lowercase names of the accounts that have logged in on this device. */
  names: string[];
}

/**
 * A device that has logged in to an account before is not locked out by others' guesses. The cookie does not authenticate; it
 * only selects the counter that a login uses
 * (https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies).
 */
export function createDeviceCookie(sealer: Sealer, { publicUrl }: Pick<Config, "publicUrl">) {
  const secure = publicUrl.startsWith("https:") ? "; Secure" : "";
  const read = (request: FastifyRequest): Device | null => {
    const sealed = cookieOf(request, COOKIE);
    const opened = sealed === undefined ? null : sealer.open(sealed, PURPOSE);
    return opened === null ? null : (JSON.parse(opened.text) as Device);
  };
  return {
    /** The id of the requesting device, if this account has logged in on it before. */
    knownDevice(request: FastifyRequest, name: string): string | null {
      const device = read(request);
      return device?.names.includes(name.toLowerCase()) === true ? device.id : null;
    },

    /** Adds the account to the device when a response starts a session, or an emailed link was used to set a password. */
    remember(
      request: FastifyRequest,
      reply: FastifyReply,
      action: string,
      response: WireAnswer<unknown>,
    ): void {
      if (!response.ok || !isActionName(action)) return;
      const own = namesIn(action, response.data).filter((name) => typeof name === "string");
      if (own.length === 0) return;
      const { id, names } = read(request) ?? { id: randomUUID(), names: [] };
      const all = new Set([...own.map((name) => name.toLowerCase()), ...names]);
      const device: Device = { id, names: [...all].slice(0, MAX_NAMES) };
      const sealed = sealer.seal(JSON.stringify(device), PURPOSE);
      reply.header(
        "set-cookie",
        `${COOKIE}=${sealed}; Max-Age=${ONE_YEAR_S}; Path=${PATH}; HttpOnly; SameSite=Strict${secure}`,
      );
    },
  };
}

/** The login names of the account that the caller has proven to own. */
function namesIn(action: ActionName, data: unknown): (string | null)[] {
  if (action === "user.resetPassword") {
    const { username, email } = data as Result<"user.resetPassword">;
    return [username, email];
  }
  if (actionDefinition(action).startsSession !== true) return [];
  const { username, email, emailVerified } = (data as SessionTokens).user;
  // Anyone can claim an address, but only its owner can verify it.
  return [username, emailVerified ? email : null];
}

/** The value of a cookie of the request. */
export function cookieOf({ headers }: FastifyRequest, name: string): string | undefined {
  const pairs = (headers.cookie ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
