import { type Services, mentionKey, type Mentions, parseMentions } from "@fanfare/contract";
import { type Access, can } from "@fanfare/kernel";
import type { MessageDocument } from "./message.model.ts";

interface MentionContext {
  authorId: string;
  channelId: string;
  access: Access;
  /** On behalf of the author. null: roles that not everyone can mention are omitted. */
  services: Services | null;
}

/** The mentions of a message and the keys of its inbox entries. Both absent: no mentions. */
interface Mentioned {
  mentions?: Mentions;
  mentionKeys?: readonly string[];
}

export const NO_ONE: Mentioned = {};

/**
 * Resolves the mentions of a text with the permissions of its author. Mentions without permission are treated as plain text.
 * @param repliedTo the author of the message replied to, who is mentioned too
 */
export async function resolveMentions(
  content: string,
  context: MentionContext,
  repliedTo: string | null = null,
): Promise<Mentioned> {
  const parsed = parseMentions(content);
  const userIds = new Set(parsed.userIds);
  if (repliedTo !== null) userIds.add(repliedTo);
  userIds.delete(context.authorId);
  const canMentionEveryone = can(context.access, "mentionEveryone");
  const everyone = parsed.everyone && canMentionEveryone;
  const roleIds =
    canMentionEveryone || parsed.roleIds.length === 0
      ? parsed.roleIds
      : await mentionable(parsed.roleIds, context);
  if (userIds.size === 0 && roleIds.length === 0 && !everyone) return NO_ONE;
  const mentions = { userIds: [...userIds], roleIds, everyone };
  return { mentions, mentionKeys: keysOf(mentions, context.access.groupId ?? context.channelId) };
}

function keysOf({ userIds, roleIds, everyone }: Mentions, placeId: string): string[] {
  return [
    ...userIds.map(mentionKey.user),
    ...roleIds.map(mentionKey.role),
    ...(everyone ? [mentionKey.all(placeId)] : []),
  ];
}

/** Few texts mention a role, so this is not cached. */
async function mentionable(
  roleIds: readonly string[],
  { access: { groupId }, services }: MentionContext,
): Promise<string[]> {
  if (groupId === null || services === null) return [];
  const { roles } = await services.role.list({ groupId });
  return roleIds.filter((roleId) => roles.some((role) => role.id === roleId && role.mentionable));
}

type MentionFields = Pick<MessageDocument, "mentionKeys" | "mentionedId" | "mentionedIn" | "mentionedSeq">;
type NoMentions = { [K in keyof MentionFields]: undefined };

const NO_MENTIONS: NoMentions = {
  mentionKeys: undefined,
  mentionedId: undefined,
  mentionedIn: undefined,
  mentionedSeq: undefined,
};

/** The fields by which a message is found by its mentions. */
export function mentionedBy(
  { _id, channelId, seq }: Pick<MessageDocument, "_id" | "channelId" | "seq">,
  keys: readonly string[],
): MentionFields | NoMentions {
  if (keys.length === 0) return NO_MENTIONS;
  return { mentionKeys: [...keys], mentionedId: _id, mentionedIn: channelId, mentionedSeq: seq };
}
