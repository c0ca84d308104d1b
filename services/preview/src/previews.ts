import type { Embed, Message } from "@fanfare/contract";
import type { NodeContext } from "@fanfare/kernel";
import { OutboundError, type Outbound } from "@fanfare/outbound";
import { LRUCache } from "lru-cache";
import {
  CACHE_MAX_AGE_MS,
  CACHED_PAGES,
  FETCH_CONCURRENCY,
  FETCH_TIMEOUT_MS,
  MAX_REDIRECTS,
  PAGE_MAX_BYTES,
  WAITING_MESSAGES,
} from "./bounds.ts";
import { findLinks } from "./find-links.ts";
import { parsePage } from "./parse-page.ts";

interface Waiting {
  message: Message;
  links: string[];
}

export interface PreviewsOptions {
  node: Pick<NodeContext, "call" | "logger">;
  outbound: Pick<Outbound, "request">;
}

/** Fetches what messages link to, a few at a time, and adds to the messages what the pages say of themselves. */
export class Previews {
  readonly #options: PreviewsOptions;
  readonly #waiting: Waiting[] = [];
  readonly #tasks = new Set<Promise<void>>();
  /** By address; with those that have none, so that they are not asked again and again. */
  readonly #pages = new LRUCache<string, { embed: Promise<Embed | null> }>({
    max: CACHED_PAGES,
    ttl: CACHE_MAX_AGE_MS,
  });
  readonly #stopping = new AbortController();

  constructor(options: PreviewsOptions) {
    this.#options = options;
  }

  add(messages: readonly Message[]): void {
    for (const message of messages) {
      const links = findLinks(message.content);
      if (links.length > 0 && this.#waiting.length < WAITING_MESSAGES) this.#waiting.push({ message, links });
    }
    this.#next();
  }

  async stop(): Promise<void> {
    this.#waiting.length = 0;
    this.#stopping.abort();
    await Promise.all(this.#tasks);
  }

  #next(): void {
    while (this.#tasks.size < FETCH_CONCURRENCY) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      const task = this.#preview(next)
        .catch((error: unknown) => this.#options.node.logger.warn({ err: error }, "a preview failed"))
        .finally(() => {
          this.#tasks.delete(task);
          this.#next();
        });
      this.#tasks.add(task);
    }
  }

  async #preview({ message, links }: Waiting): Promise<void> {
    const found = await Promise.all(links.map((link) => this.#page(link)));
    const embeds = found.filter((embed) => embed !== null);
    if (embeds.length === 0 || this.#stopping.signal.aborted) return;
    const { id: messageId, channelId, editedAt } = message;
    await this.#options.node.call("message.setEmbeds", { channelId, messageId, embeds, editedAt });
  }

  #page(url: string): Promise<Embed | null> {
    const known = this.#pages.get(url);
    if (known !== undefined) return known.embed;
    const embed = this.#fetch(url);
    this.#pages.set(url, { embed });
    return embed;
  }

  async #fetch(url: string): Promise<Embed | null> {
    try {
      const { status, body, contentType } = await this.#options.outbound.request({
        url,
        headers: { accept: "text/html,application/xhtml+xml" },
        timeoutMs: FETCH_TIMEOUT_MS,
        maxBytes: PAGE_MAX_BYTES,
        maxRedirects: MAX_REDIRECTS,
        wantsType: isHtml,
        signal: this.#stopping.signal,
      });
      return status === 200 ? parsePage(decode(body, contentType), url) : null;
    } catch (error) {
      if (error instanceof OutboundError) return null;
      throw error;
    }
  }
}

const isHtml = (contentType: string): boolean => /^(text\/html|application\/xhtml\+xml)\b/.test(contentType);

function decode(body: Buffer, contentType: string): string {
  const charset = /charset="?([\w-]+)/.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    // A character set that nobody knows.
    return new TextDecoder().decode(body);
  }
}
