import { z } from "zod";

/** What a client does with an error: nothing but `retry` may be repeated unchanged. */
export type ErrorAdvice = "retry" | "log in" | "correct" | "give up";

export interface ErrorDefinition {
  status: number;
  advice: ErrorAdvice;
  /** One sentence for people; never the text that a program decides on. */
  message: string;
  data?: z.ZodObject | undefined;
}

const errorWith =
  (advice: ErrorAdvice) =>
  <D extends z.ZodObject | undefined = undefined>(status: number, message: string, data?: D) => ({
    status,
    advice,
    message,
    data: data as D,
  });
const retry = errorWith("retry");
const logIn = errorWith("log in");
const correct = errorWith("correct");
const giveUp = errorWith("give up");

const retryAfter = z.object({ retryAfterMs: z.int().min(0) });

/** The one table of errors. A code is never reused for another meaning. */
export const ERRORS = {
  VALIDATION_FAILED: correct(
    422,
    "The parameters are not what this action takes.",
    z.object({ issues: z.array(z.object({ path: z.string(), message: z.string() })) }),
  ),
  MALFORMED_REQUEST: correct(
    400,
    "The request could not be read: by HTTP, POST a JSON object with content-type application/json.",
  ),
  FILE_TOO_LARGE: correct(413, "The file is too large.", z.object({ maxBytes: z.int() })),
  IMAGE_REFUSED: correct(
    422,
    "This picture cannot be used: it is damaged, of another kind, or has too many pixels.",
  ),
  PAYLOAD_TOO_LARGE: correct(413, "The request is too large."),
  UNKNOWN_ACTION: giveUp(404, "There is no such action."),
  UNAUTHENTICATED: logIn(401, "This needs a valid access token."),
  TOKEN_EXPIRED: logIn(401, "The access token has expired: refresh it."),
  SESSION_REVOKED: logIn(401, "This session has ended."),
  WRONG_CREDENTIALS: correct(401, "The name or the password is wrong."),
  TOTP_REQUIRED: correct(401, "This account has a second factor: repeat the login with a code."),
  WRONG_CODE: correct(401, "The code is wrong or was used before."),
  SECOND_FACTOR_REQUIRED: correct(
    403,
    "This server requires a second factor: set it up with `user.setupTotp` and `user.enableTotp`.",
  ),
  TOTP_ALREADY_ON: giveUp(409, "The second factor is on already."),
  TOTP_NOT_SET_UP: correct(409, "There is no second factor: set it up first."),
  PUSH_OFF: giveUp(409, "This server sends no pushes."),
  INVALID_LINK: giveUp(404, "This link does not exist, has expired or was used: ask for a new one."),
  EMAIL_MISSING: correct(409, "This account has no e-mail address: add one first."),
  OIDC_FAILED: correct(401, "Login at the provider failed. Start the login again."),
  LOGIN_NOT_FRESH: correct(
    401,
    "The identity provider didn't ask you to sign in again. Sign in there again, or set a password by mail and use that.",
  ),
  OIDC_LINKED: giveUp(409, "This login belongs to another account."),
  OIDC_REQUIRED: correct(403, "This server only accepts single sign-on: log in with OpenID Connect."),
  REGISTRATION_CLOSED: giveUp(403, "This server does not accept registrations: ask an admin for an account."),
  INVITE_REQUIRED: correct(
    403,
    "This server needs an invite for a new account: open an invite link first, or ask an admin.",
  ),
  GUESTS_DISABLED: giveUp(403, "This server does not accept guests: log in with an account."),
  GROUP_CREATION_RESTRICTED: giveUp(403, "Only admins can create groups on this server: ask one of them."),
  EMAIL_DOMAIN_NOT_ALLOWED: correct(
    422,
    "This server needs an e-mail address in one of the allowed domains.",
    z.object({ domains: z.array(z.string()) }),
  ),
  EMAIL_NOT_VERIFIED: correct(
    403,
    "Open the link that was mailed to this account's address, then log in. To get a new link, log in with `email`.",
  ),
  JOB_NOT_FOUND: giveUp(404, "There is no such failed job."),
  POLICY_FIXED: giveUp(
    409,
    "The server's environment sets this value: change it there.",
    z.object({ names: z.array(z.string()) }),
  ),
  FORBIDDEN: giveUp(403, "You are not allowed to do this."),
  GUEST_NOT_ALLOWED: giveUp(403, "Guests cannot do this: claim the account first."),
  NOT_A_GUEST: giveUp(409, "Only a guest can claim its account."),
  MUTED: giveUp(403, "You are muted in this group.", z.object({ mutedUntil: z.iso.datetime() })),
  USER_DISABLED: giveUp(403, "This account is disabled. Contact an admin of this server."),
  SESSION_NOT_FOUND: giveUp(404, "There is no such session of yours."),
  BANNED: giveUp(403, "You are banned from this group."),
  USER_NOT_FOUND: giveUp(404, "There is no such user."),
  GROUP_NOT_FOUND: giveUp(404, "There is no such group, or you are not in it."),
  CHANNEL_NOT_FOUND: giveUp(404, "There is no such channel, or you cannot see it."),
  MESSAGE_FILTERED: correct(422, "The message has a word that this group does not allow."),
  MESSAGE_NOT_FOUND: giveUp(404, "There is no such message in this channel."),
  FILE_NOT_FOUND: giveUp(404, "There is no such file, or you cannot see it."),
  MEMBER_NOT_FOUND: giveUp(404, "This user is not in the group."),
  ROLE_NOT_FOUND: giveUp(404, "There is no such role in this group."),
  INVITE_NOT_FOUND: giveUp(404, "This invite does not exist, has expired or is used up."),
  FRIEND_REQUEST_NOT_FOUND: giveUp(404, "This user has not sent you a friend request, or has withdrawn it."),
  NOT_REACHABLE: giveUp(
    403,
    "This user or this server does not accept this from you, or you have blocked the user.",
  ),
  USERNAME_TAKEN: correct(409, "This username is taken."),
  WEAK_PASSWORD: correct(
    422,
    "The password is easy to guess: do not use a common one, or one made of the account's names.",
    z.object({ reason: z.enum(["common", "personal"]) }),
  ),
  EMAIL_TAKEN: correct(409, "This e-mail address is in use."),
  OWNER_CANNOT_LEAVE: giveUp(409, "The owner cannot leave: transfer or delete the group first."),
  OWNS_GROUPS: giveUp(
    409,
    "You own groups: give them away or delete them first.",
    z.object({ groupIds: z.array(z.string()) }),
  ),
  LAST_ADMIN: giveUp(409, "This is the only admin. Make another user an admin first."),
  LIMIT_REACHED: giveUp(
    409,
    "A limit of this server is reached.",
    z.object({ limit: z.string(), max: z.int() }),
  ),
  BOT_NOT_ALLOWED: giveUp(403, "The scopes of this bot do not allow this action."),
  BOTS_ONLY: giveUp(403, "Only bots can do this."),
  BOT_NOT_FOUND: giveUp(404, "There is no such bot in this group."),
  COMMAND_NOT_FOUND: giveUp(404, "There is no such command here."),
  COMMAND_NAME_TAKEN: correct(409, "Another bot of this group has a command of this name."),
  WEBHOOK_NOT_FOUND: giveUp(
    404,
    "This webhook does not exist or no longer has permission to post in its channel.",
  ),
  RATE_LIMITED: retry(429, "Too many requests: wait.", retryAfter),
  SLOW_MODE: retry(429, "This channel is in slow mode: wait before you write again.", retryAfter),
  OVERLOADED: retry(503, "The server is overloaded. Try again in a moment.", retryAfter),
  UNAVAILABLE: retry(503, "Part of the server is unavailable. Try again in a moment.", retryAfter),
  MAINTENANCE: retry(
    503,
    "This server is being looked after: nothing can be changed at the moment.",
    z.object({ message: z.string(), retryAfterMs: z.int().min(0) }),
  ),
  STORAGE_FULL: giveUp(507, "The server's storage is full."),
  INTERNAL: giveUp(500, "Something went wrong on the server."),
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof ERRORS;

/** The data that goes with an error code: required where the table says so, absent elsewhere. */
export type ErrorData<C extends ErrorCode> = (typeof ERRORS)[C]["data"] extends infer D extends z.ZodType
  ? z.output<D>
  : undefined;

/** An error as it goes over the wire, by socket and by HTTP alike. */
export interface WireError {
  type: ErrorCode;
  message: string;
  data?: unknown;
  retryable: boolean;
  requestId: string;
}

/** What any action may answer besides its own errors. */
export const COMMON_ERRORS = [
  "VALIDATION_FAILED",
  "MALFORMED_REQUEST",
  "PAYLOAD_TOO_LARGE",
  "RATE_LIMITED",
  "OVERLOADED",
  "UNAVAILABLE",
  "MAINTENANCE",
  "STORAGE_FULL",
  "INTERNAL",
] as const satisfies readonly ErrorCode[];

export function isRetryable(code: ErrorCode): boolean {
  return ERRORS[code].advice === "retry";
}
