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

const COOKIE = "fanfare_device";
const PATH = "/api/user.login";
const MAX_AGE_S = 365 * 24 * 60 * 60;
/** Names that one device remembers; the ones that logged in longest ago are forgotten first. */
const MAX_NAMES = 8;
const PURPOSE = "device cookie";

interface Device {
  id: string;
  /** In lower case: the names of the accounts that have logged in on it. */
  names: string[];
}

/**
 * A device that has logged in to an account before is not locked out by the guesses of others. The cookie does not authenticate:
 * it only says which counter a login takes from
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
    /** The id of the device that makes a request, if the account with this name has logged in on it before. */
    knownDevice(request: FastifyRequest, name: string): string | null {
      const device = read(request);
      return device?.names.includes(name.toLowerCase()) === true ? device.id : null;
    },

    /** Adds the account to the device where the answer starts a session, or a mailed link has set a new password. */
    remember(
      request: FastifyRequest,
      reply: FastifyReply,
      action: string,
      answer: WireAnswer<unknown>,
    ): void {
      if (!answer.ok || !isActionName(action)) return;
      const own = namesIn(action, answer.data).filter((name) => typeof name === "string");
      if (own.length === 0) return;
      const { id, names } = read(request) ?? { id: randomUUID(), names: [] };
      const all = new Set([...own.map((name) => name.toLowerCase()), ...names]);
      const device: Device = { id, names: [...all].slice(0, MAX_NAMES) };
      const sealed = sealer.seal(JSON.stringify(device), PURPOSE);
      reply.header(
        "set-cookie",
        `${COOKIE}=${sealed}; Max-Age=${MAX_AGE_S}; Path=${PATH}; HttpOnly; SameSite=Strict${secure}`,
      );
    },
  };
}

/** The names that log in to the account that the caller of an action has shown to be theirs. */
function namesIn(action: ActionName, data: unknown): (string | null)[] {
  if (action === "user.resetPassword") {
    const { username, email } = data as Result<"user.resetPassword">;
    return [username, email];
  }
  if (actionDefinition(action).startsSession !== true) return [];
  const { username, email, emailVerified } = (data as SessionTokens).user;
  // Anyone can claim an address: only its owner verifies it.
  return [username, emailVerified ? email : null];
}

/** The value of a cookie of the request. */
export function cookieOf({ headers }: FastifyRequest, name: string): string | undefined {
  const pairs = (headers.cookie ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
