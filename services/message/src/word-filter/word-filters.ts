import type { Call } from "@fanfare/contract";
import { serviceError, type Access } from "@fanfare/kernel";
import { LRUCache } from "lru-cache";
import { KNOWN_WORD_FILTERS } from "../bounds.ts";
import { compileWords, maskHits, type Hit } from "./match-words.ts";

interface Known {
  rev: number;
  find: (text: string) => Hit[];
  isMasking: boolean;
}

/**
 * What groups do not want to be written. Access says which rev of the filter holds for whom, and is forgotten everywhere when it
 * changes, so what is remembered here is never too old.
 */
export class WordFilters {
  readonly #call: Call;
  readonly #known = new LRUCache<string, Known>({ max: KNOWN_WORD_FILTERS });

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * @returns the text as it may be written
   * @throws {ServiceError} MESSAGE_FILTERED
   */
  async apply({ groupId, wordFilterRev }: Access, content: string): Promise<string> {
    if (wordFilterRev === undefined || groupId === null) return content;
    const known = this.#known.get(groupId);
    const filter = known !== undefined && known.rev >= wordFilterRev ? known : await this.#read(groupId);
    const hits = filter.find(content);
    if (hits.length === 0) return content;
    if (!filter.isMasking) throw serviceError("MESSAGE_FILTERED");
    return maskHits(content, hits);
  }

  async #read(groupId: string): Promise<Known> {
    const { wordFilter, rev } = await this.#call("group.readWordFilter", { groupId });
    const read = { rev, find: compileWords(wordFilter.words), isMasking: wordFilter.onHit === "mask" };
    this.#known.set(groupId, read);
    return read;
  }
}
