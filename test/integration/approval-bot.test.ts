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
  socket.on("ephemeral.created", ({ ephemeral }: { ephemeral: Ephemeral }) => received.push(ephemeral));
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
  const press = (person: Person, label: string, value?: string) => {
    const control = request.controls!.find((one) => one.label === label)!;
    const controlId = control.kind === "link" ? "" : control.id;
    const params = { channelId: channel.id, messageId: request.id, controlId, ...(value && { value }) };
    return post(url, "interaction.create", params, person.accessToken);
  };

  await press(member, "Approve");
  await expect
    .poll(() => seenByMember.at(-1))
    .toMatchObject({
      content: "Someone else has to decide this.",
      channelId: channel.id,
    });
  expect((await newest())?.editedAt).toBeNull();

  await press(owner, "Assign to…", "billing");
  await expect.poll(newest).toMatchObject({ content: `<@${owner.userId}> assigned this to billing.` });

  await press(owner, "Approve");
  const get = { channelId: channel.id, messageId: request.id };
  const read = async () => (await must(url, "message.get", get, owner.accessToken)).message;
  await expect.poll(read).not.toHaveProperty("controls");
  const message = await read();
  expect(message).toMatchObject({
    content: request.content,
    cards: [{ text: `Approved by <@${owner.userId}>` }],
  });
  expect(await press(owner, "Approve")).toMatchObject({ error: { type: "VALIDATION_FAILED" } });
  expect(seenByOwner).toEqual([]);
});
