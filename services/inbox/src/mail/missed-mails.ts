import { LIMITS, type Locale, type Message, type Params } from "@fanfare/contract";
import { boundedMap, can, chunks, type NodeContext } from "@fanfare/kernel";
import { MISSED_PER_EMAIL, MISSED_WAIT_MS, QUERY_CONCURRENCY } from "../constants.ts";
import { whenDue } from "../due.ts";
import { isAfter, lookUpPlaces, type Place } from "../inbox.ts";
import type { MarkerRepository } from "../marker.repository.ts";
import type { PreferencesRepository } from "../preferences.repository.ts";
import {
  type Candidate,
  filterBlocked,
  filterWanted,
  type MessagePlace,
  type Reason,
  wantsNotification,
} from "../push/candidates.ts";
import { namesIn, pushText } from "../push/texts.ts";
import { messagesOf } from "../saved.ts";
import type { SettingRepository } from "../setting.repository.ts";
import type { MissedDocument, MissedRepository } from "./missed.repository.ts";

/** Mentions of everyone are not emailed: in a large group, they would fill many mailboxes at once. */
const EMAILED: ReadonlySet<Reason> = new Set<Reason>(["direct", "mention", "keyword", "role"]);

interface MissedMailsOptions {
  node: NodeContext;
  missed: MissedRepository;
  markers: MarkerRepository;
  settings: SettingRepository;
  preferences: PreferencesRepository;
}

interface Item {
  message: Message;
  reason: Reason;
  groupId: string | null;
}

/** Call it with the candidates for notifications of new messages. The rest is decided when the email is due. */
export type NoteMissed = (place: MessagePlace, candidates: readonly Candidate[]) => Promise<void>;

/**
 * Emails users who are not connected about what they have missed, one email for all of it. A crash at the wrong moment loses an
 * email; the inbox still has the messages.
 * @returns null when the server sends no emails
 */
export function createMissedMails(options: MissedMailsOptions): NoteMissed | null {
  const { node, missed, settings } = options;
  if (node.config.smtp === undefined) return null;
  const noteTime = whenDue(
    node,
    "inbox.mailMissed",
    missed,
    () => (document) => mailMissed(options, document),
  );
  return async (place, candidates) => {
    const emailed = candidates.filter(({ reason }) => EMAILED.has(reason));
    const away = new Set<string>();
    for (const userIds of chunks([...new Set(emailed.map(({ userId }) => userId))], LIMITS.usersPerLookup))
      for (const userId of await listAway(node, userIds)) away.add(userId);
    const missing = emailed.filter(({ userId }) => away.has(userId));
    if (missing.length === 0) return;
    const wanted = await filterBlocked(node.services, await filterWanted(settings, place, missing));
    // What a user can't see must not displace the rest.
    const seen = await boundedMap(wanted, QUERY_CONCURRENCY, async (one) =>
      can(await node.access.get(one.userId, { channelId: place.channelId }), "view") ? [one] : [],
    );
    const dueAt = seen.flat().length === 0 ? null : await missed.add(seen.flat());
    if (dueAt !== null) await noteTime(dueAt);
  };
}

async function listAway({ services }: NodeContext, userIds: string[]): Promise<string[]> {
  return (await services.presence.listAway({ userIds, withDoNotDisturb: true })).userIds;
}

async function mailMissed(options: MissedMailsOptions, document: MissedDocument): Promise<void> {
  const { node, missed, preferences } = options;
  const userId = document._id;
  const { emails } = await preferences.find(userId);
  const { mailbox } = emails === "off" ? { mailbox: null } : await node.services.user.findMailbox({ userId });
  const isAway = mailbox !== null && (await listAway(node, [userId])).length === 1;
  const items = isAway ? await unreadOf(options, document, mailbox.activeAt) : [];
  if (emails === "off" || mailbox === null || items.length === 0) return void (await missed.take(document));
  const dueAt = new Date(firstMissedMs(document, items[0]!, mailbox.activeAt) + MISSED_WAIT_MS[emails]);
  if (dueAt > new Date()) return void (await missed.postpone(document, dueAt));
  const shown = items.slice(-MISSED_PER_EMAIL);
  const email = {
    userId,
    items: await present(node, mailbox.locale, shown),
    more: items.length - shown.length,
    path: pathTo(shown.at(-1)!),
    unsubscribePath: unsubscribePath(node, userId),
    // With the count: after a failure, the next email also has what was missed in between.
    key: `${userId}:${document.since.getTime()}:${document.count}`,
  };
  // Otherwise more was missed in between: the next run includes it.
  if (!(await missed.take(document))) return;
  await node.services.user.mailMissed(email).catch(async (error: unknown) => {
    await missed.putBack(document);
    throw error;
  });
}

/** The oldest message of the email was not the first one if newer ones have displaced others. */
function firstMissedMs(
  { missed, count, since }: MissedDocument,
  oldest: Item,
  activeAt: string | null,
): number {
  if (count === missed.length) return Date.parse(oldest.message.createdAt);
  return Math.max(since.getTime(), activeAt === null ? 0 : Date.parse(activeAt));
}

const pathTo = ({ groupId, message: { id, channelId } }: Item): string =>
  `${groupId === null ? "/direct" : `/groups/${groupId}/channels`}/${channelId}?message=${id}`;

/** What the user has not read, can see and wants to be notified of now, oldest first. @param activeAt only later ones */
async function unreadOf(
  { node, markers, settings }: MissedMailsOptions,
  { _id: userId, missed }: MissedDocument,
  activeAt: string | null,
): Promise<Item[]> {
  const found = await messagesOf(node.services, missed);
  const messages = [...found.values()].filter(({ createdAt }) => activeAt === null || createdAt > activeAt);
  const places = new Map<string, Place | null>();
  await lookUpPlaces(node, userId, messages, places);
  const channelIds = [...places].flatMap(([channelId, place]) => (place === null ? [] : channelId));
  if (channelIds.length === 0) return [];
  const groupIds = [...places.values()].flatMap((place) => place?.groupId ?? []);
  const reasons = new Map(missed.map(({ messageId, reason }) => [messageId, reason]));
  const candidates = messages.map((message) => ({ userId, message, reason: reasons.get(message.id)! }));
  const [{ heads }, marker, chosen, unblocked] = await Promise.all([
    node.services.message.listHeads({ userId, channelIds }),
    markers.find(userId),
    settings.findFor([userId], [...channelIds, ...groupIds]),
    filterBlocked(node.services, candidates),
  ]);
  const read = new Map(heads.map(({ channelId, lastReadSeq }) => [channelId, lastReadSeq]));
  const isUnread = ({ message: { id, channelId, seq }, reason }: Candidate): boolean =>
    seq > read.get(channelId)! &&
    // Direct messages and keywords are not in the inbox.
    (["direct", "keyword"].includes(reason) ||
      (isAfter(id, marker.readUpToId) && isAfter(id, marker.clearedUpToId)));
  const nowMs = Date.now();
  return unblocked
    .toSorted((a, b) => (a.message.id < b.message.id ? -1 : 1))
    .flatMap((candidate) => {
      const { message, reason } = candidate;
      const place = places.get(message.channelId);
      if (!place || !isUnread(candidate)) return [];
      const setting = (placeId: string | null) => chosen.get(`${userId}:${placeId}`);
      if (!wantsNotification(reason, setting(place.groupId), setting(message.channelId), nowMs)) return [];
      return [{ message, reason, groupId: place.groupId }];
    });
}

async function present(
  { services }: NodeContext,
  locale: Locale,
  items: readonly Item[],
): Promise<Params<"user.mailMissed">["items"]> {
  const channelIds = [...new Set(items.map(({ message }) => message.channelId))];
  const { channels } = await services.channel.listNames({ channelIds });
  const places = new Map(channels.map((one) => [one.channelId, `#${one.name}, ${one.groupName}`]));
  const names = new Map<string | null, Map<string, string>>();
  for (const [groupId, some] of Map.groupBy(items, (item) => item.groupId)) {
    const messages = some.map(({ message }) => message);
    names.set(groupId, await namesIn(services, groupId, messages));
  }
  return items.map(({ message, reason, groupId }) => {
    const { title, body } = pushText(locale, reason, message, names.get(groupId)!);
    return { title, place: places.get(message.channelId) ?? null, at: message.createdAt, text: body };
  });
}

type Signing = Pick<NodeContext, "signerFor">;
const PURPOSE = "unsubscribe";

/** The path of the link, also for `List-Unsubscribe`. It works as long as the server's secret does, because emails are kept. */
function unsubscribePath(node: Signing, userId: string): string {
  return `/unsubscribe?token=${userId}.${node.signerFor(PURPOSE).sign(userId)}`;
}

/** @returns the id of the user whom the token was made for; null: it is invalid */
export function userOfUnsubscribeToken(node: Signing, token: string): string | null {
  const at = token.indexOf(".");
  const userId = token.slice(0, at);
  return node.signerFor(PURPOSE).verify(userId, token.slice(at + 1)) ? userId : null;
}
