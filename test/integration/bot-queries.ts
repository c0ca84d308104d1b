import { createWorld, must, post } from "@fanfare/testing";

/** Runs the database queries of bots, commands and webhooks, with an existing bot. */
export async function exerciseBots(url: string): Promise<void> {
  const { owner, member, group, channel } = await createWorld(url);
  const { accessToken } = owner;
  const [groupId, channelId] = [group.id, channel.id];
  const scopes = ["messages.read", "messages.write", "commands", "events"] as const;
  const made = await must(url, "bot.create", { groupId, name: "Robot", scopes: [...scopes] }, accessToken);
  const ofBot = { groupId, botId: made.bot.id };
  await must(url, "bot.update", { ...ofBot, name: "Other", scopes: [...scopes] }, accessToken);
  const { token } = await must(url, "bot.rotateToken", ofBot, accessToken);
  // A private address without a listener: the call fails and the job settles.
  const callback = { url: "http://127.0.0.1:1/", secret: "0123456789abcdef" };
  const events = ["message.created", "command.invoked"] as const;
  await must(url, "bot.subscribe", { ...callback, events: [...events] }, token);
  await must(url, "command.register", { name: "ask", description: "Ask" }, token);
  await must(url, "command.list", { channelId }, member.accessToken);
  await must(url, "command.invoke", { channelId, name: "ask" }, member.accessToken);
  await must(url, "message.send", { channelId, content: "hello", nonce: "of-bots" }, member.accessToken);
  const webhook = await must(url, "webhook.create", { channelId, name: "Builds" }, accessToken);
  const ofWebhook = { channelId, webhookId: webhook.webhook.id };
  await must(url, "webhook.list", { channelId }, accessToken);
  await must(url, "webhook.update", { ...ofWebhook, name: "Other" }, accessToken);
  const message = { webhookId: ofWebhook.webhookId, token: webhook.token, content: "green" };
  await must(url, "webhook.execute", message);
  await must(url, "webhook.check", { webhookId: message.webhookId, token: message.token });
  await until(async () => {
    const { bot } = await must(url, "bot.me", {}, token);
    return bot.callback?.state === "failing";
  });
  await must(url, "command.unregister", { name: "ask" }, token);
  await must(url, "webhook.delete", ofWebhook, accessToken);
  await must(url, "bot.unsubscribe", {}, token);
  await must(url, "bot.delete", ofBot, accessToken);
  await until(async () => !(await post(url, "bot.me", {}, token)).ok);
}

async function until(look: () => Promise<boolean>): Promise<void> {
  while (!(await look())) await new Promise((resolve) => setTimeout(resolve, 50));
}
