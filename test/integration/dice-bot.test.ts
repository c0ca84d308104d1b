import { createWorld, must, type World } from "@fanfare/testing";
import { startInstance, type Instance } from "../support/instance.ts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createDiceBot } from "../../packages/client/examples/dice-bot.ts";
import { createBot, type Bot } from "@fanfare/client/bots";

let instance: Instance;
const bots: Bot[] = [];
beforeAll(async () => {
  instance = await startInstance();
});
afterEach(() => {
  for (const bot of bots.splice(0)) bot.stop();
});
afterAll(() => instance.stop());

async function createToken(world: World) {
  const scopes = ["group.read", "messages.read", "messages.write", "commands"] as const;
  const params = { groupId: world.group.id, name: "Dice", scopes: [...scopes] };
  return must(instance.url, "bot.create", params, world.owner.accessToken);
}

const texts = async ({ channel, member }: World) =>
  (await must(instance.url, "message.list", { channelId: channel.id }, member.accessToken)).messages.map(
    ({ content }) => content,
  );

test("the example bot answers a command and a message", async () => {
  const world = await createWorld(instance.url);
  const { token } = await createToken(world);
  const bot = createDiceBot(instance.url, token);
  bots.push(bot);
  await bot.start();
  expect(bot.info.name).toBe("Dice");
  const { channel, member } = world;
  const roll = { channelId: channel.id, name: "roll", text: "3d1000" };
  await must(instance.url, "command.invoke", roll, member.accessToken);
  await must(instance.url, "command.invoke", { ...roll, text: "2d6" }, member.accessToken);
  const hello = { channelId: channel.id, content: "Hello bot", nonce: "hello" };
  await must(instance.url, "message.send", hello, member.accessToken);
  await expect
    .poll(() => texts(world))
    .toEqual(
      expect.arrayContaining([
        "Write for example `/roll 2d6`.",
        expect.stringMatching(new RegExp(`^<@${member.userId}> rolled \\d \\+ \\d = \\d+$`)),
        "Hello!",
      ]),
    );
});

test("a bot reconnects by itself when its scopes change, and stops when its token does", async () => {
  const world = await createWorld(instance.url);
  const made = await createToken(world);
  const bot = createBot({ url: instance.url, token: made.token });
  bots.push(bot);
  await bot.start();
  const states: string[] = [];
  bot.client.on("connection.changed", ({ state }) => states.push(state));
  const ofBot = { groupId: world.group.id, botId: made.bot.id };
  await must(instance.url, "bot.update", { ...ofBot, scopes: ["messages.read"] }, world.owner.accessToken);
  await expect.poll(() => states.at(-1)).toBe("online");
  expect(states).toContain("reconnecting");
  await must(instance.url, "bot.rotateToken", ofBot, world.owner.accessToken);
  await expect.poll(() => bot.client.state).toBe("closed");
});

test("a malformed token is rejected before connecting, a wrong one by the server", async () => {
  expect(() => createBot({ url: instance.url, token: "secret" })).toThrow("starts with fbot.");
  const bot = createBot({ url: instance.url, token: `fbot.${"0".repeat(24)}.${"x".repeat(43)}` });
  bots.push(bot);
  await expect(bot.start()).rejects.toMatchObject({ type: "UNAUTHENTICATED" });
});
