import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ActionName, Params, Result, SessionTokens } from "@fanfare/contract";
import { Jobs } from "@fanfare/jobs";
import {
  defineService,
  loadConfig,
  serviceError,
  startNode,
  type Actor,
  type CallClient,
  type DomainEvents,
  type NodeContext,
  type ServiceFactory,
} from "@fanfare/kernel";
import { afterEach, beforeEach, vi } from "vitest";
import { startOwnDatabase } from "../../../test/support/database.ts";
import { createDependencies } from "../src/user.dependencies.ts";
import { createUserService } from "../src/user.service.ts";
import type { UserDependencies } from "../src/user.dependencies.ts";

export interface UserNode {
  node: NodeContext;
  call<N extends ActionName>(
    name: N,
    params: Params<N>,
    actor?: Actor | null,
    client?: CallClient,
  ): Promise<Result<N>>;
  /** Published events and broadcasts to all processes, in order. */
  published: { rooms: string | readonly string[]; name: string; payload: unknown }[];
  sessionsEnded: DomainEvents["session.ended"][];
  profilesChanged: DomainEvents["user.profileChanged"][];
  /** The groups owned by users. */
  owned: Map<string, string[]>;
  /** Users whose data other services were asked to delete. */
  forgotten: string[];
  /** Set `times` to let the next such calls fail. */
  failForgetting: { times: number };
  stop(): Promise<void>;
}

type AnyCall = (name: string, params: unknown, options: object) => Promise<never>;

/** Starts a process with only the user service and a separate database. */
export async function startUserNode(env: Record<string, string> = {}): Promise<UserNode> {
  const dataDir = await mkdtemp(join(tmpdir(), "fanfare-user-"));
  const published: UserNode["published"] = [];
  const sessionsEnded: UserNode["sessionsEnded"] = [];
  const profilesChanged: UserNode["profilesChanged"] = [];
  const owned: UserNode["owned"] = new Map();
  const forgotten: UserNode["forgotten"] = [];
  const failForgetting = { times: 0 };
  let brokerCall: AnyCall | undefined;
  const probe: ServiceFactory = () => ({
    name: "probe",
    created() {
      brokerCall = (name, params, options) => this.broker.call(name, params, options);
    },
    events: {
      "session.ended": (context: { params: DomainEvents["session.ended"] }) => {
        sessionsEnded.push(context.params);
      },
      "user.profileChanged": (context: { params: DomainEvents["user.profileChanged"] }) => {
        profilesChanged.push(context.params);
      },
    },
  });
  const user: ServiceFactory = (node) =>
    createUserService({
      ...node,
      publish: (rooms, name, payload) => void published.push({ rooms, name, payload }),
    });
  // Permissions in direct channels aren't tested here.
  const group: ServiceFactory = (node) =>
    defineService(node, {
      name: "group",
      actions: {
        "group.forgetDirectAccess": () => ({}),
        "admin.readPolicy": () => ({ revision: 0, values: {} }),
        "group.listOwned": ({ params }) => ({ groupIds: owned.get(params.userId) ?? [] }),
        "group.forgetUser": ({ params }) => {
          if (failForgetting.times > 0) {
            failForgetting.times -= 1;
            throw serviceError("UNAVAILABLE", { retryAfterMs: 0 });
          }
          forgotten.push(params.userId);
          return {};
        },
        "message.forgetUser": () => ({}),
        "presence.forgetUser": () => ({}),
        "friend.forgetUser": () => ({}),
        "inbox.forgetUser": () => ({}),
        "file.forgetUser": () => ({}),
        "bot.forgetUser": () => ({}),
        "plugin.forgetUser": () => ({}),
        "bot.revokeTokensOf": () => ({}),
      },
    });
  const database = await startOwnDatabase(dataDir);
  const config = loadConfig({
    NODE_ENV: "test",
    OPS_PORT: "0",
    LOG_LEVEL: "error",
    DATA_DIR: dataDir,
    MONGO_URL: database.url,
    ...env,
  });
  const running = await startNode(config, [probe, group, user], (error) => {
    throw error;
  });
  return {
    node: running.context,
    published,
    sessionsEnded,
    profilesChanged,
    owned,
    forgotten,
    failForgetting,
    call: (name, params, actor = null, client) =>
      brokerCall!(name, params, { meta: { actor, requestId: "test", ...(client && { client }) } }),
    async stop() {
      await running.stop();
      await database.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The dependencies of another process with the same database. */
export function otherDependencies({ node }: UserNode): UserDependencies {
  // Metrics can be registered only once.
  const metrics = { registerMetric: () => {} } as unknown as NodeContext["metrics"];
  const jobs = new Jobs({ connection: node.database, logger: node.logger, metrics });
  return createDependencies({ ...node, metrics, jobs });
}

/** Stops the clock during each test of a file; only tests advance it. */
export function stopClock(): void {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() }));
  afterEach(() => void vi.useRealTimers());
}

export function actorOf({ user, sessionId }: Pick<SessionTokens, "user" | "sessionId">): Actor {
  return { userId: user.id, sessionId, kind: user.kind, ...(user.admin && { admin: true }) };
}

let names = 0;

export function newName(): string {
  names += 1;
  return `Person.${names}`;
}

export const PASSWORD = "correct horse";
