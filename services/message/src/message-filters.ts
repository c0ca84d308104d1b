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
  type Poll,
  type Services,
  textOf,
  urlsOf,
} from "@fanfare/contract";
import { type Access, type Logger, serviceError, type SharedCounters } from "@fanfare/kernel";
import { LRUCache } from "lru-cache";
import { WORD_FILTER_CACHE_SIZE } from "./constants.ts";
import { brokenRules, limitOf } from "./message-rules.ts";
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
  readonly #services: Services;
  readonly #counters: SharedCounters;
  readonly #logger: Pick<Logger, "warn">;
  readonly #known = new LRUCache<string, Known>({ max: WORD_FILTER_CACHE_SIZE });

  constructor({ services, counters, logger }: MessageFiltersOptions) {
    this.#services = services;
    this.#counters = counters;
    this.#logger = logger;
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
    await this.#services.report
      .createByRule(report)
      .catch((error: unknown) => this.#logger.warn({ err: error, messageId }, "message not reported"));
  }

  /** If the counters are unavailable, no message counts as repeated. */
  async #countRepeat(author: string, content: string, max: number) {
    const text = createHash("sha256").update(normalized(content)).digest("base64url").slice(0, 22);
    const add = async (points: number): Promise<number> => {
      try {
        const step = [`repeat:${author}:${text}`, points, LIMITS.repeatWindowMs];
        return (await this.#counters.add(step))[0]!;
      } catch (error) {
        this.#logger.warn({ err: error }, "counters of repeated messages unavailable");
        return 0;
      }
    };
    const isTooOften = (await add(1)) > max;
    return { isTooOften, giveBack: () => void add(-1) };
  }

  async #read(groupId: string): Promise<Known> {
    const { wordFilter, rev } = await this.#services.group.readWordFilter({ groupId });
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
