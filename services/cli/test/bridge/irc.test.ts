import { createWorld, isInstalled, must, type ServerProcess } from "@fanfare/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startInstance, type Instance } from "../../../../test/support/instance.ts";
import { runBridge } from "../../src/bridge/run-bridge.ts";
import { FakeMatterbridge } from "./fake-matterbridge.ts";
import { connectIrc, IrcClient, startIrcServer } from "./irc.ts";

const CHANNEL = "#dev";

describe.skipIf(!isInstalled("ngircd"))("with a real IRC server", () => {
  let instance: Instance;
  let irc: ServerProcess;
  let matterbridge: FakeMatterbridge;
  beforeAll(async () => {
    [instance, irc, matterbridge] = await Promise.all([
      startInstance(),
      startIrcServer(),
      FakeMatterbridge.start(),
    ]);
  });
  afterAll(async () => {
    await matterbridge?.stop();
    await irc?.stop();
    await instance?.stop();
  });

  test(
    "users of a channel in Fanfare and in IRC read each other, each message once",
    { tags: "long" },
    async () => {
      const { url } = instance;
      const { owner, member, group, channel } = await createWorld(url);
      const channelId = channel.id;
      const bot = {
        groupId: group.id,
        name: "Bridge",
        scopes: ["group.read" as const, "messages.read" as const],
      };
      const { token: botToken } = await must(url, "bot.create", bot, owner.accessToken);
      const { webhook, token, path } = await must(
        url,
        "webhook.create",
        { channelId, name: "IRC" },
        owner.accessToken,
      );
      await must(url, "user.updateProfile", { nickname: "Grace" }, member.accessToken);

      const user = await IrcClient.join(irc.port, "ada", CHANNEL);
      const bridge = await connectIrc(matterbridge, irc.port, CHANNEL);
      const stopping = new AbortController();
      const logged: string[] = [];
      const ended = runBridge(
        {
          url,
          botToken,
          matterbridge: { url: matterbridge.url, token: matterbridge.token },
          channels: [
            { gateway: matterbridge.gateway, webhook: { url: url + path, webhookId: webhook.id, token } },
          ],
        },
        { signal: stopping.signal, log: (line) => logged.push(line) },
      );
      try {
        await expect.poll(() => logged).toEqual(["Bridging 1 channel."]);
        user.say("Grüße aus dem IRC 👋");
        user.say("\u0001ACTION waves\u0001");
        const shown = async () =>
          (await must(url, "message.list", { channelId }, member.accessToken)).messages
            .filter(({ as }) => as !== undefined)
            .map(({ as, content }) => ({ nick: as!.name, text: content }));
        const fromIrc = [
          { nick: "ada", text: "Grüße aus dem IRC 👋" },
          { nick: "ada", text: "*waves*" },
        ];
        await expect.poll(shown).toEqual(fromIrc);
        const content = `<@${owner.userId}> two\n\nlines, 你好`;
        await must(url, "message.send", { channelId, content, nonce: "a" }, member.accessToken);
        const { user: known } = await must(url, "user.me", {}, owner.accessToken);
        const toIrc = [`<Grace> @${known.nickname} two`, "<Grace> lines, 你好"];
        await expect.poll(() => user.received).toEqual(toIrc.map((text) => ({ nick: "matterbot", text })));
        // What was bridged comes back from neither side.
        user.say("the end");
        await expect.poll(shown).toEqual([...fromIrc, { nick: "ada", text: "the end" }]);
        expect(user.received).toHaveLength(2);
      } finally {
        stopping.abort();
        await ended;
        user.close();
        bridge.close();
      }
    },
  );
});
