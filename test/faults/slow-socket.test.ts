import { FanfareClient, type ChannelView } from "@fanfare/client";
import { isInstalled, TcpProxy } from "@fanfare/testing";
import { startCluster, type Cluster } from "../support/cluster.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/**
 * Together more than the operating system buffers for a connection, and than a gateway keeps for a slow one.
 */
const MESSAGES = 3000;
const AT_ONCE = 50;
const CONTENT = "x".repeat(3900);

const programs = ["nats-server", "redis-server"].map(isInstalled);

describe.skipIf(programs.includes(false))("a socket that stops reading", () => {
  let cluster: Cluster;
  let wire: TcpProxy;
  const clients: FanfareClient[] = [];

  beforeAll(async () => {
    cluster = await startCluster({ gateways: 2, workers: 1 });
    wire = await TcpProxy.start(cluster.gateways[0]!.process.port);
  });

  afterAll(async () => {
    for (const client of clients) client.close();
    await wire?.stop();
    await cluster?.stop();
  });

  async function guest(url: string): Promise<FanfareClient> {
    const client = new FanfareClient({ url });
    clients.push(client);
    await client.createGuest();
    await client.connect();
    return client;
  }

  test("doesn't slow down others, and catches up when it reads again", { tags: "long" }, async () => {
    const [here, there] = cluster.gateways;
    const sender = await guest(there!.clientUrl);
    const fast = await guest(here!.clientUrl);
    const slow = await guest(`http://127.0.0.1:${wire.port}`);
    let resyncs = 0;
    let reconnects = 0;
    slow.on("resync", () => (resyncs += 1));
    slow.on("connection.changed", ({ state }) => (reconnects += state === "online" ? 1 : 0));
    const { group, channels } = await sender.call("group.create", { name: "Slow" });
    const { invite } = await sender.call("invite.create", { groupId: group.id });
    const views: ChannelView[] = [];
    for (const client of [sender, fast, slow]) {
      if (client !== sender) await client.call("invite.accept", { code: invite.code });
      const view = client.channel(channels[0]!.id);
      await view.load();
      views.push(view);
    }
    const [senderView, fastView, slowView] = views as [ChannelView, ChannelView, ChannelView];

    wire.hold();
    for (let sent = 0; sent < MESSAGES; sent += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, () => senderView.send(CONTENT)));
      // The other socket at the same gateway has everything while this one still reads nothing.
      await expect.poll(() => fastView.head.seq, { interval: 5 }).toBe(sent + AT_ONCE);
    }
    expect(fastView.messages).toEqual(senderView.messages);
    expect(slowView.head.seq).toBe(0);
    expect(resyncs).toBe(0);

    await wire.restore();
    // A machine so busy that the hold lasts longer than a heartbeat makes the client reconnect instead.
    await expect.poll(() => resyncs + reconnects).toBeGreaterThan(0);
    await expect.poll(() => slowView.head.seq).toBe(MESSAGES);
    await expect.poll(() => slowView.messages).toEqual(fastView.messages.slice(-slowView.messages.length));
    expect(slow.state).toBe("online");
  });
});
