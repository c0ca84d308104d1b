import { randomBytes } from "node:crypto";
import { createGuest, isInstalled, must, post, startCluster } from "@fanfare/testing";
import { expect, test } from "vitest";

test.skipIf(!isInstalled("nats-server") || !isInstalled("redis-server"))(
  "a file that comes in at one gateway is read at another, until somebody is put out",
  async () => {
    const cluster = await startCluster({ gateways: 2, workers: 2 });
    try {
      const [here, there] = cluster.gateways.map(({ url }) => url) as [string, string];
      const [writer, reader] = await Promise.all([createGuest(here), createGuest(there)]);
      const { group } = await must(here, "group.create", { name: "Files" }, writer.accessToken);
      const { invite } = await must(here, "invite.create", { groupId: group.id }, writer.accessToken);
      await must(there, "invite.accept", { code: invite.code }, reader.accessToken);
      const hidden = { groupId: group.id, name: "hidden", private: true, memberIds: [reader.userId] };
      const { channel } = await must(here, "channel.create", hidden, writer.accessToken);

      const bytes = randomBytes(500_000);
      const query = new URLSearchParams({ channelId: channel.id, name: "data.bin" });
      const response = await fetch(`${here}/api/file.upload?${query.toString()}`, {
        method: "POST",
        headers: { authorization: `Bearer ${writer.accessToken}` },
        body: bytes,
      });
      const { data } = (await response.json()) as { data: { file: { fileId: string } } };
      const { fileId } = data.file;
      const message = { channelId: channel.id, content: "here", nonce: "file", attachmentIds: [fileId] };
      await must(there, "message.send", message, writer.accessToken);

      const { url } = await must(there, "file.getUrl", { fileId }, reader.accessToken);
      for (const gateway of [here, there]) {
        const read = await fetch(gateway + url);
        expect(Buffer.from(await read.arrayBuffer()).equals(bytes)).toBe(true);
      }
      const kicked = { groupId: group.id, userId: reader.userId };
      await must(here, "group.kick", kicked, writer.accessToken);
      for (const gateway of [here, there]) {
        const refused = await post(gateway, "file.getUrl", { fileId }, reader.accessToken);
        expect(refused).toMatchObject({ ok: false, error: { type: "FILE_NOT_FOUND" } });
      }
      const removed = { channelId: channel.id, messageId: (await lastOf(here, channel.id, writer)).id };
      await must(there, "message.delete", removed, writer.accessToken);
      for (const gateway of [here, there]) expect((await fetch(gateway + url)).status).toBe(404);
    } finally {
      await cluster.stop();
    }
  },
);

async function lastOf(url: string, channelId: string, { accessToken }: { accessToken: string }) {
  const { messages } = await must(url, "message.list", { channelId }, accessToken);
  return messages.at(-1)!;
}
