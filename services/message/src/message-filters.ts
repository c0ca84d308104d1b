import { createHash } from "node:crypto";
import {
  type Card,
  type Control,
  LIMITS,
  mapCards,
  mapControls,
  type Message,
  type MessageRuleName,
  type MessageRules,
  parseMentions,
  type Poll,
  type Services,
  textOf,
  urlsOf,
} from "@fanfare/contract";
import { type Access, type Logger, serviceError, type SharedCounters } from "@fanfare/kernel";
import { LRUCache } from "lru-cache";
import { WORD_FILTER_CACHE_SIZE } from "./constants.ts";
import { compileWords, type Hit, maskHits, normalized } from "./word-filters.ts";

interface Known {
  rev: number;
  find: (text: string) => Hit[];
  isMasking: boolean;
  rules: MessageRules;
}

/** What a message consists of that its readers see as text. */
interface Written {
  authorId: string;
  content: string;
  poll?: Poll | undefined;
  cards?: Card[] | undefined;
  controls?: Control[] | undefined;
}

interface Filtered<W> {
  /** Masked if necessary. */
  written: W;
  /** The rule because of which the message has to be reported. */
  reportedBy: MessageRuleName | null;
  /** Of that rule, if it has a number. */
  limit: number | null;
  /** For a message that couldn't be stored: it is not counted as repeated. */
  giveBack: () => void;
}

interface MessageFiltersOptions {
  services: Services;
  counters: SharedCounters;
  logger: Pick<Logger, "warn">;
}

/**
 * Applies the word filters and rules of groups. The access of a user contains the rev of the filter, and cached access is
 * invalidated when it changes, so a cached filter is never outdated.
 */
export class MessageFilters {
  readonly #options: MessageFiltersOptions;
  readonly #known = new LRUCache<string, Known>({ max: WORD_FILTER_CACHE_SIZE });

  constructor(options: MessageFiltersOptions) {
    this.#options = options;
  }

  /**
   * @param isNew whether it is neither an edit nor a copy: only new messages can repeat others
   * @throws {ServiceError} MESSAGE_FILTERED, MESSAGE_REFUSED
   */
  async apply<W extends Written>(
    { groupId, wordFilterRev }: Access,
    written: W,
    isNew: boolean,
  ): Promise<Filtered<W>> {
    const passed = { written, reportedBy: null, limit: null, giveBack: () => undefined };
    if (wordFilterRev === undefined || groupId === null) return passed;
    const known = this.#known.get(groupId);
    const filter = known !== undefined && known.rev >= wordFilterRev ? known : await this.#read(groupId);
    const { find, isMasking, rules } = filter;
    const { authorId, cards = [], controls = [] } = written;
    const texts: string[] = [];
    const masked = mapTexts(written, (text) => {
      texts.push(text);
      const hits = find(text);
      if (hits.length > 0 && !isMasking) throw serviceError("MESSAGE_FILTERED");
      return hits.length === 0 ? text : maskHits(text, hits);
    });
    const content = [...texts, ...urlsOf(cards, controls)].join("\n");
    const broken = brokenRules(rules, { content, authorId });
    refuse(rules, broken);
    const repeat =
      isNew && rules.repeats !== null && content !== ""
        ? await this.#countRepeat(`${groupId}:${authorId}`, content, rules.repeats.max)
        : null;
    if (repeat?.isTooOften === true) {
      broken.push("repeats");
      if (rules.repeats?.onHit === "block") repeat.giveBack();
      refuse(rules, broken);
    }
    const [reportedBy = null] = broken;
    return {
      written: masked,
      reportedBy,
      limit: reportedBy === null ? null : limitOf(rules, reportedBy),
      giveBack: repeat?.giveBack ?? passed.giveBack,
    };
  }

  /** Never rejects: the message is already stored. */
  async report(groupId: string, message: Message, rule: MessageRuleName): Promise<void> {
    const { id: messageId, channelId, authorId, createdAt: sentAt, attachments = [] } = message;
    const content = textOf(message);
    const fileNames = attachments.map(({ name }) => name);
    const report = { groupId, channelId, messageId, authorId, content, fileNames, sentAt, rule };
    await this.#options.services.report
      .createByRule(report)
      .catch((error: unknown) =>
        this.#options.logger.warn({ err: error, messageId }, "message not reported"),
      );
  }

  /** If the counters are unavailable, no message counts as repeated. */
  async #countRepeat(author: string, content: string, max: number) {
    const text = createHash("sha256").update(normalized(content)).digest("base64url").slice(0, 22);
    const add = async (points: number): Promise<number> => {
      try {
        const step = [`repeat:${author}:${text}`, points, LIMITS.repeatWindowMs];
        return (await this.#options.counters.add(step))[0]!;
      } catch (error) {
        this.#options.logger.warn({ err: error }, "counters of repeated messages unavailable");
        return 0;
      }
    };
    const isTooOften = (await add(1)) > max;
    return { isTooOften, giveBack: () => void add(-1) };
  }

  async #read(groupId: string): Promise<Known> {
    const { wordFilter, rev } = await this.#options.services.group.readWordFilter({ groupId });
    const { words, onHit, rules } = wordFilter;
    const read = { rev, find: compileWords(words), isMasking: onHit === "mask", rules };
    this.#known.set(groupId, read);
    return read;
  }
}

function mapTexts<W extends Written>(written: W, change: (text: string) => string): W {
  const { content, poll, cards, controls } = written;
  return {
    ...written,
    content: change(content),
    ...(poll !== undefined && { poll: { ...poll, options: poll.options.map(change) } }),
    ...(cards !== undefined && { cards: mapCards(cards, change) }),
    ...(controls !== undefined && { controls: mapControls(controls, change) }),
  };
}

/** @throws {ServiceError} MESSAGE_REFUSED if one of the broken rules blocks messages */
function refuse(rules: MessageRules, broken: readonly MessageRuleName[]): void {
  const rule = broken.find((name) => rules[name]?.onHit === "block");
  if (rule !== undefined) throw serviceError("MESSAGE_REFUSED", { rule, limit: limitOf(rules, rule) });
}

const HOUR_MS = 60 * 60 * 1000;

/** Unlike for previews, a link in code counts too: it could be copied. */
const LINK = /(?:https?:\/\/|(?<![\p{L}\p{N}])www\.)\[?[^\s<>"'`()[\]{}|\\，。、；：！？（）「」]+/giu;

/** The hosts that a text links to; null for an address that is not understood. */
export function linkedHosts(content: string): (string | null)[] {
  return [...content.matchAll(LINK)].map(([link]) => {
    const address = /^www\./i.test(link) ? `https://${link}` : link;
    return URL.parse(address.replace(/[.,;:!?*_~]+$/, ""))?.hostname ?? null;
  });
}

function isAllowed(host: string | null, allowedHosts: readonly string[]): boolean {
  return allowedHosts.some((allowed) => host === allowed || host?.endsWith(`.${allowed}`) === true);
}

/** A user's id begins with the second in which the account was created. */
const createdMs = (userId: string): number => Number.parseInt(userId.slice(0, 8), 16) * 1000;

/** The rules that a text itself breaks, without `repeats`. */
export function brokenRules(
  rules: MessageRules,
  { content, authorId }: { content: string; authorId: string },
  nowMs: number = Date.now(),
): MessageRuleName[] {
  const { links, mentions, newAccounts } = rules;
  const broken: MessageRuleName[] = [];
  if (newAccounts !== null && nowMs - createdMs(authorId) < newAccounts.hours * HOUR_MS)
    broken.push("newAccounts");
  if (mentions !== null && countMentions(content) > mentions.max) broken.push("mentions");
  if (links !== null && linkedHosts(content).some((host) => !isAllowed(host, links.allowedHosts)))
    broken.push("links");
  return broken;
}

function countMentions(content: string): number {
  const { userIds, roleIds, everyone } = parseMentions(content);
  return userIds.length + roleIds.length + Number(everyone);
}

/** What the author has to keep to, if it is a number. */
function limitOf(rules: MessageRules, name: MessageRuleName): number | null {
  switch (name) {
    case "links":
      return null;
    case "newAccounts":
      return rules.newAccounts?.hours ?? null;
    default:
      return rules[name]?.max ?? null;
  }
}
