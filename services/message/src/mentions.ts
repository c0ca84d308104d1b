import { type Services, mentionKey, type Mentions, parseMentions, userRoom } from "@fanfare/contract";
import { type Access, can } from "@fanfare/kernel";
import type { MessageDocument } from "./message.model.ts";

interface MentionContext {
  authorId: string;
  channelId: string;
  /** Of the author. */
  access: Access;
  group: Pick<Services["group"], "findMentioned">;
  /** The mentions before an edit. Those users stay, even if they have left, or haven't joined yet after an import. */
  before?: Mentions | undefined;
}

/** The mentions of a message and the keys of its inbox entries. Both absent: no mentions. */
interface Mentioned {
  mentions?: Mentions;
  mentionKeys?: readonly string[];
}

export const NO_ONE: Mentioned = {};

/**
 * Resolves the mentions of a text with the permissions of its author. Mentions without permission are treated as plain text, and so
 * are those of users and roles of other places: they would only fill the inboxes of users who can't see the message.
 * @param repliedTo the author of the message replied to, who is mentioned too
 */
export async function resolveMentions(
  content: string,
  context: MentionContext,
  repliedTo: string | null = null,
): Promise<Mentioned> {
  const parsed = parseMentions(content);
  const named = new Set(parsed.userIds);
  if (repliedTo !== null) named.add(repliedTo);
  named.delete(context.authorId);
  const everyone = parsed.everyone && can(context.access, "mentionEveryone");
  const { userIds, roleIds } = await findInPlace([...named], parsed.roleIds, context);
  if (userIds.length === 0 && roleIds.length === 0 && !everyone) return NO_ONE;
  const mentions = { userIds, roleIds, everyone };
  return { mentions, mentionKeys: keysOf(mentions, context.access.groupId ?? context.channelId) };
}

/** The users of the group or direct channel, and the roles that the author can mention. One call, or none if no one is named. */
async function findInPlace(
  named: readonly string[],
  namedRoles: string[],
  { access, group, before }: MentionContext,
): Promise<Pick<Mentions, "userIds" | "roleIds">> {
  const { groupId, rooms } = access;
  const kept = new Set(before?.userIds);
  const unknown = named.filter((id) => !kept.has(id));
  if (groupId === null) {
    // The rooms of a direct channel are those of its users.
    const isMember = (id: string): boolean => kept.has(id) || rooms.includes(userRoom(id));
    return { userIds: named.filter(isMember), roleIds: [] };
  }
  if (unknown.length === 0 && namedRoles.length === 0) return { userIds: [...named], roleIds: [] };
  const found = await group.findMentioned({ groupId, userIds: unknown, roleIds: namedRoles });
  const members = new Set(found.userIds);
  const isAnyAllowed = can(access, "mentionEveryone");
  const allowed = found.roles.filter(({ mentionable }) => mentionable || isAnyAllowed).map(({ id }) => id);
  return {
    userIds: named.filter((id) => kept.has(id) || members.has(id)),
    roleIds: namedRoles.filter((id) => allowed.includes(id)),
  };
}

function keysOf({ userIds, roleIds, everyone }: Mentions, placeId: string): string[] {
  return [
    ...userIds.map(mentionKey.user),
    ...roleIds.map(mentionKey.role),
    ...(everyone ? [mentionKey.all(placeId)] : []),
  ];
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
