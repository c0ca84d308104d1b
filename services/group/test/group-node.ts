import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ActionName, Channel, EventName, EventPayload, Group, Params, Result } from "@fanfare/contract";
import {
  defineService,
  loadConfig,
  startNode,
  type Actor,
  type NodeContext,
  type ServiceFactory,
} from "@fanfare/kernel";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { startOwnDatabase } from "../../../test/support/database.ts";
import { createUserService } from "@fanfare/user";
import { createGroupService } from "../src/group.service.ts";

/** Everything sent to sockets, in order: events and room changes. */
type Outgoing =
  | { rooms: readonly string[]; name: EventName; payload: unknown }
  | { room: string; join: readonly string[] }
  | { room: string; leave: readonly string[] };

export interface GroupNode {
  node: NodeContext;
  /** @param askedAtMs when the gateway received the call; now by default */
  call<N extends ActionName>(
    name: N,
    params: Params<N>,
    actor?: Actor | null,
    askedAtMs?: number,
  ): Promise<Result<N>>;
  out: Outgoing[];
  /** The payloads of an event so far. */
  published<N extends EventName>(name: N): EventPayload<N>[];
  channelsRemoved: string[];
  /** Removals of the channel `of` fail; `failed` counts them. */
  failRemovals: { of: string | null; failed: number };
  /** Users who don't accept messages. */
  unreachable: Set<string>;
  /** Whose pictures in a group were removed, by group and user. */
  picturesDropped: string[];
  /** Removals of pictures fail. */
  failPictures: { on: boolean };
  /** The head of every channel. */
  head: { seq: number; rev: number };
  guest(): Promise<Actor>;
  account(): Promise<Actor>;
  stop(): Promise<void>;
}

export const UNKNOWN_ID = "0".repeat(24);

type AnyCall = (name: string, params: unknown, options: object) => Promise<never>;

/**
 * Starts a process with the user and the group service, and a fake message service that only knows empty channels.
 * @param mongoUrl a database shared with other processes
 */
export async function startGroupNode(dataDir?: string, mongoUrl?: string): Promise<GroupNode> {
  const dir = dataDir ?? (await mkdtemp(join(tmpdir(), "fanfare-group-")));
  const out: Outgoing[] = [];
  const channelsRemoved: string[] = [];
  const failRemovals: GroupNode["failRemovals"] = { of: null, failed: 0 };
  const unreachable = new Set<string>();
  const picturesDropped: string[] = [];
  const failPictures = { on: false };
  const head = { seq: 7, rev: 9 };
  let brokerCall: AnyCall | undefined;
  const probe: ServiceFactory = () => ({
    name: "probe",
    created() {
      brokerCall = (name, params, options) => this.broker.call(name, params, options);
    },
  });
  const message: ServiceFactory = (node) =>
    defineService(node, {
      name: "message",
      actions: {
        "message.removeChannels": ({ params }) => {
          if (failRemovals.of !== null && params.channelIds.includes(failRemovals.of)) {
            failRemovals.failed += 1;
            throw new Error("the message service cannot write");
          }
          channelsRemoved.push(...params.channelIds);
          return {};
        },
        "message.listHeads": ({ params }) => ({
          heads: params.channelIds.map((channelId) => ({
            channelId,
            head,
            lastReadSeq: 5,
          })),
        }),
      },
    });
  const friend: ServiceFactory = (node) =>
    defineService(node, {
      name: "friend",
      actions: {
        "admin.readPolicy": () => ({ revision: 0, values: {} }),
        "friend.listReachable": ({ params }) => ({
          userIds: params.userIds.filter((id) => !unreachable.has(id)),
        }),
      },
    });
  const file: ServiceFactory = (node) =>
    defineService(node, {
      name: "file",
      actions: {
        "file.usePicture": ({ params: { fileId } }) => ({ url: `/pictures/${fileId}.webp` }),
        "file.dropPictures": ({ params: { of, userId, exceptFileId } }) => {
          if (failPictures.on) throw new Error("the file service cannot write");
          if (of.type === "member" && exceptFileId === undefined)
            picturesDropped.push(`${of.id} ${userId ?? "all"}`);
          return {};
        },
      },
    });
  const user: ServiceFactory = (node) => {
    const schema = createUserService(node);
    // Handled by the fake above.
    delete schema.actions?.["friend.listReachable"];
    return schema;
  };
  const group: ServiceFactory = (node) => createGroupService({ ...node, ...recorder(out) });
  const database = mongoUrl === undefined ? await startOwnDatabase(dir) : null;
  const config = loadConfig({
    NODE_ENV: "test",
    OPS_PORT: "0",
    LOG_LEVEL: "error",
    DATA_DIR: dir,
    MONGO_URL: mongoUrl ?? database!.url,
  });
  const running = await startNode(config, [probe, message, friend, file, user, group], (error) => {
    throw error;
  });
  const call: GroupNode["call"] = (name, params, actor = null, askedAtMs = Date.now()) =>
    brokerCall!(name, params, { meta: { actor, requestId: "test", askedAtMs } });
  return {
    node: running.context,
    call,
    out,
    published: <N extends EventName>(name: N) =>
      out.flatMap((item) => ("name" in item && item.name === name ? [item.payload as EventPayload<N>] : [])),
    channelsRemoved,
    failRemovals,
    unreachable,
    picturesDropped,
    failPictures,
    head,
    async guest() {
      const { user, sessionId } = await call("user.createGuest", {});
      return { userId: user.id, sessionId, kind: user.kind };
    },
    async account() {
      const username = `p${Math.random().toString(36).slice(2, 12)}`;
      const { user, sessionId } = await call("user.register", { username, password: "correct horse" });
      return { userId: user.id, sessionId, kind: user.kind };
    },
    async stop() {
      await running.stop();
      await database?.close();
      if (dataDir === undefined) await rm(dir, { recursive: true, force: true });
    },
  };
}

function recorder(out: Outgoing[]): Pick<NodeContext, "publish" | "fanout"> {
  const toList = (rooms: string | readonly string[]) => (typeof rooms === "string" ? [rooms] : rooms);
  const fanout = {
    emit: () => undefined,
    socketsJoin: (room: string, join: readonly string[]) => void out.push({ room, join }),
    socketsLeave: (room: string, leave: readonly string[]) => void out.push({ room, leave }),
  };
  return {
    publish: (rooms, name, payload) =>
      void out.push({ rooms: toList(rooms), name, payload: structuredClone(payload) }),
    fanout: fanout as unknown as NodeContext["fanout"],
  };
}

export interface Room {
  group: Group;
  channel: Channel;
  owner: Actor;
  code: string;
  /** Creates a guest who joins the group. */
  join(): Promise<Actor>;
}

/** Creates a group with an owner and an unlimited invite. */
export async function createRoom(node: GroupNode): Promise<Room> {
  const owner = await node.guest();
  const { group, channels } = await node.call("group.create", { name: "A group" }, owner);
  const { invite } = await node.call("invite.create", { groupId: group.id }, owner);
  return {
    group,
    channel: channels[0]!,
    owner,
    code: invite.code,
    async join() {
      const member = await node.guest();
      await node.call("invite.accept", { code: invite.code }, member);
      return member;
    },
  };
}

/** The node of the running test, set by `useRoom`. */
export let node: GroupNode;
export let room: Room;

/** Starts a process for the tests of a file, and creates a group for each of them. */
export function useRoom(): void {
  beforeAll(async () => {
    node = await startGroupNode();
  });
  beforeEach(async () => {
    room = await createRoom(node);
  });
  afterAll(() => node.stop());
}
