import { openAsBlob } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FanfareClient, FanfareError } from "@fanfare/client";
import type { GroupFileLine } from "@fanfare/contract";
import { createAccount, createWorld, must, post } from "@fanfare/testing";
import { startInstance, type Instance } from "../support/instance.ts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

let instance: Instance;
let folder: string;
const clients: FanfareClient[] = [];
beforeAll(async () => {
  // The first account is the admin.
  instance = await startInstance();
  await createAccount(instance.url);
  folder = await mkdtemp(join(tmpdir(), "fanfare-sdk-"));
});
afterAll(async () => {
  await instance?.stop();
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => clients.splice(0).forEach((client) => client.close()));

async function withClient() {
  const client = new FanfareClient({ url: instance.url });
  clients.push(client);
  await client.createGuest({ nickname: "Ada" });
  const { group, channels } = await client.call("group.create", { name: "Files" });
  return { client, groupId: group.id, channelId: channels[0]!.id };
}

const LARGE_BYTES = 3_000_000;

async function largeFile(): Promise<Blob> {
  const path = join(folder, "large.bin");
  await writeFile(path, Buffer.alloc(LARGE_BYTES, "large "));
  return openAsBlob(path);
}

test("a file is streamed, reports its progress, and is sent with a message", async () => {
  const { client, channelId } = await withClient();
  const progress: number[] = [];
  const file = await client.upload(channelId, "large.bin", await largeFile(), {
    onProgress({ sentBytes, totalBytes }) {
      expect(totalBytes).toBe(LARGE_BYTES);
      progress.push(sentBytes);
    },
  });
  expect(file).toMatchObject({ name: "large.bin", bytes: LARGE_BYTES });
  expect([progress[0], progress.at(-1)]).toEqual([0, LARGE_BYTES]);
  expect(progress.length).toBeGreaterThan(10);
  expect(progress).toEqual(progress.toSorted((a, b) => a - b));

  const view = client.channel(channelId);
  await view.load();
  await client.connect();
  const message = await view.send("Here it is.", { attachmentIds: [file.fileId] });
  expect(message.attachments).toMatchObject([{ fileId: file.fileId }]);
  const { url } = await client.call("file.getUrl", { fileId: file.fileId });
  const read = await fetch(new URL(url, instance.url));
  expect((await read.arrayBuffer()).byteLength).toBe(LARGE_BYTES);
});

test("an aborted upload leaves nothing behind, whether before it starts or halfway", async () => {
  const { client, channelId } = await withClient();
  const reason = new Error("changed my mind");
  const early = client.upload(channelId, "a.txt", new Blob(["a"]), { signal: AbortSignal.abort(reason) });
  await expect(early).rejects.toBe(reason);
  const aborter = new AbortController();
  const late = client.upload(channelId, "b.bin", await largeFile(), {
    signal: aborter.signal,
    onProgress: ({ sentBytes }) => sentBytes > 200_000 && aborter.abort(reason),
  });
  await expect(late).rejects.toBe(reason);
  await expect.poll(async () => (await client.call("file.getUsage", {})).usedBytes).toBe(0);
});

test("upload failures have the server's error, or say that it can't be reached", async () => {
  const { client } = await withClient();
  const elsewhere = await createWorld(instance.url);
  const typeOf = (work: Promise<unknown>) =>
    work.then(
      () => "done",
      (error: unknown) => (error instanceof FanfareError ? error.type : error),
    );
  const blob = new Blob(["text"]);
  expect(await typeOf(client.upload(elsewhere.channel.id, "a.txt", blob))).toBe("CHANNEL_NOT_FOUND");
  expect(await typeOf(client.uploadPicture(blob))).not.toBe("done");
  expect(await typeOf(client.exportGroup(elsewhere.group.id).next())).toBe("GROUP_NOT_FOUND");
  const away = new FanfareClient({ url: "http://127.0.0.1:1" });
  clients.push(away);
  away.useTokens(client.tokens!);
  expect(await typeOf(away.upload(elsewhere.channel.id, "a.txt", blob))).toBe("CONNECTION_LOST");
  expect(await typeOf(away.exportGroup(elsewhere.group.id).next())).toBe("CONNECTION_LOST");
});

test("a group export is read line by line, completely or in part", async () => {
  const { client, groupId, channelId } = await withClient();
  for (const nonce of ["a", "b", "多"])
    await client.call("message.send", { channelId, content: `Hello 世界 ${nonce}`, nonce });
  const lines: GroupFileLine[] = [];
  for await (const line of client.exportGroup(groupId)) lines.push(line);
  expect(lines[0]).toMatchObject({ type: "header" });
  expect(lines.at(-1)).toMatchObject({ type: "end", lines: lines.length - 1 });
  const texts = lines.flatMap((line) => (line.type === "message" ? [line.content] : []));
  expect(texts).toEqual(["Hello 世界 a", "Hello 世界 b", "Hello 世界 多"]);
  for await (const line of client.exportGroup(groupId)) {
    expect(line.type).toBe("header");
    break;
  }
  const aborter = new AbortController();
  const reason = new Error("enough");
  const aborted = client.exportGroup(groupId, { signal: aborter.signal });
  await aborted.next();
  aborter.abort(reason);
  const rest = async () => {
    for await (const _line of aborted) continue;
    return "whole";
  };
  // The client may have received all of it already.
  expect(["whole", reason]).toContain(await rest().catch((error: unknown) => error));
});

test("a bot can attach files if its scopes and role allow it", async () => {
  const { url } = instance;
  const { owner, group, channel } = await createWorld(url);
  const make = async (scopes: ("messages.read" | "messages.write")[]) => {
    const params = { groupId: group.id, name: `Robot ${scopes.length}`, scopes };
    const { token } = await must(url, "bot.create", params, owner.accessToken);
    const client = new FanfareClient({ url });
    clients.push(client);
    client.useBotToken(token);
    return client;
  };
  const writer = await make(["messages.write", "messages.read"]);
  const file = await writer.upload(channel.id, "report.txt", new Blob(["all is well"]));
  const attachmentIds = [file.fileId];
  const sent = { channelId: channel.id, content: "", nonce: "report", attachmentIds };
  const { message } = await writer.call("message.send", sent);
  expect(message.attachments).toMatchObject([{ name: "report.txt" }]);
  const { urls } = await writer.call("file.getUrls", { channelId: channel.id, fileIds: attachmentIds });
  expect(await (await fetch(new URL(urls[0]!.url, url))).text()).toBe("all is well");

  const reader = await make(["messages.read"]);
  const refused = { type: "BOT_NOT_ALLOWED" };
  await expect(reader.upload(channel.id, "a.txt", new Blob(["a"]))).rejects.toMatchObject(refused);
  await expect(writer.uploadPicture(new Blob(["a"]))).rejects.toMatchObject(refused);
  await expect(writer.exportGroup(group.id).next()).rejects.toMatchObject(refused);
  await expect(writer.call("file.listMine", {})).rejects.toMatchObject(refused);
  const everyone = { groupId: group.id, permissions: 1 | 2 };
  expect((await post(url, "role.setDefault", everyone, owner.accessToken)).ok).toBe(true);
  const late = writer.upload(channel.id, "b.txt", new Blob(["b"]));
  await expect(late).rejects.toMatchObject({ type: "FORBIDDEN" });
});
