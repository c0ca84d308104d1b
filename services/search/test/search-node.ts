import {
  MEMBER_PERMISSIONS,
  NO_PERMISSIONS,
  type ActionName,
  type Channel,
  type Message,
  type Params,
  type Result,
} from "@fanfare/contract";
import { defineService, loadConfig, startNode, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { startOwnDatabase } from "../../../test/support/database.ts";
import { createEntries, type SearchEntries } from "../src/entries.ts";
import { createSearchService } from "../src/search.service.ts";

/** A process with the search service; tests control the logs and all permissions. */
export interface SearchNode {
  node: NodeContext;
  entries: SearchEntries;
  /** The log of each channel, in order of seq. */
  logs: Map<string, Message[]>;
  /** The parent of each thread. */
  parents: Map<string, string>;
  /** The channels visible to each user. */
  sees: Map<string, Set<string>>;
  /** The group of channels that aren't in `GROUP_ID`; null: direct channels. */
  groups: Map<string, string | null>;
  /** Calls of `message.listChanges`. */
  reads: { channelId: string; afterRev: number }[];
  write(channelId: string, content: string, more?: Partial<Message>): Message;
  change(message: Message, more: Partial<Message>): Message;
  as<N extends ActionName>(userId: string, name: N, params: Params<N>): Promise<Result<N>>;
  stop(): Promise<void>;
}

export const GROUP_ID = "f".repeat(24);
/** Lists a user's channels in pages, as for large groups. */
const CHANNELS_PER_PAGE = 100;

type AnyCall = (name: string, params: unknown, options: object) => Promise<never>;

let ids = 0;
/** Ids in increasing order, like those of the database. */
export function newId(time = Date.now()): string {
  return (
    Math.floor(time / 1000)
      .toString(16)
      .padStart(8, "0") + (ids += 1).toString(16).padStart(16, "0")
  );
}

/** @param inDocuments stores entries as in MongoDB, not in the full-text index of the embedded database */
export async function startSearchNode(
  env: Record<string, string>,
  { inDocuments = false } = {},
): Promise<SearchNode> {
  const chosen = (node: NodeContext): NodeContext =>
    inDocuments ? (Object.create(node, { isDatabaseEmbedded: { value: false } }) as NodeContext) : node;
  const logs = new Map<string, Message[]>();
  const byId = new Map<string, Message>();
  const parents: SearchNode["parents"] = new Map();
  const sees = new Map<string, Set<string>>();
  const groups: SearchNode["groups"] = new Map();
  const groupOf = (channelId: string): string | null =>
    groups.has(channelId) ? groups.get(channelId)! : GROUP_ID;
  const reads: SearchNode["reads"] = [];
  let call: AnyCall | undefined;
  let revs = new Map<string, number>();
  const changedAt = new Map<string, number>();
  const headOf = (channelId: string) => ({
    seq: logs.get(channelId)?.length ?? 0,
    rev: revs.get(channelId) ?? 0,
  });
  const others: ServiceFactory = (node) =>
    defineService(node, {
      name: "others",
      actions: {
        "group.access": ({ params: { userId, channelId } }) => ({
          permissions:
            sees.get(userId)?.has(parents.get(channelId ?? "") ?? channelId ?? "") === true
              ? MEMBER_PERMISSIONS
              : NO_PERMISSIONS,
          groupId: groupOf(parents.get(channelId ?? "") ?? channelId ?? ""),
          mutedUntil: null,
          rooms: [],
        }),
        "channel.findThreads": ({ params: { channelIds } }) => ({
          channels: channelIds.flatMap((id) => {
            const parentId = parents.get(id);
            return parentId === undefined ? [] : [{ id, parentId } as Channel];
          }),
        }),
        "message.listChangedThreads": ({ params: { groups: asked, limit } }) => ({
          threads: [...parents.keys()]
            .filter((id) => logs.has(id))
            .map((id) => ({
              groupId: groupOf(parents.get(id)!)!,
              channelId: id,
              head: headOf(id),
              cursor: `${changedAt.get(id)!}-${id}`,
            }))
            .filter((thread) =>
              asked.some(({ groupId, after }) => thread.groupId === groupId && thread.cursor > after),
            )
            .sort((a, b) => (a.cursor < b.cursor ? -1 : 1))
            .slice(0, limit),
        }),
        "group.listUserChannels": ({ params: { userId, cursor } }) => {
          const seen = [...(sees.get(userId) ?? [])].sort();
          const channels = seen.filter((id) => id > (cursor ?? "")).slice(0, CHANNELS_PER_PAGE);
          return {
            channels: channels.map((channelId) => ({ channelId, groupId: groupOf(channelId) })),
            places: [],
            nextCursor: channels.length === CHANNELS_PER_PAGE ? channels.at(-1)! : null,
          };
        },
        "message.listHeads": ({ params: { channelIds } }) => ({
          heads: channelIds.map((channelId) => ({ channelId, head: headOf(channelId), lastReadSeq: 0 })),
        }),
        "message.listChanges": ({ params: { channelId, afterRev, limit } }) => {
          reads.push({ channelId, afterRev });
          const changed = (logs.get(channelId) ?? []).filter(({ rev }) => rev > afterRev);
          return { messages: changed.sort((a, b) => a.rev - b.rev).slice(0, limit) };
        },
        "message.getMany": ({ params: { messageIds } }) => ({
          stoppedAt: null,
          messages: messageIds
            .flatMap((id) => byId.get(id) ?? [])
            .filter(({ deletedAt }) => deletedAt === null),
        }),
      },
    });
  // Tests make every user a member of the group.
  const channels: ServiceFactory = () => ({
    name: "channels",
    settings: { $noServiceNamePrefix: true },
    actions: {
      "channel.list": {
        handler: ({
          meta,
          params,
        }: {
          meta: { actor: { userId: string } };
          params: { groupId: string };
        }) => ({
          channels: [...(sees.get(meta.actor.userId) ?? [])]
            .filter((id) => groupOf(id) === params.groupId)
            .map((id) => ({ id, head: headOf(id) }) as unknown as Channel),
          nextChannelId: null,
        }),
      },
    },
  });
  const caller: ServiceFactory = () => ({
    name: "caller",
    created() {
      call = (name, params, options) => this.broker.call(name, params, options);
    },
  });
  const database = "MONGO_URL" in env ? null : await startOwnDatabase(env["DATA_DIR"]!);
  const where = database === null ? {} : { MONGO_URL: database.url };
  const running = await startNode(
    loadConfig({ NODE_ENV: "test", OPS_PORT: "0", LOG_LEVEL: "silent", ...env, ...where }),
    [others, channels, caller, (node) => createSearchService(chosen(node))],
    (error) => {
      throw error;
    },
  );
  const nextRev = (channelId: string): number => {
    revs.set(channelId, (revs.get(channelId) ?? 0) + 1);
    return revs.get(channelId)!;
  };
  return {
    node: running.context,
    entries: createEntries(chosen(running.context)),
    logs,
    parents,
    sees,
    groups,
    reads,
    write(channelId, content, more = {}) {
      const log = logs.get(channelId) ?? [];
      logs.set(channelId, log);
      const createdAt = more.createdAt ?? new Date().toISOString();
      const id = newId(Date.parse(createdAt));
      const rest = { authorId: "a".repeat(24), replyTo: null, nonce: id, editedAt: null, deletedAt: null };
      const numbers = { seq: log.length + 1, rev: nextRev(channelId) };
      const message: Message = { id, channelId, content, createdAt, ...rest, ...numbers, ...more };
      log.push(message);
      changedAt.set(channelId, Date.parse(createdAt));
      byId.set(id, message);
      return message;
    },
    change(message, more) {
      changedAt.set(message.channelId, Date.now());
      return Object.assign(message, more, { rev: nextRev(message.channelId) });
    },
    as: (userId, name, params) => {
      const actor = { userId, sessionId: "e".repeat(24), kind: "member" };
      return call!(name, params, { meta: { actor, requestId: "test" } });
    },
    async stop() {
      await running.stop();
      await database?.close();
    },
  };
}
