import type { Bot } from "@fanfare/client/bots";
import type { Ephemeral, Message } from "@fanfare/contract";
import { createWorld, must, post, type Person } from "@fanfare/testing";
import { io, type Socket } from "socket.io-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApprovalBot } from "../../packages/client/examples/approval-bot.ts";
import { startInstance, type Instance } from "../support/instance.ts";

let instance: Instance;
let bot: Bot | undefined;
const sockets: Socket[] = [];
beforeAll(async () => {
  instance = await startInstance();
});
afterAll(async () => {
  bot?.stop();
  for (const socket of sockets) socket.disconnect();
  await instance.stop();
});

/** The messages that only this user sees. */
async function listen({ accessToken: token }: Person): Promise<Ephemeral[]> {
  const received: Ephemeral[] = [];
  const socket = io(instance.url, { transports: ["websocket"], forceNew: true, auth: { token } });
  sockets.push(socket);
  socket.on("ephemeral.sent", ({ ephemeral }: { ephemeral: Ephemeral }) => received.push(ephemeral));
  await new Promise<void>((resolve) => socket.once("ready", () => resolve()));
  return received;
}

test("the example bot answers a command, and buttons with an update, a message or something that only one user sees", async () => {
  const { url } = instance;
  const { group, channel, owner, member } = await createWorld(url);
  const scopes = ["group.read", "messages.write", "commands"] as const;
  const params = { groupId: group.id, name: "Approvals", scopes: [...scopes] };
  const { token } = await must(url, "bot.create", params, owner.accessToken);
  bot = await createApprovalBot(url, token).start();
  const [seenByMember, seenByOwner] = [await listen(member), await listen(owner)];
  const newest = async (): Promise<Message | undefined> => {
    const { messages } = await must(url, "message.list", { channelId: channel.id }, owner.accessToken);
    return messages.toSorted((a, b) => b.seq - a.seq)[0];
  };

  const command = { channelId: channel.id, name: "approve" };
  await must(url, "command.invoke", command, member.accessToken);
  await expect
    .poll(() => seenByMember)
    .toMatchObject([{ content: "Write for example `/approve A new keyboard`." }]);
  expect((await newest())?.authorId).not.toBe(bot.info.id);

  await must(url, "command.invoke", { ...command, text: "A new keyboard" }, member.accessToken);
  await expect.poll(newest).toMatchObject({ authorId: bot.info.id, cards: [{ title: "A new keyboard" }] });
  const request = (await newest())!;
  expect(request.controls?.map(({ label }) => label)).toEqual(["Approve", "Reject", "Assign to…"]);
  const press = (person: Person, controlId: string, value?: string) =>
    post(
      url,
      "interaction.create",
      { channelId: channel.id, messageId: request.id, controlId, ...(value !== undefined && { value }) },
      person.accessToken,
    );

  expect(await press(member, "approve")).toMatchObject({ ok: true });
  expect(seenByMember.at(-1)).toMatchObject({
    content: "Someone else has to decide this.",
    channelId: channel.id,
  });
  expect((await newest())?.editedAt).toBeNull();

  expect(await press(owner, "assign", "billing")).toMatchObject({ ok: true });
  expect((await newest())?.content).toBe(`<@${owner.userId}> assigned this to billing.`);

  expect(await press(owner, "approve")).toMatchObject({ ok: true });
  const get = { channelId: channel.id, messageId: request.id };
  const { message } = await must(url, "message.get", get, owner.accessToken);
  expect(message).toMatchObject({
    content: request.content,
    cards: [{ text: `Approved by <@${owner.userId}>` }],
  });
  expect(message).not.toHaveProperty("controls");
  expect(await press(owner, "approve")).toMatchObject({ error: { type: "VALIDATION_FAILED" } });
  expect(seenByOwner).toEqual([]);
});
