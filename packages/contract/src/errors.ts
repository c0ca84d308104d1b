import { z } from "zod";

/** What a client does with an error: nothing but `retry` may be repeated unchanged. */
export type ErrorAdvice = "retry" | "log in" | "correct" | "give up";

export interface ErrorDefinition {
  status: number;
  advice: ErrorAdvice;
  /** One sentence for people; never the text that a program decides on. */
  message: string;
  data?: z.ZodObject;
}

const retryAfter = z.object({ retryAfterMs: z.int().min(0) });

/** The one table of errors. A code is never reused for another meaning. */
export const ERRORS = {
  VALIDATION_FAILED: {
    status: 422,
    advice: "correct",
    message: "The parameters are not what this action takes.",
    data: z.object({ issues: z.array(z.object({ path: z.string(), message: z.string() })) }),
  },
  MALFORMED_REQUEST: {
    status: 400,
    advice: "correct",
    message: "The request could not be read: by HTTP, POST a JSON object with content-type application/json.",
  },
  FILE_TOO_LARGE: {
    status: 413,
    advice: "correct",
    message: "The file is too large.",
    data: z.object({ maxBytes: z.int() }),
  },
  IMAGE_REFUSED: {
    status: 422,
    advice: "correct",
    message: "This picture cannot be used: it is damaged, of another kind, or has too many pixels.",
  },
  PAYLOAD_TOO_LARGE: { status: 413, advice: "correct", message: "The request is too large." },
  UNKNOWN_ACTION: { status: 404, advice: "give up", message: "There is no such action." },
  UNAUTHENTICATED: { status: 401, advice: "log in", message: "This needs a valid access token." },
  TOKEN_EXPIRED: { status: 401, advice: "log in", message: "The access token has expired: refresh it." },
  SESSION_REVOKED: { status: 401, advice: "log in", message: "This session has ended." },
  WRONG_CREDENTIALS: { status: 401, advice: "correct", message: "The name or the password is wrong." },
  TOTP_REQUIRED: {
    status: 401,
    advice: "correct",
    message: "This account has a second factor: repeat the login with a code.",
  },
  WRONG_CODE: { status: 401, advice: "correct", message: "The code is wrong or was used before." },
  SECOND_FACTOR_REQUIRED: {
    status: 403,
    advice: "correct",
    message: "This server requires a second factor: set it up with `user.setupTotp` and `user.enableTotp`.",
  },
  TOTP_ALREADY_ON: { status: 409, advice: "give up", message: "The second factor is on already." },
  TOTP_NOT_SET_UP: { status: 409, advice: "correct", message: "There is no second factor: set it up first." },
  PUSH_OFF: { status: 409, advice: "give up", message: "This server sends no pushes." },
  INVALID_LINK: {
    status: 404,
    advice: "give up",
    message: "This link does not exist, has expired or was used: ask for a new one.",
  },
  EMAIL_MISSING: {
    status: 409,
    advice: "correct",
    message: "This account has no e-mail address: add one first.",
  },
  OIDC_FAILED: {
    status: 401,
    advice: "correct",
    message: "The login at the provider did not succeed: begin it anew.",
  },
  LOGIN_NOT_FRESH: {
    status: 401,
    advice: "correct",
    message:
      "The identity provider didn't ask you to sign in again. Sign in there again, or set a password by mail and use that.",
  },
  OIDC_LINKED: { status: 409, advice: "give up", message: "This login belongs to another account." },
  OIDC_REQUIRED: {
    status: 403,
    advice: "correct",
    message: "This server only accepts single sign-on: log in with OpenID Connect.",
  },
  REGISTRATION_CLOSED: {
    status: 403,
    advice: "give up",
    message: "This server does not accept registrations: ask an admin for an account.",
  },
  INVITE_REQUIRED: {
    status: 403,
    advice: "correct",
    message: "This server needs an invite for a new account: open an invite link first, or ask an admin.",
  },
  GUESTS_DISABLED: {
    status: 403,
    advice: "give up",
    message: "This server does not accept guests: log in with an account.",
  },
  GROUP_CREATION_RESTRICTED: {
    status: 403,
    advice: "give up",
    message: "Only admins can create groups on this server: ask one of them.",
  },
  EMAIL_DOMAIN_NOT_ALLOWED: {
    status: 422,
    advice: "correct",
    message: "This server needs an e-mail address in one of the allowed domains.",
    data: z.object({ domains: z.array(z.string()) }),
  },
  EMAIL_NOT_VERIFIED: {
    status: 403,
    advice: "correct",
    message:
      "Open the link that was mailed to this account's address, then log in. To get a new link, log in with `email`.",
  },
  JOB_NOT_FOUND: { status: 404, advice: "give up", message: "There is no such failed job." },
  POLICY_FIXED: {
    status: 409,
    advice: "give up",
    message: "The server's environment sets this value: change it there.",
    data: z.object({ names: z.array(z.string()) }),
  },
  FORBIDDEN: { status: 403, advice: "give up", message: "You are not allowed to do this." },
  GUEST_NOT_ALLOWED: {
    status: 403,
    advice: "give up",
    message: "Guests cannot do this: claim the account first.",
  },
  NOT_A_GUEST: { status: 409, advice: "give up", message: "Only a guest can claim its account." },
  MUTED: {
    status: 403,
    advice: "give up",
    message: "You are muted in this group.",
    data: z.object({ mutedUntil: z.iso.datetime() }),
  },
  USER_DISABLED: {
    status: 403,
    advice: "give up",
    message: "This account is disabled: ask who runs this server.",
  },
  SESSION_NOT_FOUND: { status: 404, advice: "give up", message: "There is no such session of yours." },
  BANNED: { status: 403, advice: "give up", message: "You are banned from this group." },
  USER_NOT_FOUND: { status: 404, advice: "give up", message: "There is no such user." },
  GROUP_NOT_FOUND: {
    status: 404,
    advice: "give up",
    message: "There is no such group, or you are not in it.",
  },
  CHANNEL_NOT_FOUND: {
    status: 404,
    advice: "give up",
    message: "There is no such channel, or you cannot see it.",
  },
  MESSAGE_FILTERED: {
    status: 422,
    advice: "correct",
    message: "The message has a word that this group does not allow.",
  },
  MESSAGE_NOT_FOUND: { status: 404, advice: "give up", message: "There is no such message in this channel." },
  FILE_NOT_FOUND: { status: 404, advice: "give up", message: "There is no such file, or you cannot see it." },
  MEMBER_NOT_FOUND: { status: 404, advice: "give up", message: "This user is not in the group." },
  ROLE_NOT_FOUND: { status: 404, advice: "give up", message: "There is no such role in this group." },
  INVITE_NOT_FOUND: {
    status: 404,
    advice: "give up",
    message: "This invite does not exist, has expired or is used up.",
  },
  FRIEND_REQUEST_NOT_FOUND: {
    status: 404,
    advice: "give up",
    message: "This user has not asked you to be a friend, or has taken it back.",
  },
  NOT_REACHABLE: {
    status: 403,
    advice: "give up",
    message: "This user or this server does not accept this from you, or you have blocked the user.",
  },
  USERNAME_TAKEN: { status: 409, advice: "correct", message: "This username is taken." },
  WEAK_PASSWORD: {
    status: 422,
    advice: "correct",
    message: "The password is easy to guess: do not use a common one, or one made of the account's names.",
    data: z.object({ reason: z.enum(["common", "personal"]) }),
  },
  EMAIL_TAKEN: { status: 409, advice: "correct", message: "This e-mail address is in use." },
  OWNER_CANNOT_LEAVE: {
    status: 409,
    advice: "give up",
    message: "The owner cannot leave: transfer or delete the group first.",
  },
  OWNS_GROUPS: {
    status: 409,
    advice: "give up",
    message: "You own groups: give them away or delete them first.",
    data: z.object({ groupIds: z.array(z.string()) }),
  },
  LAST_ADMIN: {
    status: 409,
    advice: "give up",
    message: "This is the last admin: make somebody else one first.",
  },
  LIMIT_REACHED: {
    status: 409,
    advice: "give up",
    message: "A limit of this server is reached.",
    data: z.object({ limit: z.string(), max: z.int() }),
  },
  BOT_NOT_ALLOWED: {
    status: 403,
    advice: "give up",
    message: "The token of this bot is not good for this: see its scopes.",
  },
  BOTS_ONLY: { status: 403, advice: "give up", message: "Only bots can do this." },
  BOT_NOT_FOUND: { status: 404, advice: "give up", message: "There is no such bot in this group." },
  COMMAND_NOT_FOUND: { status: 404, advice: "give up", message: "There is no such command here." },
  COMMAND_NAME_TAKEN: {
    status: 409,
    advice: "correct",
    message: "Another bot of this group has a command of this name.",
  },
  WEBHOOK_NOT_FOUND: {
    status: 404,
    advice: "give up",
    message: "There is no such webhook, or it may not write there any more.",
  },
  RATE_LIMITED: { status: 429, advice: "retry", message: "Too many requests: wait.", data: retryAfter },
  SLOW_MODE: {
    status: 429,
    advice: "retry",
    message: "This channel is in slow mode: wait before you write again.",
    data: retryAfter,
  },
  OVERLOADED: {
    status: 503,
    advice: "retry",
    message: "The server has more than it can do: wait.",
    data: retryAfter,
  },
  UNAVAILABLE: {
    status: 503,
    advice: "retry",
    message: "A part of the server does not answer.",
    data: retryAfter,
  },
  MAINTENANCE: {
    status: 503,
    advice: "retry",
    message: "This server is being looked after: nothing can be changed at the moment.",
    data: z.object({ message: z.string(), retryAfterMs: z.int().min(0) }),
  },
  STORAGE_FULL: { status: 507, advice: "give up", message: "The server's storage is full." },
  INTERNAL: { status: 500, advice: "give up", message: "Something went wrong on the server." },
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof ERRORS;

/** The data that goes with an error code: required where the table says so, absent elsewhere. */
export type ErrorData<C extends ErrorCode> = (typeof ERRORS)[C] extends { data: infer D extends z.ZodType }
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
