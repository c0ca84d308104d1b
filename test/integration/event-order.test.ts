import type { EventPayload, Message } from "@fanfare/contract";
import { createWorld, must } from "@fanfare/testing";
import { startNode, type FanfareNode } from "../support/node-process.ts";
import { io, type Socket } from "socket.io-client";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

// Starting and killing processes takes long on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let node: FanfareNode;
const open: Socket[] = [];

beforeAll(async () => {
  node = await startNode({ env: { GATEWAY_THREADS: "2" } });
});
afterAll(async () => {
  for (const socket of open) socket.close();
  await node?.process.stop();
});

/** A connected socket and the `rev` of every change it receives, in the order of arrival. */
async function listen(token: string): Promise<{ socket: Socket; revs: number[] }> {
  const socket = io(node.url, { transports: ["websocket"], auth: { token }, forceNew: true });
  open.push(socket);
  const revs: number[] = [];
  const add = ({ message }: { message: Message }): void => void revs.push(message.rev);
  socket.on("message.created", ({ messages }: EventPayload<"message.created">) => {
    for (const { rev } of messages) revs.push(rev);
  });
  socket.on("message.changed", add);
  socket.on("message.deleted", add);
  socket.on("reaction.changed", ({ rev }: EventPayload<"reaction.changed">) => void revs.push(rev));
  await new Promise((resolve) => socket.once("ready", resolve));
  return { socket, revs };
}

test("a message resent after a crash doesn't arrive after later ones", async () => {
  const { member, owner, channel } = await createWorld(node.url);
  const send = (content: string, resend = false): Promise<{ message: Message }> =>
    must(
      node.url,
      "message.send",
      { channelId: channel.id, content, nonce: content, resend },
      member.accessToken,
    );
  for (const content of ["one", "two", "three"]) await send(content);
  await node.process.kill();
  await node.process.start();

  const sockets = await Promise.all(Array.from({ length: 6 }, () => listen(owner.accessToken)));
  const { message: four } = await send("four");
  // The senders of these got no answer before the crash.
  for (const content of ["two", "one", "three"]) await send(content, true);
  await send("two");
  const { message: five } = await send("five");
  for (const { revs } of sockets) {
    await expect.poll(() => revs.at(-1)).toBe(five.rev);
    expect(revs).toEqual([four.rev, five.rev]);
  }
});

test("a message whose publication was lost is published when its sender retries", async () => {
  const { member, owner, channel } = await createWorld(node.url);
  const params = { channelId: channel.id, content: "Only me.", nonce: "only" };
  const { message } = await must(node.url, "message.send", params, member.accessToken);
  await node.process.kill();
  await node.process.start();

  const { revs } = await listen(owner.accessToken);
  await must(node.url, "message.send", { ...params, resend: true }, member.accessToken);
  await expect.poll(() => revs).toEqual([message.rev]);
});
