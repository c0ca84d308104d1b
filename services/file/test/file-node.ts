import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import {
  MEMBER_PERMISSIONS,
  type ActionName,
  type Attachment,
  type Params,
  type Result,
} from "@fanfare/contract";
import { createFileStorage, storageKey, type FileStorage } from "@fanfare/files";
import { defineService, loadConfig, startNode, type NodeContext, type ServiceFactory } from "@fanfare/kernel";
import { startOwnDatabase } from "../../../test/support/database.ts";
import { createFileService } from "../src/file.service.ts";

/** A process with the file service and a fake message service. */
export interface FileNode {
  node: NodeContext;
  storage: FileStorage;
  /** Attachments of sent messages, by nonce. */
  sent: Map<string, Attachment[]>;
  /** Users under a legal hold. */
  held: Set<string>;
  /** Makes the message service unavailable. */
  setMessagesAway(isAway: boolean): void;
  as<N extends ActionName>(userId: string, name: N, params: Params<N>): Promise<Result<N>>;
  internal<N extends ActionName>(name: N, params: Params<N>): Promise<Result<N>>;
  /** Uploads a complete file of a user for a channel. */
  upload(userId: string, channelId: string, bytes: Buffer): Promise<string>;
  stop(): Promise<void>;
}

type AnyCall = (name: string, params: unknown, options: object) => Promise<never>;

const GROUP_ID = "f".repeat(24);

export async function startFileNode(env: Record<string, string> = {}): Promise<FileNode> {
  const dir = await mkdtemp(join(tmpdir(), "fanfare-files-"));
  const sent: FileNode["sent"] = new Map();
  const held: FileNode["held"] = new Set();
  let isAway = false;
  let call: AnyCall | undefined;
  const others: ServiceFactory = (node) =>
    defineService(node, {
      name: "others",
      actions: {
        "group.access": () => ({
          permissions: MEMBER_PERMISSIONS,
          groupId: GROUP_ID,
          mutedUntil: null,
          rooms: [`group:${GROUP_ID}`],
        }),
        "admin.readPolicy": () => ({ revision: 0, values: {} }),
        "message.isHeld": ({ params: { userId } }) => ({ isHeld: held.has(userId) }),
        "message.findSent": ({ params: { nonce } }) => {
          if (isAway) throw new Error("the message service is unavailable");
          return { attachments: sent.get(nonce) ?? [] };
        },
      },
    });
  const caller: ServiceFactory = () => ({
    name: "caller",
    created() {
      call = (name, params, options) => this.broker.call(name, params, options);
    },
  });
  const given = env["MONGO_URL"] ?? process.env["MONGO_URL"];
  const database = given === undefined ? await startOwnDatabase(dir) : null;
  const config = loadConfig({
    NODE_ENV: "test",
    OPS_PORT: "0",
    LOG_LEVEL: "silent",
    DATA_DIR: dir,
    ...env,
    MONGO_URL: given ?? database!.url,
  });
  const running = await startNode(config, [others, caller, createFileService], (error) => {
    throw error;
  });
  const storage = await createFileStorage(config);
  const as: FileNode["as"] = (userId, name, params) => {
    const actor = { userId, sessionId: "e".repeat(24), kind: "member" };
    return call!(name, params, { meta: { actor, requestId: "test" } });
  };
  const internal: FileNode["internal"] = (name, params) =>
    call!(name, params, { meta: { actor: null, requestId: "test" } });
  return {
    node: running.context,
    storage,
    sent,
    held,
    setMessagesAway(away) {
      isAway = away;
    },
    as,
    internal,
    async upload(userId, channelId, bytes) {
      const params = { channelId, name: "a", bytes: bytes.length };
      const { fileId } = await as(userId, "file.startUpload", params);
      await storage.put(storageKey(fileId, "raw"), Readable.from([bytes]), bytes.length);
      await internal("file.finishUpload", { fileId });
      return fileId;
    },
    async stop() {
      await running.stop();
      await database?.close();
      storage.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
