import { z } from "zod";
import { LIMITS } from "./limits.ts";

/** Anything that leaves a mark on a screen, as opposed to spaces, controls and characters that are meant to be ignored. */
const VISIBLE = /[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;
/** Controls, line breaks, and what turns the direction of the text around it: a name stands among other people's words. */
const NOT_IN_NAMES = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** Half a surrogate pair cannot be stored: it would come back as another character. */
const wellFormed = z.string().refine((text) => text.isWellFormed(), "must not have unpaired surrogates");
const displayName = (maxChars: number) =>
  wellFormed
    .trim()
    .min(1)
    .max(maxChars)
    .refine((name) => VISIBLE.test(name), "must have a visible character")
    .refine((name) => !NOT_IN_NAMES.test(name), "must not have control characters");

export const id = z.string().regex(/^[0-9a-f]{24}$/, "must be an id of 24 hexadecimal digits");
export const time = z.iso.datetime({ precision: 3 }).describe("ISO 8601 with milliseconds, UTC");
export const seq = z.int().min(0);
export const username = z
  .string()
  .regex(
    new RegExp(`^[A-Za-z0-9_.-]{${LIMITS.usernameMinChars},${LIMITS.usernameMaxChars}}$`),
    `must be ${LIMITS.usernameMinChars}-${LIMITS.usernameMaxChars} letters, digits, '.', '_' or '-'`,
  );
export const nickname = displayName(LIMITS.nicknameMaxChars);
export const password = z.string().min(LIMITS.passwordMinChars).max(LIMITS.passwordMaxChars);
export const email = z.email().max(LIMITS.emailMaxChars);
export const groupName = displayName(LIMITS.groupNameMaxChars);
export const channelName = displayName(LIMITS.channelNameMaxChars);
export const messageContent = wellFormed
  .max(LIMITS.messageMaxChars)
  .refine((content) => VISIBLE.test(content), "must not be empty");
export const nonce = wellFormed
  .min(1)
  .max(LIMITS.nonceMaxChars)
  .describe("Chosen by the sender; the same nonce never makes a second message.");

export const UserSchema = z
  .object({
    id,
    username: z.string().nullable().describe("null for a guest"),
    nickname: z.string(),
    avatarUrl: z.string().nullable(),
    kind: z.enum(["member", "guest", "bot"]),
    createdAt: time,
  })
  .meta({ id: "User" });
export type User = z.output<typeof UserSchema>;

export const OwnUserSchema = UserSchema.extend({ email: z.string().nullable() }).meta({ id: "OwnUser" });
export type OwnUser = z.output<typeof OwnUserSchema>;

export const SessionTokensSchema = z
  .object({
    user: OwnUserSchema,
    sessionId: id,
    accessToken: z.string(),
    accessTokenExpiresAt: time,
    refreshToken: z.string().describe("Good for one refresh, which answers with the next one."),
    refreshTokenExpiresAt: time,
  })
  .meta({ id: "SessionTokens" });
export type SessionTokens = z.output<typeof SessionTokensSchema>;

/** What a user wants others to see while connected. */
export const ownStatus = z.enum(["online", "idle", "doNotDisturb", "invisible"]);

export const PresenceSchema = z
  .object({
    userId: id,
    status: z.enum(["online", "idle", "doNotDisturb", "offline"]).describe("offline: also who is invisible"),
  })
  .meta({ id: "Presence" });
export type Presence = z.output<typeof PresenceSchema>;

export const GroupSchema = z
  .object({ id, name: z.string(), ownerId: id, memberCount: z.int(), createdAt: time })
  .meta({ id: "Group" });
export type Group = z.output<typeof GroupSchema>;

export const ChannelSchema = z
  .object({
    id,
    groupId: id.nullable().describe("null for a direct channel"),
    kind: z.enum(["text", "direct"]),
    name: z.string().describe("empty for a direct channel"),
    position: z.int(),
    memberIds: z.array(id).describe("the two users of a direct channel; empty elsewhere"),
    createdAt: time,
  })
  .meta({ id: "Channel" });
export type Channel = z.output<typeof ChannelSchema>;

/** Where a channel stands: the numbers of its newest message and of its newest change. */
export const HeadSchema = z.object({ seq, rev: seq }).meta({ id: "Head" });
export type Head = z.output<typeof HeadSchema>;

/** A channel as one user sees it. Unread messages: `head.seq - lastReadSeq`. */
export const ChannelStateSchema = ChannelSchema.extend({ head: HeadSchema, lastReadSeq: seq }).meta({
  id: "ChannelState",
});
export type ChannelState = z.output<typeof ChannelStateSchema>;

export const MemberSchema = z
  .object({ groupId: id, userId: id, mutedUntil: time.nullable(), joinedAt: time })
  .meta({ id: "Member" });
export type Member = z.output<typeof MemberSchema>;

export const InviteSchema = z
  .object({
    code: z.string(),
    groupId: id,
    createdBy: id,
    uses: z.int(),
    maxUses: z.int().nullable(),
    expiresAt: time.nullable(),
    createdAt: time,
  })
  .meta({ id: "Invite" });
export type Invite = z.output<typeof InviteSchema>;

export const MessageSchema = z
  .object({
    id,
    channelId: id,
    seq: seq.describe("Its place in the channel: 1 for the first message."),
    rev: seq.describe("The number of the channel's change that made it what it is."),
    authorId: id,
    content: z.string().describe("empty when deleted"),
    replyTo: id.nullable(),
    nonce: z.string(),
    createdAt: time,
    editedAt: time.nullable(),
    deletedAt: time.nullable(),
  })
  .meta({ id: "Message" });
export type Message = z.output<typeof MessageSchema>;
