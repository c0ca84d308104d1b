import { z } from "zod";
import { LIMITS } from "./limits.ts";

const trimmed = (maxChars: number) => z.string().trim().min(1).max(maxChars);

export const id = z.string().regex(/^[0-9a-f]{24}$/, "must be an id of 24 hexadecimal digits");
export const time = z.iso.datetime({ precision: 3 }).describe("ISO 8601 with milliseconds, UTC");
export const seq = z.int().min(0);
export const username = z
  .string()
  .regex(
    new RegExp(`^[A-Za-z0-9_.-]{${LIMITS.usernameMinChars},${LIMITS.usernameMaxChars}}$`),
    `must be ${LIMITS.usernameMinChars}-${LIMITS.usernameMaxChars} letters, digits, '.', '_' or '-'`,
  );
export const nickname = trimmed(LIMITS.nicknameMaxChars);
export const password = z.string().min(LIMITS.passwordMinChars).max(LIMITS.passwordMaxChars);
export const email = z.email().max(LIMITS.emailMaxChars);
export const groupName = trimmed(LIMITS.groupNameMaxChars);
export const channelName = trimmed(LIMITS.channelNameMaxChars);
export const messageContent = z
  .string()
  .max(LIMITS.messageMaxChars)
  .refine((content) => content.trim() !== "", "must not be empty");
export const nonce = z
  .string()
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
