import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createBroker, createLogger, serviceError, ServiceError } from "@fanfare/kernel";
import { connectNats, natsTransport } from "@fanfare/kernel/nats";
import { isInstalled, startNats, type NatsServer } from "@fanfare/testing";

type Broker = ReturnType<typeof createBroker>;

describe.skipIf(!isInstalled("nats-server"))("the bus over NATS", () => {
  let nats: NatsServer;
  let caller: Broker;
  let callee: Broker;
  const connections: Awaited<ReturnType<typeof connectNats>>[] = [];

  beforeAll(async () => {
    nats = await startNats();
    const start = async (nodeId: string): Promise<Broker> => {
      const connection = await connectNats(nats.url, nodeId);
      connections.push(connection);
      return createBroker({
        logger: createLogger("silent"),
        nodeId,
        transport: natsTransport(connection),
        requestTimeoutMs: 5000,
      });
    };
    [caller, callee] = await Promise.all([start("caller"), start("callee")]);
    callee.createService({
      name: "remote",
      actions: {
        muted() {
          throw serviceError("MUTED", { mutedUntil: "2030-01-01T00:00:00.000Z" });
        },
        echo: ({ params }) => params,
        crash() {
          throw new TypeError("secret detail");
        },
      },
    });
    await Promise.all([caller.start(), callee.start()]);
    await caller.waitForServices("remote");
  });

  afterAll(async () => {
    await Promise.all([caller?.stop(), callee?.stop()]);
    await Promise.all(connections.map((connection) => connection.close()));
    await nats?.stop();
  });

  test("preserves contract errors", async () => {
    const error: unknown = await caller.call("remote.muted").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({
      type: "MUTED",
      code: 403,
      retryable: false,
      data: { mutedUntil: "2030-01-01T00:00:00.000Z" },
    });
  });

  test("carries calls and responses larger than NATS' maximum payload", async () => {
    const params = { text: "long ".repeat(1_000_000), short: "text" };
    expect(await caller.call("remote.echo", params)).toEqual(params);
  });

  test("doesn't turn other errors into contract errors", async () => {
    const error: unknown = await caller.call("remote.crash").catch((thrown: unknown) => thrown);
    expect(error).not.toBeInstanceOf(ServiceError);
  });
});
