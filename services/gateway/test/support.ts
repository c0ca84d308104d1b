import { createHmac } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Maintenance, Params, SessionTokens, WireAnswer } from "@fanfare/contract";
import {
  defineService,
  loadConfig,
  serviceError,
  startNode,
  type Actor,
  type NodeContext,
} from "@fanfare/kernel";
import { io, type Socket } from "socket.io-client";
import { startOwnDatabase } from "../../../test/support/database.ts";
import { createGatewayService } from "../src/gateway.service.ts";

const SECRET = "only for tests, and long enough for it";
export const CHANNEL_ID = "c".repeat(24);
export const GROUP_ROOM = `group:${"9".repeat(24)}`;

/** Behavior of the stub services, which tests override. */
export interface Stubs {
  /** The maintenance state at startup. */
  maintenance: Maintenance;
  listRooms: (userId: string) => Promise<string[]>;
  me: (actor: Actor) => Promise<object>;
  revokedSessionIds: string[];
  beforeWatchAnswers: () => Promise<void>;
  /** The gateway's presence reports. */
  reports: Params<"presence.report">[];
  handleWebhook: (params: Params<"call.handleWebhook">) => void;
  startExport: () => Promise<never>;
}

export interface Gateway {
  url: string;
  /** URL of /livez, /readyz and /metrics. */
  opsUrl: string;
  port: number;
  node: NodeContext;
  stubs: Stubs;
  stop(): Promise<void>;
  /** A token for a new user, or for a new session of a given one. */
  signIn(userId?: string): Actor & { accessToken: string };
  post(action: string, body?: string, headers?: Record<string, string>): Promise<HttpResponse>;
  metric(line: string): Promise<number>;
  isReady(): Promise<boolean>;
}

export interface HttpResponse {
  status: number;
  headers: Headers;
  answer: WireAnswer<Record<string, unknown>>;
}

let ids = 0;
export const newId = (): string => (++ids).toString(16).padStart(24, "0");

/** Starts the real gateway, kernel and sockets, with stubs for the services behind it. */
export async function startGateway(
  env: Record<string, string> = {},
  given: Partial<Stubs> = {},
): Promise<Gateway> {
  const dataDir = await mkdtemp(join(tmpdir(), "fanfare-gateway-"));
  const database = await startOwnDatabase(dataDir);
  const config = loadConfig({
    NODE_ENV: "test",
    LOG_LEVEL: "silent",
    TOKEN_SECRET: SECRET,
    DATA_DIR: dataDir,
    MONGO_URL: database.url,
    PORT: "0",
    OPS_PORT: "0",
    RATE_LIMIT_FACTOR: "1000",
    WEB_DIR: join(dataDir, "no-page"),
    DOCS_DIR: join(dataDir, "no-docs"),
    ...env,
  });
  const stubs: Stubs = {
    listRooms: async () => [GROUP_ROOM],
    me: async ({ userId }) => ({ user: { id: userId } }),
    revokedSessionIds: [],
    beforeWatchAnswers: async () => {},
    reports: [],
    handleWebhook: () => {},
    startExport: () => Promise.reject(serviceError("GROUP_NOT_FOUND")),
    maintenance: { enabled: false, message: "" },
    ...given,
  };
  let port = 0;
  const running = await startNode(
    config,
    [...stubServices(stubs), (node) => createGatewayService(node, { onListening: (at) => (port = at) })],
    (error) => {
      throw error;
    },
  );
  const url = `http://127.0.0.1:${port}`;
  const ops = `http://127.0.0.1:${running.opsPort}`;
  return {
    url,
    opsUrl: ops,
    port,
    node: running.context,
    stubs,
    async stop() {
      await running.stop();
      await database.close();
      await rm(dataDir, { recursive: true, force: true });
    },
    signIn(userId = newId()) {
      const actor: Actor = { userId, sessionId: newId(), kind: "member" };
      return { ...actor, accessToken: running.context.tokens.sign(actor).accessToken };
    },
    async post(action, body = "{}", headers = {}) {
      const response = await fetch(`${url}/api/${action}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body,
      });
      return {
        status: response.status,
        headers: response.headers,
        answer: (await response.json()) as HttpResponse["answer"],
      };
    },
    async metric(line) {
      const text = await (await fetch(`${ops}/metrics`)).text();
      const found = text.split("\n").find((candidate) => candidate.startsWith(`${line} `));
      return found === undefined ? 0 : Number(found.slice(line.length + 1));
    },
    async isReady() {
      return (await fetch(`${ops}/readyz`)).ok;
    },
  };
}

function stubServices(stubs: Stubs) {
  return [
    (node: NodeContext) =>
      defineService(node, {
        name: "admin",
        actions: {
          "admin.getMaintenance": () => stubs.maintenance,
          "admin.readPolicy": () => ({ revision: 0, values: {} }),
        },
      }),
    (node: NodeContext) =>
      defineService(node, {
        name: "user",
        actions: {
          "user.listRevokedSessions": () => ({ sessionIds: stubs.revokedSessionIds }),
          "user.createGuest": () => ({ sessionId: newId(), user: { kind: "guest" } }) as SessionTokens,
          "user.me": ({ actor }) => stubs.me(actor) as never,
        },
      }),
    (node: NodeContext) =>
      defineService(node, {
        name: "group",
        actions: {
          "group.listRooms": async ({ params }) => ({
            rooms: await Promise.all(params.userIds.map(stubs.listRooms)),
          }),
          "group.access": () => ({ permissions: 0xffff, groupId: null, mutedUntil: null, rooms: [] }),
          "group.startExport": () => stubs.startExport(),
        },
      }),
    (node: NodeContext) =>
      defineService(node, {
        name: "call",
        actions: {
          "call.handleWebhook": ({ params }) => {
            stubs.handleWebhook(params);
            return {};
          },
        },
      }),
    (node: NodeContext) =>
      defineService(node, {
        name: "message",
        actions: { "message.send": ({ params }) => ({ message: params }) as never },
      }),
    (node: NodeContext) =>
      defineService(node, {
        name: "presence",
        actions: {
          "presence.watch": async ({ params }) => {
            await stubs.beforeWatchAnswers();
            const presences = params.userIds.map((userId) => ({ userId, status: "offline" as const }));
            return { presences, ownStatus: "online", expiresInMs: 1000 };
          },
          "presence.unwatch": () => ({}),
          "presence.report": ({ params }) => {
            stubs.reports.push(params);
            return { known: true };
          },
        },
      }),
  ];
}

export interface Client {
  socket: Socket;
  /** `[event, payload]` in order of arrival. */
  received: unknown[][];
  call(...event: unknown[]): Promise<WireAnswer<Record<string, unknown>>>;
  event(name: string): Promise<unknown>;
  closed: Promise<string>;
}

/** Opens a socket of the official client without waiting for it. */
export function open(gateway: Gateway, token: unknown): Client {
  const socket = io(gateway.url, {
    transports: ["websocket"],
    forceNew: true,
    reconnection: false,
    auth: { token },
  });
  const received: unknown[][] = [];
  socket.onAny((...event: unknown[]) => received.push(event));
  return {
    socket,
    received,
    call: (...event) => socket.emitWithAck(...(event as [string, unknown])),
    event: async (name) => {
      const already = received.find(([event]) => event === name);
      return already === undefined ? new Promise((resolve) => socket.once(name, resolve)) : already[1];
    },
    closed: new Promise((resolve) => socket.once("disconnect", resolve)),
  };
}

export async function connect(gateway: Gateway, token = gateway.signIn().accessToken): Promise<Client> {
  const client = open(gateway, token);
  await Promise.race([client.event("ready"), refused(client).then((error) => Promise.reject(error))]);
  return client;
}

/** Waits for the error that rejects a socket. */
export async function refused({ socket }: Client): Promise<Error & { data?: Record<string, unknown> }> {
  return new Promise((resolve) => socket.once("connect_error", resolve));
}

/** Whether the gateway still works: a new user connects and calls an action. */
export async function isHealthy(gateway: Gateway): Promise<boolean> {
  const client = await connect(gateway);
  const answer = await client.call("user.me", {});
  client.socket.close();
  return answer.ok;
}

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A JSON Web Token with any header and claims. */
export function jwt(claims: object, { alg = "HS256", secret = SECRET } = {}): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");
  const signed = `${encode({ alg, typ: "JWT" })}.${encode(claims)}`;
  const signature = alg === "none" ? "" : createHmac("sha256", secret).update(signed).digest("base64url");
  return `${signed}.${signature}`;
}

export function claims(secondsFromNow: number): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000);
  const exp = now + secondsFromNow;
  return { sub: newId(), sid: newId(), kind: "member", iss: "fanfare", iat: exp - 900, exp };
}
