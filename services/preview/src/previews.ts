import type { Embed, Message } from "@fanfare/contract";
import { BackgroundQueue, type NodeContext } from "@fanfare/kernel";
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
  readonly #queue: BackgroundQueue<Waiting>;
  /** By address; with those that have none, so that they are not asked again and again. */
  readonly #pages = new LRUCache<string, { embed: Promise<Embed | null> }>({
    max: CACHED_PAGES,
    ttl: CACHE_MAX_AGE_MS,
  });

  constructor(options: PreviewsOptions) {
    this.#options = options;
    this.#queue = new BackgroundQueue({
      atOnce: FETCH_CONCURRENCY,
      waiting: WAITING_MESSAGES,
      work: (waiting, signal) =>
        this.#preview(waiting, signal).catch((error: unknown) =>
          options.node.logger.warn({ err: error }, "a preview failed"),
        ),
    });
  }

  add(messages: readonly Message[]): void {
    for (const message of messages) {
      const links = findLinks(message.content);
      if (links.length > 0) this.#queue.add({ message, links });
    }
  }

  stop(): Promise<void> {
    return this.#queue.stop();
  }

  async #preview({ message, links }: Waiting, signal: AbortSignal): Promise<void> {
    const found = await Promise.all(links.map((link) => this.#page(link, signal)));
    const embeds = found.filter((embed) => embed !== null);
    if (embeds.length === 0 || signal.aborted) return;
    const { id: messageId, channelId, editedAt } = message;
    await this.#options.node.call("message.setEmbeds", { channelId, messageId, embeds, editedAt });
  }

  #page(url: string, signal: AbortSignal): Promise<Embed | null> {
    const known = this.#pages.get(url);
    if (known !== undefined) return known.embed;
    const embed = this.#fetch(url, signal);
    this.#pages.set(url, { embed });
    return embed;
  }

  async #fetch(url: string, signal: AbortSignal): Promise<Embed | null> {
    try {
      const { status, body, contentType } = await this.#options.outbound.request({
        url,
        headers: { accept: "text/html,application/xhtml+xml" },
        timeoutMs: FETCH_TIMEOUT_MS,
        maxBytes: PAGE_MAX_BYTES,
        maxRedirects: MAX_REDIRECTS,
        wantsType: isHtml,
        signal,
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
