import { setTimeout as wait } from "node:timers/promises";
import { LIMITS, parseMentions, type Call, type Message, type Result } from "@fanfare/contract";
import type { DomainEvents, Logger } from "@fanfare/kernel";
import { CROWD_SHARE, CROWDS_WAITING, MEMBERS_PER_PAGE, QUEUE_REST_MS } from "../bounds.ts";
import type { Candidate } from "./push-candidates.ts";

type Stored = DomainEvents["message.stored"];

/** A message that mentions many. */
interface Crowd {
  stored: Stored;
  message: Message;
  groupId: string;
  everyone: boolean;
}

export interface CrowdsOptions {
  call: Call;
  push: (stored: Stored, candidates: Candidate[]) => Promise<void>;
  /** So much waits to be sent that further pushes would be dropped. */
  isBusy: () => boolean;
  logger: Pick<Logger, "warn">;
}

/**
 * Goes through the members whom mentions of everybody and of roles mean, page by page, in the background and one mention after the
 * other; it rests after each page. What waits is lost with the process: the inbox has it all the same.
 */
export class Crowds {
  readonly #options: CrowdsOptions;
  readonly #waiting: Crowd[] = [];
  readonly #closing = new AbortController();
  #running: Promise<void> | null = null;

  constructor(options: CrowdsOptions) {
    this.#options = options;
  }

  add(stored: Stored): void {
    const { groupId } = stored;
    if (groupId === null || this.#closing.signal.aborted) return;
    for (const message of stored.messages) {
      const everyone = message.mentions?.everyone === true && meansEveryone(message.content);
      if (!everyone && (message.mentions?.roleIds.length ?? 0) === 0) continue;
      if (this.#waiting.length < CROWDS_WAITING) this.#waiting.push({ stored, message, groupId, everyone });
    }
    this.#begin();
  }

  /** Gives up what waits. */
  async stop(): Promise<void> {
    this.#closing.abort();
    this.#waiting.length = 0;
    await this.#running;
  }

  #begin(): void {
    if (this.#waiting.length === 0) return;
    this.#running ??= this.#work().finally(() => {
      this.#running = null;
      this.#begin();
    });
  }

  async #work(): Promise<void> {
    for (let crowd = this.#waiting.shift(); crowd !== undefined; crowd = this.#waiting.shift()) {
      await this.#tell(crowd).catch((error: unknown) =>
        this.#options.logger.warn({ err: error }, "a mention of many could not be pushed"),
      );
    }
  }

  async #tell({ stored, message, groupId, everyone }: Crowd): Promise<void> {
    const { call, push, isBusy } = this.#options;
    const mentions = message.mentions!;
    const told = new Set([message.authorId, ...mentions.userIds]);
    const reason = everyone ? "everyone" : "role";
    let afterUserId: string | null = null;
    for (let looked = 0; looked < LIMITS.membersPerMentionPush; looked += MEMBERS_PER_PAGE) {
      const begun = performance.now();
      const page: Result<"group.listMemberIds"> = await call("group.listMemberIds", {
        groupId,
        roleIds: everyone ? null : mentions.roleIds,
        afterUserId,
        limit: MEMBERS_PER_PAGE,
      });
      const userIds = page.userIds.filter((userId) => !told.has(userId));
      await push(
        stored,
        userIds.map((userId) => ({ userId, message, reason })),
      );
      afterUserId = page.nextUserId;
      if (afterUserId === null) return;
      await this.#rest((performance.now() - begun) * (1 / CROWD_SHARE - 1));
      while (isBusy() && !this.#closing.signal.aborted) await this.#rest(QUEUE_REST_MS);
      if (this.#closing.signal.aborted) return;
    }
  }

  async #rest(ms: number): Promise<void> {
    // Aborted: there is nothing more to wait for.
    await wait(ms, undefined, { signal: this.#closing.signal }).catch(() => undefined);
  }
}

const HERE = /(?<![\w@.])@here(?![\w@])/g;

/** @here means those who are there, and they are not pushed to. */
function meansEveryone(content: string): boolean {
  return parseMentions(content.replaceAll(HERE, "")).everyone;
}
