import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGuest, isInstalled, must, post } from "@fanfare/testing";
import { startCluster, type Cluster } from "../support/cluster.ts";
import { startNode, type FanfareNode } from "../support/node-process.ts";
import { io, type Socket } from "socket.io-client";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startCollector, type Collector, type Span } from "./otlp-collector.ts";

const SECRET_TEXT = "marker-of-a-text";
const SECRET_NAME = "marker_of_a_name";
const SECRET_PASSWORD = "marker-of-a-password";

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

async function connect(url: string, token: string): Promise<Socket> {
  const socket = io(url, { transports: ["websocket"], auth: { token }, forceNew: true, reconnection: false });
  sockets.push(socket);
  await new Promise((resolve) => socket.once("ready", resolve));
  return socket;
}

/** Two users in a group, each connected at one address; both receive what the first one sends. */
async function pair(here: string, there: string) {
  const register = { username: SECRET_NAME, password: SECRET_PASSWORD };
  const owner = await must(here, "user.register", register);
  await must(here, "user.login", register);
  const member = await createGuest(there);
  const { group, channels } = await must(here, "group.create", { name: SECRET_NAME }, owner.accessToken);
  const { invite } = await must(here, "invite.create", { groupId: group.id }, owner.accessToken);
  await must(there, "invite.accept", { code: invite.code }, member.accessToken);
  const [sender, receiver] = await Promise.all([
    connect(here, owner.accessToken),
    connect(there, member.accessToken),
  ]);
  const channelId = channels[0]!.id;
  const send = async (content: string): Promise<unknown> => {
    const received = new Promise((resolve) => receiver.once("message.created", resolve));
    const answer: unknown = await sender.emitWithAck("message.send", {
      channelId,
      content,
      nonce: `n-${content}`,
    });
    await received;
    return answer;
  };
  return { owner, sender, channelId, send };
}

const named = (spans: readonly Span[], name: string, kind?: string): Span[] =>
  spans.filter((span) => span.name === name && (kind === undefined || span.kind === kind));

/**
 * Matches a trace of a message to the sockets of this many gateways; each process sends its spans at its own
 * pace.
 */
const isWholeSend =
  (gateways: number) =>
  (spans: readonly Span[]): boolean => {
    const ids = new Set(spans.map(({ spanId }) => spanId));
    return (
      named(spans, "message.send").length >= 3 &&
      named(spans, "insert messages").length > 0 &&
      named(spans, "deliver message.created").length === gateways &&
      spans.every(({ parentSpanId }) => !parentSpanId || ids.has(parentSpanId))
    );
  };

const only = (spans: readonly Span[]): Span => {
  expect(spans).toHaveLength(1);
  return spans[0]!;
};

describe.skipIf(!isInstalled("nats-server") || !isInstalled("redis-server"))("a cluster", () => {
  let collector: Collector;
  let cluster: Cluster;

  beforeAll(async () => {
    collector = await startCollector();
    cluster = await startCluster({
      gateways: 2,
      workers: 1,
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_HEADERS: "x-api-key=for-the-collector",
        OTEL_SERVICE_NAME: "chat",
      },
    });
  });
  afterAll(async () => {
    await cluster?.stop();
    await collector?.close();
  });

  test("one trace spans the gateway, the worker, its database and all gateways that deliver", async () => {
    const [here, there] = cluster.gateways.map(({ url }) => url) as [string, string];
    const { send } = await pair(here, there);
    expect(await send(SECRET_TEXT)).toMatchObject({ ok: true });
    const spans = await collector.trace(isWholeSend(2));

    const root = only(spans.filter(({ parentSpanId }) => !parentSpanId));
    expect(root).toMatchObject({ name: "message.send", kind: "server", service: "chat" });
    expect(root.attributes).toMatchObject({
      "rpc.system.name": "moleculer",
      "rpc.method": "message/send",
      "network.protocol.name": "websocket",
      "fanfare.request.id": expect.any(String),
    });

    const call = only(named(spans, "message.send", "client"));
    expect([call.parentSpanId, call.instance]).toEqual([root.spanId, root.instance]);

    const action = only(spans.filter((span) => span.kind === "server" && span !== root));
    expect([action.name, action.parentSpanId]).toEqual(["message.send", call.spanId]);
    expect(action.instance).not.toBe(root.instance);

    const insert = only(named(spans, "insert messages"));
    expect(insert).toMatchObject({ kind: "client", parentSpanId: action.spanId, instance: action.instance });
    expect(insert.attributes).toEqual({
      "db.system.name": "mongodb",
      "db.namespace": "fanfare",
      "db.operation.name": "insert",
      "db.collection.name": "messages",
      "server.address": "127.0.0.1",
      "server.port": expect.anything(),
    });

    const publication = only(named(spans, "publish message.created"));
    expect(publication).toMatchObject({ kind: "producer", parentSpanId: action.spanId });
    expect(publication.attributes).toMatchObject({
      "messaging.system.name": "nats",
      "messaging.operation.type": "send",
      "messaging.destination.template": expect.stringMatching(/^\w+:\{id\}$/),
    });

    const deliveries = named(spans, "deliver message.created", "consumer");
    for (const { parentSpanId } of deliveries) expect(parentSpanId).toBe(publication.spanId);
    const gateways = new Set(deliveries.map(({ instance }) => instance));
    expect(gateways.size).toBe(2);
    expect(gateways.has(action.instance)).toBe(false);
    for (const { attributes } of deliveries) expect(attributes["fanfare.fanout.sockets"]).toBe(1);
  });

  test("a rejection is recorded by its code, not as a server error", async () => {
    const { url } = cluster.gateways[0]!;
    const answer = await post(url, "user.login", {
      username: SECRET_NAME,
      password: "wrong",
    });
    expect(answer.ok).toBe(false);
    const spans = await collector.trace((all) =>
      all.some(({ parentSpanId, attributes }) => !parentSpanId && "error.type" in attributes),
    );
    const root = only(spans.filter(({ parentSpanId }) => !parentSpanId));
    expect(root.attributes).toMatchObject({ "network.protocol.name": "http" });
    expect(root.attributes["error.type"]).toBe(answer.ok ? "" : answer.error.type);
    expect(root.status.code ?? 0).toBe(0);
  });

  test("no message text, name or credential reaches the collector", async () => {
    expect(collector.headers[0]).toMatchObject({ "x-api-key": "for-the-collector" });
    const all = collector.bytes.join("\n");
    for (const collection of ["insert messages", "insert users", "insert groups"])
      expect(all).toContain(collection);
    for (const secret of [SECRET_TEXT, SECRET_NAME, SECRET_PASSWORD, "eyJ", "wrong"])
      expect(all).not.toContain(secret);
  });
});

/** prom-client itself loads OpenTelemetry's API to look for an active trace. */
const isOfTracing = (url: string): boolean => /@opentelemetry\/(?!api\/)/.test(url);

describe("a single instance", () => {
  let folder: string;
  let collector: Collector;
  const nodes: FanfareNode[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "fanfare-tracing-"));
    collector = await startCollector();
  });
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.process.stop()));
    await collector?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** With a gateway thread, and a list of the modules it loads: the sources, whose names say what they are. */
  async function start(
    name: string,
    env: Record<string, string>,
  ): Promise<{ node: FanfareNode; modules: () => Promise<string[]> }> {
    const list = join(folder, `${name}.modules`);
    const preload = new URL("./record-modules.mjs", import.meta.url);
    const node = await startNode({
      name,
      fromSources: true,
      env: { GATEWAY_THREADS: "1", NODE_OPTIONS: `--import=${preload.href}`, MODULES_FILE: list, ...env },
    });
    nodes.push(node);
    const modules = async (): Promise<string[]> => (await readFile(list, "utf8")).split("\n");
    return { node, modules };
  }

  test(
    "with a collector: traces go from a gateway thread to the main one and back",
    { tags: "long" },
    async () => {
      const { node, modules } = await start("traced", { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
      const { send } = await pair(node.url, node.url);
      await send("to all");
      const spans = await collector.trace(isWholeSend(1));
      const root = only(spans.filter(({ parentSpanId }) => !parentSpanId));
      const call = only(named(spans, "message.send", "client"));
      const action = only(spans.filter((span) => span.kind === "server" && span !== root));
      expect([call.parentSpanId, action.parentSpanId]).toEqual([root.spanId, call.spanId]);
      expect(action.instance).not.toBe(root.instance);
      expect(only(named(spans, "insert messages")).parentSpanId).toBe(action.spanId);
      const publication = only(named(spans, "publish message.created"));
      expect(publication.parentSpanId).toBe(action.spanId);
      for (const { parentSpanId, instance } of named(spans, "deliver message.created")) {
        expect(parentSpanId).toBe(publication.spanId);
        expect(instance).not.toBe(action.instance);
      }
      expect((await modules()).filter(isOfTracing).length).toBeGreaterThan(10);
    },
  );

  test("without a collector, no thread loads OpenTelemetry", { tags: "long" }, async () => {
    const { node, modules } = await start("untraced", {});
    const { send } = await pair(node.url, node.url);
    await send("to all");
    const loaded = await modules();
    expect(loaded.some((url) => url.includes("services/gateway/src/calls.ts"))).toBe(true);
    expect(loaded.filter(isOfTracing)).toEqual([]);
    expect(loaded.filter((url) => url.includes("start-tracing"))).toEqual([]);
  });

  test(
    "an unreachable collector delays no request and is logged occasionally",
    { tags: "long" },
    async () => {
      const away = await startCollector();
      await away.close();
      const node = await startNode({
        name: "unreachable",
        env: { GATEWAY_THREADS: "1", OTEL_EXPORTER_OTLP_ENDPOINT: away.url },
      });
      nodes.push(node);
      const { send, channelId, sender } = await pair(node.url, node.url);
      await send("to all");
      for (let n = 0; n < 500; n += 1) await sender.emitWithAck("message.list", { channelId });
      const log = async (): Promise<string[]> =>
        (await readFile(node.process.logFile, "utf8"))
          .split("\n")
          .filter((line) => line.includes("trace export failed"));
      await expect.poll(log).not.toEqual([]);
      // One for each of its two threads.
      expect((await log()).length).toBeLessThanOrEqual(2);
      expect(JSON.parse((await log())[0]!)).toMatchObject({
        level: "warn",
        collector: new URL(away.url).host,
      });
      expect(JSON.parse((await log())[0]!)).not.toHaveProperty("requestId");
      await node.process.stop();
      expect(node.process.crashes).toEqual([]);
    },
  );
});
