import type { Context, Endpoint, Registry, ServiceBroker } from "moleculer";
import { expect, test } from "vitest";
import { ChannelStrategy } from "./broker.ts";

const nodes = ["a-1-0f", "b-2-1e", "c-3-2d", "d-4-3c"].map((id) => ({ id }) as Endpoint);
const channels = Array.from({ length: 4000 }, (_, index) => index.toString(16).padStart(24, "0"));

const strategy = (byChannel: boolean) =>
  new ChannelStrategy({} as Registry, {} as ServiceBroker, byChannel ? { shardBy: "channelId" } : {});
const about = (channelId: string) => ({ params: { channelId } }) as unknown as Context;

test("calls about a channel go to one node, and channels are evenly distributed", () => {
  const chosen = channels.map((id) => strategy(true).select(nodes, about(id)).id);
  const again = channels.map((id) => strategy(true).select(nodes.toReversed(), about(id)).id);
  expect(again).toEqual(chosen);
  for (const { id } of nodes) {
    const share = chosen.filter((nodeId) => nodeId === id).length / channels.length;
    expect(share).toBeGreaterThan(0.22);
    expect(share).toBeLessThan(0.28);
  }
});

test("when a node leaves, only its channels move", () => {
  const shard = strategy(true);
  const left = nodes.slice(1);
  const moved = channels.filter((id) => {
    const before = shard.select(nodes, about(id));
    return before !== nodes[0] && shard.select(left, about(id)) !== before;
  });
  expect(moved).toEqual([]);
});

test("other calls are balanced round robin", () => {
  const round = strategy(false);
  const chosen = Array.from({ length: 8 }, () => round.select(nodes, about(channels[0]!)).id);
  for (const { id } of nodes) expect(chosen.filter((nodeId) => nodeId === id)).toHaveLength(2);
});
