import { z } from "zod";

/** What a client should do. Only calls with `retry` can be repeated unchanged. */
export type ErrorAdvice = "retry" | "log in" | "correct" | "give up";

export interface ErrorDefinition {
  status: number;
  advice: ErrorAdvice;
  /** One sentence for people; programs must not depend on it. */
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

/** All error codes. A code is never reused for another meaning. */
export const ERRORS = {
  VALIDATION_FAILED: correct(
    422,
    "The parameters are invalid. Correct the fields in `issues`.",
    z.object({ issues: z.array(z.object({ path: z.string(), message: z.string() })) }),
  ),
  MALFORMED_REQUEST: correct(
    400,
    "The request could not be read. By HTTP, POST a JSON object with content-type application/json.",
  ),
  FILE_TOO_LARGE: correct(413, "The file is too large.", z.object({ maxBytes: z.int() })),
  IMAGE_REFUSED: correct(
    422,
    "The image can't be used: it is damaged, in an unsupported format or has too many pixels.",
  ),
  PAYLOAD_TOO_LARGE: correct(413, "The request is too large."),
  UNKNOWN_ACTION: giveUp(404, "This action does not exist."),
  UNAUTHENTICATED: logIn(401, "Log in first: a valid access token is required."),
  TOKEN_EXPIRED: logIn(401, "The access token has expired: refresh it."),
  SESSION_REVOKED: logIn(401, "This session has ended."),
  WRONG_CREDENTIALS: correct(401, "The username or password is wrong."),
  TOTP_REQUIRED: correct(401, "This account uses two-step verification. Log in again with a code."),
  WRONG_CODE: correct(401, "The code is wrong or has already been used."),
  SECOND_FACTOR_REQUIRED: correct(
    403,
    "This server requires two-step verification: set it up with `user.setupTotp` and `user.enableTotp`.",
  ),
  TOTP_ALREADY_ON: giveUp(409, "Two-step verification is already on."),
  TOTP_NOT_SET_UP: correct(409, "Two-step verification is not set up: set it up first."),
  PASSKEY_REFUSED: correct(
    401,
    "This passkey was not accepted. It may have been removed from the account: log in another way.",
  ),
  PASSKEY_NOT_FOUND: giveUp(404, "You have no such passkey."),
  DIRECTORY_OFF: giveUp(409, "This server has no directory of groups. Ask for an invite instead."),
  EMAIL_OFF: giveUp(409, "This server doesn't send emails. Share an invite link instead."),
  CALLS_OFF: giveUp(409, "Calls are not set up on this server. Ask an admin to connect a LiveKit server."),
  CALL_NOT_FOUND: giveUp(404, "There is no call in this channel, or the user is not in it."),
  INVALID_LINK: giveUp(404, "This link does not exist, has expired or has been used. Request a new one."),
  EMAIL_MISSING: correct(409, "This account has no email address. Add one first."),
  LDAP_UNAVAILABLE: retry(
    503,
    "The directory that checks passwords can't be reached. Try again in a moment.",
    retryAfter,
  ),
  PASSWORD_IN_DIRECTORY: giveUp(
    409,
    "This account uses the password of an LDAP directory. It can only be changed there.",
  ),
  OIDC_FAILED: correct(401, "Login at the provider failed. Start the login again."),
  LOGIN_NOT_FRESH: correct(
    401,
    "The identity provider didn't ask you to log in again. Log in there again, or set a password by mail and use that.",
  ),
  OIDC_LINKED: giveUp(409, "This login is connected to another account."),
  OIDC_REQUIRED: correct(403, "This server only accepts single sign-on."),
  REGISTRATION_CLOSED: giveUp(403, "This server does not accept registrations: ask an admin for an account."),
  INVITE_REQUIRED: correct(
    403,
    "New accounts need an invite on this server. Open an invite link first, or ask an admin.",
  ),
  GUESTS_DISABLED: giveUp(403, "This server does not accept guests: log in with an account."),
  GROUP_CREATION_RESTRICTED: giveUp(403, "Only admins can create groups on this server: ask one of them."),
  EMAIL_DOMAIN_NOT_ALLOWED: correct(
    422,
    "The email address must be in one of the allowed domains.",
    z.object({ domains: z.array(z.string()) }),
  ),
  EMAIL_NOT_VERIFIED: correct(
    403,
    "Open the link that was emailed to this account's address, then log in. To get a new link, log in with `email`.",
  ),
  IMPORT_NOT_FOUND: giveUp(404, "This import does not exist."),
  IMPORT_NOT_READY: correct(
    409,
    "The export is being uploaded, checked or imported. Wait until that is done.",
  ),
  JOB_NOT_FOUND: giveUp(404, "This failed job does not exist."),
  HOLD_NOT_FOUND: giveUp(404, "This legal hold does not exist."),
  POLICY_FIXED: giveUp(
    409,
    "This value is set in the server's environment. Change it there.",
    z.object({ names: z.array(z.string()) }),
  ),
  FORBIDDEN: giveUp(403, "You don't have permission to do this."),
  GUEST_NOT_ALLOWED: giveUp(403, "Guests can't do this. Create an account with `user.claimGuest` first."),
  NOT_A_GUEST: giveUp(409, "Only guests can do this."),
  MUTED: giveUp(403, "You are muted in this group.", z.object({ mutedUntil: z.iso.datetime() })),
  USER_DISABLED: giveUp(403, "This account is disabled. Contact an admin of this server."),
  SESSION_NOT_FOUND: giveUp(404, "You have no such session."),
  BANNED: giveUp(403, "You are banned from this group."),
  USER_NOT_FOUND: giveUp(404, "This user does not exist."),
  GROUP_NOT_FOUND: giveUp(404, "This group does not exist, or you are not a member."),
  CHANNEL_NOT_FOUND: giveUp(404, "This channel does not exist, or you don't have access to it."),
  MESSAGE_FILTERED: correct(422, "The message contains a word that is not allowed in this group."),
  POLL_ENDED: giveUp(409, "This poll has ended."),
  MESSAGE_REFUSED: correct(
    422,
    "A rule of this group does not allow this message. Change the message as `rule` and `limit` say.",
    z.object({
      rule: z.enum(["links", "mentions", "repeats", "newAccounts"]),
      limit: z.int().nullable(),
    }),
  ),
  MESSAGE_NOT_FOUND: giveUp(404, "This message does not exist in this channel."),
  SCHEDULED_NOT_FOUND: giveUp(404, "This scheduled message does not exist, or has already been sent."),
  ALREADY_REPORTED: giveUp(409, "You have already reported this message. The moderators will look at it."),
  REPORT_NOT_FOUND: giveUp(404, "This report does not exist, or another moderator has closed it."),
  FILE_NOT_FOUND: giveUp(404, "This file does not exist, or you don't have access to it."),
  MEMBER_NOT_FOUND: giveUp(404, "This user is not a member of the group."),
  ROLE_NOT_FOUND: giveUp(404, "This role does not exist in this group."),
  EMOJI_NOT_FOUND: giveUp(404, "This group has no such emoji, sticker or GIF."),
  EMOJI_NAME_TAKEN: correct(409, "Another emoji, sticker or GIF of this group has this name."),
  INVITE_NOT_FOUND: giveUp(404, "This invite does not exist, has expired or has been used up."),
  APPROVAL_REQUIRED: correct(
    403,
    "New members of this group need approval. Ask to join with `join.request`.",
    z.object({ groupId: z.string() }),
  ),
  JOIN_REQUEST_REJECTED: giveUp(
    403,
    "Your request to join this group was rejected. You can ask again later.",
    z.object({ askAgainAt: z.iso.datetime() }),
  ),
  FRIEND_REQUEST_NOT_FOUND: giveUp(404, "This user has not sent you a friend request, or has canceled it."),
  NOT_REACHABLE: giveUp(
    403,
    "The user does not accept this from you, the server does not allow it, or you have blocked the user.",
  ),
  USERNAME_TAKEN: correct(409, "This username is taken."),
  WEAK_PASSWORD: correct(
    422,
    "The password is easy to guess. Don't use a common password, or one made from the account's names.",
    z.object({ reason: z.enum(["common", "personal"]) }),
  ),
  EMAIL_TAKEN: correct(409, "This email address is already in use."),
  OWNER_CANNOT_LEAVE: giveUp(409, "The owner can't leave. Transfer or delete the group first."),
  OWNS_GROUPS: giveUp(
    409,
    "You own groups. Transfer or delete them first.",
    z.object({ groupIds: z.array(z.string()) }),
  ),
  LAST_ADMIN: giveUp(409, "This is the only admin. Make another user an admin first."),
  LIMIT_REACHED: giveUp(
    409,
    "This server's limit has been reached.",
    z.object({ limit: z.string(), max: z.int() }),
  ),
  BOT_NOT_ALLOWED: giveUp(403, "The scopes of this bot do not allow this action."),
  BOTS_ONLY: giveUp(403, "Only bots can do this."),
  BOT_NOT_FOUND: giveUp(404, "This bot is not in this group."),
  BOT_NOT_RESPONDING: giveUp(504, "The bot isn't responding. Try again later."),
  TRIGGER_EXPIRED: giveUp(410, "It is too late to open a dialog for this user, or it was not for this bot."),
  MODAL_NOT_FOUND: giveUp(404, "This dialog has expired. Open it again."),
  COMMAND_NOT_FOUND: giveUp(404, "This command does not exist here."),
  COMMAND_NAME_TAKEN: correct(409, "Another bot in this group has a command with this name."),
  PLUGIN_FAILED: giveUp(
    502,
    "The plug-in failed. Try again. If it fails again, contact an admin, who finds the reason in the log of the server.",
  ),
  PLUGIN_REFUSED: correct(
    422,
    "The plug-in rejected this. Correct what `reason` says.",
    z.object({ reason: z.string() }),
  ),
  WEBHOOK_NOT_FOUND: giveUp(
    404,
    "This webhook does not exist or no longer has permission to post in its channel.",
  ),
  SIGNATURE_INVALID: correct(
    401,
    "This webhook only accepts requests that are signed with its secret. Set the same secret in the program that sends them.",
  ),
  RATE_LIMITED: retry(429, "Too many requests. Wait, then try again.", retryAfter),
  SLOW_MODE: retry(429, "This channel is in slow mode. Wait before you send another message.", retryAfter),
  OVERLOADED: retry(503, "The server is overloaded. Try again in a moment.", retryAfter),
  UNAVAILABLE: retry(503, "Part of the server is unavailable. Try again in a moment.", retryAfter),
  MAINTENANCE: retry(
    503,
    "The server is in maintenance mode. You can read but not make changes.",
    z.object({ message: z.string(), retryAfterMs: z.int().min(0) }),
  ),
  STORAGE_FULL: giveUp(507, "The server's storage is full."),
  INTERNAL: giveUp(500, "Something went wrong on the server."),
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof ERRORS;

/** The data of an error code: required if the table defines it, otherwise absent. */
export type ErrorData<C extends ErrorCode> = (typeof ERRORS)[C]["data"] extends infer D extends z.ZodType
  ? z.output<D>
  : undefined;

/** The wire format of an error, by socket and by HTTP. */
export interface WireError {
  type: ErrorCode;
  message: string;
  data?: unknown;
  retryable: boolean;
  requestId: string;
}

/** Errors that any action can return. */
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
