import { setTimeout as delay } from "node:timers/promises";
import type { ServerToClientEvents } from "@fanfare/contract";
import { createGuest, isInstalled, must, post, type Person } from "@fanfare/testing";
import { startCluster, type Cluster } from "../support/cluster.ts";
import { io, type Socket } from "socket.io-client";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

// Starting many processes takes long on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

type AnyCalls = Record<string, (params: object, answer: (answer: unknown) => void) => void>;

const JOINS = 6;
/** A call without an answer after this time is taken for one to the frozen worker. */
const NO_ANSWER_MS = 2000;
const ROUNDS = 3;
const MAX_ROUNDS = 10;

describe.skipIf(!isInstalled("nats-server") || !isInstalled("redis-server"))("a frozen worker", () => {
  let cluster: Cluster;
  let url: string;
  let owner: Person;
  let groupId: string;
  let channelId: string;
  let code: string;

  beforeAll(async () => {
    cluster = await startCluster({ gateways: 1, workers: 2 });
    url = cluster.gateways[0]!.url;
    owner = await createGuest(url);
    const { group, channels } = await must(url, "group.create", { name: "A group" }, owner.accessToken);
    [groupId, channelId] = [group.id, channels[0]!.id];
    const { invite } = await must(url, "invite.create", { groupId }, owner.accessToken);
    code = invite.code;
  });
  afterAll(() => cluster?.stop());

  async function connect({ accessToken }: Person) {
    const socket: Socket<ServerToClientEvents, AnyCalls> = io(url, {
      transports: ["websocket"],
      auth: { token: accessToken },
      reconnection: false,
    });
    const received: string[] = [];
    socket.on("message.created", ({ messages }) =>
      received.push(...messages.map(({ content }) => content ?? "")),
    );
    await new Promise((resolve) => socket.once("ready", resolve));
    return { socket, received };
  }

  /**
   * Calls alternate between the workers.
   * @returns how many of the kicks wait at the frozen worker
   */
  async function kickAtOther(userId: string): Promise<number> {
    for (let waiting = 0; waiting < MAX_ROUNDS; waiting += 1) {
      const kick = must(url, "group.kick", { groupId, userId }, owner.accessToken).then(() => true);
      if (await Promise.race([kick, delay(NO_ANSWER_MS, false)])) return waiting;
      kick.catch(() => undefined);
    }
    throw new Error("No worker has carried out the kick.");
  }

  test("doesn't carry out a join that was requested before a kick", async () => {
    const frozen = cluster.workers[0]!.process;
    const { socket: ofOwner, received: receivedByOwner } = await connect(owner);
    let rounds = 0;
    for (let round = 0; round < MAX_ROUNDS && rounds < ROUNDS; round += 1) {
      const target = await createGuest(url);
      await must(url, "invite.accept", { code }, target.accessToken);
      const { socket, received } = await connect(target);

      frozen.freeze();
      let answered = 0;
      const joins = Array.from({ length: JOINS }, () =>
        post(url, "invite.accept", { code }, target.accessToken).finally(() => (answered += 1)),
      );
      // The joins handled by the other worker.
      await vi.waitFor(() => expect(answered).toBeGreaterThanOrEqual(JOINS / 2), 20_000);
      expect(answered).toBeLessThan(JOINS);
      const kicksWaiting = await kickAtOther(target.userId);
      frozen.thaw();
      const outcomes = await Promise.all(joins);
      // A second kick would hide that the user has joined.
      if (kicksWaiting === 0) rounds += 1;

      const refused = outcomes.filter((outcome) => !outcome.ok).map(({ error }) => error.type);
      expect(new Set(refused)).toEqual(new Set(["UNAVAILABLE"]));
      const { members } = await must(url, "group.listMembers", { groupId }, owner.accessToken);
      expect(members.map(({ userId }) => userId)).toEqual([owner.userId]);
      const content = `After kick ${round}.`;
      await must(url, "message.send", { channelId, content, nonce: content }, owner.accessToken);
      await vi.waitFor(() => expect(receivedByOwner).toContain(content), 20_000);
      await socket.emitWithAck("user.me", {});
      expect(received).toEqual([]);
      // The other worker handled the last call, so the next one would go to the frozen worker.
      await post(url, "group.kick", { groupId, userId: target.userId }, owner.accessToken);
      socket.close();
    }
    ofOwner.close();
    expect(rounds).toBe(ROUNDS);
  });
});
