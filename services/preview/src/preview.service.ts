import { defineService, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { Outbound, OutboundError } from "@fanfare/outbound";
import type { Embed, Message } from "@fanfare/contract";
import { LRUCache } from "lru-cache";

/** Pages fetched concurrently per process. */
const FETCH_CONCURRENCY = 8;
/** Waiting messages; further ones get no preview. */
const WAITING_MESSAGES = 1000;
const LINKS_PER_MESSAGE = 3;
const FETCH_TIMEOUT_MS = 5000;
const PAGE_MAX_BYTES = 512 * 1024;
const MAX_REDIRECTS = 4;
/** Cached pages, including those without a preview. */
const CACHED_PAGES = 2000;
const CACHE_MAX_AGE_MS = 30 * 60 * 1000;

/** Adds link previews to messages. It has no actions: it listens to messages and changes them. */
export function createPreviewService(node: NodeContext): ReturnType<ServiceFactory> {
  // When previews are disabled there is no listener, so no events are sent to this service.
  if (!node.config.linkPreviews) return defineService(node, { name: "preview", actions: {} });
  const outbound = new Outbound({ userAgent: "Fanfare-Preview", allow: node.config.outboundAllow });
  const previews = createPreviews({ node, outbound });
  return defineService(node, {
    name: "preview",
    actions: {},
    events: {
      "message.stored": ({ messages }) => previews.add(messages),
      "message.edited": ({ message }) => previews.add([message]),
    },
    stopped: () => outbound.close(),
  });
}

interface Linking extends Pick<Message, "channelId" | "editedAt"> {
  links: string[];
}

interface PreviewsOptions {
  node: Pick<NodeContext, "services" | "jobs">;
  outbound: Pick<Outbound, "request">;
}

/** Fetches linked pages as jobs and adds previews to the messages. */
function createPreviews({ node, outbound }: PreviewsOptions) {
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

/** Fetches and caches previews of pages. */
export class Pages {
  readonly #outbound: Pick<Outbound, "request">;
  /** By URL, including pages without a preview, so that they aren't fetched repeatedly. */
  readonly #known = new LRUCache<string, { embed: Promise<Embed | null> }>({
    max: CACHED_PAGES,
    ttl: CACHE_MAX_AGE_MS,
  });

  constructor(outbound: Pick<Outbound, "request">) {
    this.#outbound = outbound;
  }

  /**
   * @returns null when the page has no preview
   * @throws when the fetch was aborted
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
      if (status !== 200) return null;
      const { parsePage } = await import("./parse-page.ts");
      return parsePage(decode(body, contentType), url);
    } catch (error) {
      // An aborted fetch says nothing about the page; the job runs again.
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
    // Unknown charset.
    return new TextDecoder().decode(body);
  }
}

const MAX_URL_CHARS = 2048;
/** Code, a link in angle brackets, which gets no preview, or a link. The alternatives start differently. */
const TOKEN = /```[\s\S]*?(?:```|$)|`[^`\n]*`|<https?:\/\/[^\s<>]*>|https?:\/\/[^\s<>"]+/gi;
const CLOSES: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** The first distinct links of a Markdown text that get a preview. */
export function findLinks(content: string): string[] {
  // A quick check that suffices for most messages.
  if (!content.includes("://")) return [];
  const links = new Set<string>();
  for (const [token] of content.matchAll(TOKEN)) {
    if (token.startsWith("`") || token.startsWith("<")) continue;
    const link = withoutEnd(token);
    if (link.length > MAX_URL_CHARS || !URL.canParse(link)) continue;
    links.add(new URL(link).href);
    if (links.size === LINKS_PER_MESSAGE) break;
  }
  return [...links];
}

/** Removes punctuation at the end of a sentence, and brackets that were opened before the link. */
function withoutEnd(token: string): string {
  let link = token;
  for (;;) {
    const last = link.at(-1) ?? "";
    const opening = CLOSES[last];
    const isEnd = opening === undefined ? ".,;:!?'*_~|".includes(last) : !isBalanced(link, opening, last);
    if (last === "" || !isEnd) return link;
    link = link.slice(0, -1);
  }
}

function isBalanced(link: string, opening: string, closing: string): boolean {
  return link.split(opening).length >= link.split(closing).length;
}
