import {
  MEMBER_PERMISSIONS,
  type Attachment,
  type ActionName,
  type EventName,
  type EventPayload,
  type Message,
  type Params,
  type Result,
  type Role,
} from "@fanfare/contract";
import { defineService, loadConfig, startNode, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { startOwnDatabase } from "../../../test/support/database.ts";
import { createMessageService } from "../src/message.service.ts";

export interface Published {
  rooms: readonly string[];
  name: EventName;
  payload: EventPayload<EventName>;
}

/** A process that runs the message service; tests control all permissions. */
export interface MessageNode {
  node: NodeContext;
  /** Calls an action as a user. */
  as<N extends ActionName>(userId: string, name: N, params: Params<N>): Promise<Result<N>>;
  published: Published[];
  /** Results of `group.access` by user; members by default. */
  permissions: Map<string, number>;
  /** By channel; absent without slow mode. */
  slowModeMs: Map<string, number>;
  /** Channels that are threads. */
  threads: Set<string>;
  /** Those of the group. */
  roles: Pick<Role, "id" | "mentionable">[];
  /** Users who aren't members of the group; all others are. */
  strangers: Set<string>;
  /** The calls of `group.findMentioned`. */
  mentionLookups: Params<"group.findMentioned">[];
  /** Files that all users can attach, by ID. */
  files: Map<string, Attachment>;
  /** Messages broadcast to other services. */
  stored: Message[];
  /** Entries of the group's audit log. */
  audited: Params<"group.recordAudit">[];
  /** Calls an internal action. */
  internal<N extends ActionName>(name: N, params: Params<N>): Promise<Result<N>>;
  stop(): Promise<void>;
}

type AnyCall = (name: string, params: unknown, options: object) => Promise<never>;

export const GROUP_ID = "f".repeat(24);

/** @param isRecording false: `published` stays empty */
export async function startMessageNode(
  env: Record<string, string>,
  isRecording = true,
): Promise<MessageNode> {
  const published: Published[] = [];
  const permissions = new Map<string, number>();
  const slowModeMs = new Map<string, number>();
  const threads = new Set<string>();
  const roles: MessageNode["roles"] = [];
  const strangers = new Set<string>();
  const mentionLookups: MessageNode["mentionLookups"] = [];
  const files = new Map<string, Attachment>();
  const stored: Message[] = [];
  const audited: Params<"group.recordAudit">[] = [];
  let call: AnyCall | undefined;
  const access: ServiceFactory = (node) =>
    defineService(node, {
      name: "group",
      actions: {
        "group.access": ({ params }) => ({
          permissions: permissions.get(params.userId) ?? MEMBER_PERMISSIONS,
          groupId: GROUP_ID,
          mutedUntil: null,
          rooms: [`group:${GROUP_ID}`],
          ...(threads.has(params.channelId!) && { isThread: true as const }),
          ...(slowModeMs.has(params.channelId!) && { slowModeMs: slowModeMs.get(params.channelId!)! }),
        }),
        "group.describeChannels": ({ params: { channelIds } }) => ({
          lines: channelIds.map((id) => ({
            type: "channel" as const,
            id,
            kind: "text" as const,
            name: `channel ${id}`,
            parentId: null,
            group: { id: GROUP_ID, name: "group" },
            memberIds: [],
          })),
        }),
        "group.findMentioned": ({ params }) => {
          mentionLookups.push(params);
          return {
            userIds: params.userIds.filter((id) => !strangers.has(id)),
            roles: roles.filter(({ id }) => params.roleIds.includes(id)),
          };
        },
        "group.recordAudit": ({ params }) => {
          audited.push(params);
          return {};
        },
      },
    });
  const file: ServiceFactory = (node) =>
    defineService(node, {
      name: "file",
      actions: {
        "file.claim": ({ params: { fileIds } }) => {
          const found = fileIds.map((id) => files.get(id)).filter((one) => one !== undefined);
          return { attachments: found.length === fileIds.length ? found : null };
        },
        "file.release": ({ params: { fileIds } }) => {
          for (const id of fileIds) files.delete(id);
          return {};
        },
      },
    });
  const listener: ServiceFactory = (node) =>
    defineService(node, {
      name: "listener",
      actions: {},
      events: { "message.stored": ({ messages }) => void (isRecording && stored.push(...messages)) },
    });
  const caller: ServiceFactory = () => ({
    name: "caller",
    created() {
      call = (name, params, options) => this.broker.call(name, params, options);
    },
  });
  const message: ServiceFactory = (node) =>
    createMessageService({
      ...node,
      publish: (rooms, name, payload) => {
        if (!isRecording) return;
        const copy = structuredClone(payload);
        published.push({ rooms: typeof rooms === "string" ? [rooms] : rooms, name, payload: copy });
      },
    });
  const database = "MONGO_URL" in env ? null : await startOwnDatabase(env["DATA_DIR"]!);
  const where = database === null ? {} : { MONGO_URL: database.url };
  const running = await startNode(
    loadConfig({ NODE_ENV: "test", OPS_PORT: "0", LOG_LEVEL: "silent", ...env, ...where }),
    isRecording ? [access, caller, file, listener, message] : [access, caller, file, message],
    (error) => {
      throw error;
    },
  );
  return {
    node: running.context,
    published,
    permissions,
    slowModeMs,
    threads,
    roles,
    strangers,
    mentionLookups,
    files,
    stored,
    audited,
    internal: (name, params) => call!(name, params, { meta: { actor: null, requestId: "test" } }),
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
