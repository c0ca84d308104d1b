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

interface Linking extends Pick<Message, "channelId" | "editedAt"> {
  links: string[];
}

interface PreviewsOptions {
  node: Pick<NodeContext, "services" | "jobs">;
  outbound: Pick<Outbound, "request">;
}

/** Fetches linked pages as jobs and adds previews to the messages. */
export function createPreviews({ node, outbound }: PreviewsOptions) {
  const pages = new Pages(outbound);
  const jobs = node.jobs.define<Linking>("preview.fetch", {
    concurrency: FETCH_CONCURRENCY,
    maxWaiting: WAITING_MESSAGES,
    run: async ({ key: messageId, payload: { channelId, editedAt, links }, signal }) => {
      const found = await Promise.all(links.map((link) => pages.get(link, signal)));
      signal.throwIfAborted();
      const embeds = found.filter((embed) => embed !== null);
      if (embeds.length === 0) return;
      await node.services.message.setEmbeds({ channelId, messageId, embeds, editedAt });
    },
  });
  return {
    async add(messages: readonly Message[]): Promise<void> {
      for (const { id, channelId, content, editedAt } of messages) {
        const links = findLinks(content);
        if (links.length > 0 && !jobs.isFull) await jobs.enqueue(id, { channelId, editedAt, links });
      }
    },
  };
}

/** The previews of pages, remembered for a while. */
export class Pages {
  readonly #outbound: Pick<Outbound, "request">;
  /** By address; with those that have none, so that they are not asked again and again. */
  readonly #known = new LRUCache<string, { embed: Promise<Embed | null> }>({
    max: CACHED_PAGES,
    ttl: CACHE_MAX_AGE_MS,
  });

  constructor(outbound: Pick<Outbound, "request">) {
    this.#outbound = outbound;
  }

  /**
   * @returns null if the page has no preview
   * @throws if the fetch was cut off
   */
  get(url: string, signal: AbortSignal): Promise<Embed | null> {
    const known = this.#known.get(url);
    if (known !== undefined) return known.embed;
    const embed = this.#fetch(url, signal);
    this.#known.set(url, { embed });
    return embed;
  }

  async #fetch(url: string, signal: AbortSignal): Promise<Embed | null> {
    try {
      const { status, body, contentType } = await this.#outbound.request({
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
      // A fetch that was cut off says nothing about the page. The job runs again.
      if (error instanceof OutboundError && !signal.aborted) return null;
      this.#known.delete(url);
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
