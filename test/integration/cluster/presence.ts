import { FanfareClient } from "@fanfare/client";
import type { EventPayload, SessionTokens } from "@fanfare/contract";
import { must } from "@fanfare/testing";
import type { Cluster } from "../../support/cluster.ts";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";

interface Person {
  id: string;
  tokens: SessionTokens;
  client: FanfareClient;
  /** The last status received for each user. */
  seen: Map<string, string>;
  typing: EventPayload<"typing.started">[];
}

const POLL = { interval: 100 };

/** Some of these restart Redis or freeze a gateway, and leave them running. */
export function testPresence(shared: () => Cluster): void {
  let cluster: Cluster;
  let ann: Person;
  let bob: Person;
  let groupId: string;
  let channelId: string;
  const clients: FanfareClient[] = [];

  beforeAll(() => {
    cluster = shared();
  });

  const urlOf = (gateway: number): string => cluster.gateways[gateway]!.clientUrl;

  async function connectPerson(gateway: number, tokens?: SessionTokens): Promise<Person> {
    const own = tokens ?? (await must(urlOf(gateway), "user.createGuest", {}));
    const client = new FanfareClient({ url: urlOf(gateway) });
    clients.push(client);
    client.useTokens(own);
    const person: Person = { id: own.user.id, tokens: own, client, seen: new Map(), typing: [] };
    client.on("presence.changed", ({ presences }) => {
      for (const { userId, status } of presences) person.seen.set(userId, status);
    });
    client.on("typing.started", (event) => person.typing.push(event));
    await client.connect();
    return person;
  }

  async function watch(person: Person, userId: string): Promise<void> {
    const { presences } = await person.client.call("presence.watch", { userIds: [userId] });
    for (const presence of presences) person.seen.set(presence.userId, presence.status);
  }

  beforeEach(async () => {
    ann = await connectPerson(0);
    bob = await connectPerson(1);
    const { group, channels } = await ann.client.call("group.create", { name: "A group" });
    groupId = group.id;
    channelId = channels[0]!.id;
    const { invite } = await ann.client.call("invite.create", { groupId });
    await bob.client.call("invite.accept", { code: invite.code });
    await watch(ann, bob.id);
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });

  /** Connects another member, visible to ann, to a gateway. */
  async function joinAt(gateway: number): Promise<Person> {
    const person = await connectPerson(gateway);
    const { invite } = await ann.client.call("invite.create", { groupId });
    await person.client.call("invite.accept", { code: invite.code });
    await watch(ann, person.id);
    await expect.poll(() => ann.seen.get(person.id), POLL).toBe("online");
    return person;
  }

  /**
   * A member connects and disconnects, and ann sees both: everything the gateway reported before is published
   * by then.
   */
  async function connectAndDisconnect(gateway: number): Promise<void> {
    const { id, client } = await joinAt(gateway);
    client.close();
    await expect.poll(() => ann.seen.get(id), POLL).toBe("offline");
  }

  const statusOfBob = (): string | undefined => ann.seen.get(bob.id);

  test("a user who connects, changes status and disconnects at one gateway is seen at the other", async () => {
    await expect.poll(statusOfBob, POLL).toBe("online");
    await bob.client.call("presence.setStatus", { status: "doNotDisturb" });
    await expect.poll(statusOfBob, POLL).toBe("doNotDisturb");
    await bob.client.call("presence.setStatus", { status: "invisible" });
    await expect.poll(statusOfBob, POLL).toBe("offline");
    await bob.client.call("presence.setStatus", { status: "online" });
    await expect.poll(statusOfBob, POLL).toBe("online");
    bob.client.close();
    await expect.poll(statusOfBob, POLL).toBe("offline");
  });

  test(
    "a user connected to two gateways is online until the last connection closes",
    { tags: "long" },
    async () => {
      await expect.poll(statusOfBob, POLL).toBe("online");
      const phone = await connectPerson(0, bob.tokens);
      await connectAndDisconnect(0);
      bob.client.close();
      await connectAndDisconnect(1);
      expect(statusOfBob()).toBe("online");
      phone.client.close();
      await expect.poll(statusOfBob, POLL).toBe("offline");
    },
  );

  test("typing at one gateway is shown at the other", async () => {
    await bob.client.call("channel.typing", { channelId });
    await bob.client.call("channel.typing", { channelId });
    await vi.waitFor(() => expect(ann.typing.length).toBeGreaterThan(0), POLL);
    expect(ann.typing[0]).toMatchObject({ channelId, userId: bob.id });
  });

  test("presence is reported again after Redis loses its data", { tags: "long" }, async () => {
    await expect.poll(statusOfBob, POLL).toBe("online");
    await cluster.redis.kill();
    await ann.client.call("message.send", { channelId, content: "Still here", nonce: "without Redis" });
    await cluster.redis.start();
    await vi.waitFor(async () => {
      ann.seen.clear();
      await watch(ann, bob.id);
      expect(ann.seen.get(bob.id)).toBe("online");
    }, POLL);
    bob.client.close();
    await expect.poll(statusOfBob, POLL).toBe("offline");
  });

  test(
    "users of a frozen gateway go offline, and online again when it resumes",
    { tags: "long" },
    async () => {
      await expect.poll(statusOfBob, POLL).toBe("online");
      cluster.gateways[1]!.process.freeze();
      await expect.poll(statusOfBob, POLL).toBe("offline");
      cluster.gateways[1]!.process.thaw();
      await expect.poll(statusOfBob, POLL).toBe("online");
    },
  );

  test("a frozen worker does not make users appear offline", { tags: "long" }, async () => {
    await expect.poll(statusOfBob, POLL).toBe("online");
    const { id } = await joinAt(0);
    const statuses: string[] = [];
    ann.client.on("presence.changed", ({ presences }) => {
      for (const { userId, status } of presences) if (userId === id) statuses.push(status);
    });
    const frozen = [cluster.workers[0]!, cluster.gateways[1]!].map((node) => node.process);
    for (const node of frozen) node.freeze();
    // By then the worker hasn't answered the other gateway for just as long.
    await expect.poll(statusOfBob, POLL).toBe("offline");
    for (const node of frozen) node.thaw();
    await expect.poll(statusOfBob, POLL).toBe("online");
    await connectAndDisconnect(0);
    expect(statuses).not.toContain("offline");
  });

  test("a worker drops presence events that it couldn't publish in time", { tags: "long" }, async () => {
    await expect.poll(statusOfBob, POLL).toBe("online");
    ann.client.on("resync", () => void watch(ann, bob.id).catch(() => undefined));
    // Wait until all events are delivered: losing the connection with events in flight would make every client
    // resync.
    await new Promise((resolve) => setTimeout(resolve, 2000));
    const [cutOff, withoutRedis] = cluster.workers.map(({ links }) => links);
    cutOff!.nats.hold();
    await withoutRedis!.redis.cut();
    // No worker takes the gateways' reports, so all users expire as offline, by a worker that can't publish it.
    await new Promise((resolve) => setTimeout(resolve, 9000));
    await withoutRedis!.redis.restore();
    await new Promise((resolve) => setTimeout(resolve, 5000));
    await expect.poll(statusOfBob, POLL).toBe("online");
    await cutOff!.nats.restore();
    await new Promise((resolve) => setTimeout(resolve, 4000));
    expect(statusOfBob()).toBe("online");
  });

  test("users of a killed gateway go offline", { tags: "long" }, async () => {
    await expect.poll(statusOfBob, POLL).toBe("online");
    await cluster.gateways[1]!.process.kill();
    await expect.poll(statusOfBob, POLL).toBe("offline");
    await cluster.gateways[1]!.process.start();
    bob = await connectPerson(1, bob.tokens);
    await expect.poll(statusOfBob, POLL).toBe("online");
  });
}
