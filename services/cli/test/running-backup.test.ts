import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import { createWorld, must } from "@fanfare/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decodeFrames } from "../src/backup/format.ts";
import { fileOf } from "../src/backup/read-backup.ts";
import { withStoppedInstance } from "../src/open-instance.ts";
import {
  configOf,
  fanfare,
  fanfareProcess,
  newFolder,
  spawnFanfare,
  whileRunning,
} from "./temporary-instance.ts";

const CHANNEL_WRITERS = 3;
const LEAST_BEFORE = 100;
const MEANWHILE = 50;
/** The backup waits for the traffic, and the machine can be busy. */
const TIMEOUT_MS = 180_000;

let folder: string;
beforeAll(async () => void (folder = await newFolder()));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Sends, edits, reacts, joins, uploads and deletes files concurrently, until it is stopped. */
async function makeTraffic(url: string) {
  const { channel, owner, inviteCode } = await createWorld(url);
  const acknowledged = new Map<string, { content: string; messageId: string }>();
  const files = new Map<string, string>();
  const over = new AbortController();
  let joined = 0;
  let n = 0;
  const send = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const nonce = `n${n++}`;
      const content = `Message ${nonce}`;
      const { message } = await must(
        url,
        "message.send",
        { channelId: channel.id, content, nonce },
        owner.accessToken,
      );
      acknowledged.set(nonce, { content, messageId: message.id });
      if (n % 20 === 0)
        await must(
          url,
          "message.react",
          { channelId: channel.id, messageId: message.id, emoji: "👍" },
          owner.accessToken,
        );
    }
  };
  const join = async (): Promise<void> => {
    for (let guest = 0; !over.signal.aborted; guest++) {
      const { accessToken } = await must(url, "user.createGuest", { nickname: `Guest ${guest}` });
      await must(url, "invite.accept", { code: inviteCode }, accessToken);
      joined += 1;
    }
  };
  const upload = async (): Promise<void> => {
    for (let file = 0; !over.signal.aborted; file++) {
      const content = `File ${file} `.repeat(2000);
      const address = `${url}/api/file.upload?channelId=${channel.id}&name=file.txt`;
      const response = await fetch(address, {
        method: "POST",
        headers: { authorization: `Bearer ${owner.accessToken}` },
        body: content,
      });
      const { data } = (await response.json()) as { data: { file: { fileId: string } } };
      const sent = {
        channelId: channel.id,
        content: "",
        attachmentIds: [data.file.fileId],
        nonce: `file ${file}`,
      };
      const { message } = await must(url, "message.send", sent, owner.accessToken);
      if (file % 3 === 0)
        await must(
          url,
          "message.delete",
          { channelId: channel.id, messageId: message.id },
          owner.accessToken,
        );
      else files.set(data.file.fileId, content);
    }
  };
  const all = [...Array.from({ length: CHANNEL_WRITERS }, send), join(), upload()];
  return {
    acknowledged,
    files,
    channel,
    owner,
    get joined() {
      return joined;
    },
    async stop() {
      over.abort();
      await Promise.all(all);
    },
  };
}

/** More than all buffers between the database and the backup, in the middle of the collections. */
async function addBulk(source: string): Promise<void> {
  await withStoppedInstance(configOf(source), async ({ db }) => {
    const parts = Array.from({ length: 8 }, () => ({ bytes: randomBytes(1024 * 1024) }));
    await db.collection("groupsBulk").insertMany(parts);
  });
}

/** Reads the first bytes, and the rest after `meanwhile`. */
async function backUpSlowly(source: string, file: string, meanwhile: () => Promise<void>): Promise<void> {
  const child = spawnFanfare(source, ["backup", "--stdout"]);
  const said = text(child.stderr);
  const ended = once(child, "close");
  await once(child.stdout, "readable");
  await meanwhile();
  await pipeline(child.stdout, createWriteStream(file));
  expect(await ended).toEqual([0, null]);
  expect(await said).toContain("The instance kept running");
}

test(
  "a backup under load contains everything acknowledged before, and is consistent",
  { timeout: TIMEOUT_MS, tags: "long" },
  async () => {
    const source = join(folder, "source");
    const target = join(folder, "target");
    const file = join(folder, "running.backup");
    await addBulk(source);
    const { before, filesBefore, after, channel, owner } = await whileRunning(source, async (url) => {
      const traffic = await makeTraffic(url);
      while (traffic.acknowledged.size < LEAST_BEFORE || traffic.files.size < 5) await delay(20);
      const seen = { before: [...traffic.acknowledged.values()], filesBefore: [...traffic.files] };
      await backUpSlowly(source, file, async () => {
        const { size } = traffic.acknowledged;
        const { joined } = traffic;
        while (traffic.acknowledged.size < size + MEANWHILE || traffic.joined < joined + 2) await delay(20);
      });
      await traffic.stop();
      return { ...seen, after: traffic.acknowledged.size, channel: traffic.channel, owner: traffic.owner };
    });
    expect(after).toBeGreaterThan(before.length);

    const verified = await fanfare(folder, ["verify", file, "--restore"]);
    expect(verified).toMatchObject({ code: 0, error: "" });
    expect(verified.out).toContain("no problems found");

    await rm(source, { recursive: true });
    expect(await fanfare(target, ["restore", file])).toMatchObject({ code: 0, error: "" });
    expect(await fanfare(target, ["check"])).toMatchObject({ code: 0, out: "No problems found.\n" });
    await whileRunning(target, async (url) => {
      const found = new Map<string, string>();
      for (let beforeSeq: number | undefined; ;) {
        const page = await must(
          url,
          "message.list",
          { channelId: channel.id, limit: 100, ...(beforeSeq !== undefined && { before: beforeSeq }) },
          owner.accessToken,
        );
        for (const { id, content } of page.messages) found.set(id, content);
        if (page.messages.length < 100) break;
        beforeSeq = page.messages[0]!.seq;
      }
      expect(before.filter(({ messageId, content }) => found.get(messageId) !== content)).toEqual([]);
      for (const [fileId, content] of filesBefore) {
        const { url: address } = await must(url, "file.getUrl", { fileId }, owner.accessToken);
        expect(await (await fetch(new URL(address, url))).text()).toBe(content);
      }
      await must(
        url,
        "message.send",
        { channelId: channel.id, content: "On", nonce: "on" },
        owner.accessToken,
      );
    });
  },
);

test("a backup also shows what was sent while it wrote files that were uploaded since its start", async () => {
  const source = join(folder, "uploads");
  const content = "Sent while the second file is written";
  const seen: string[] = [];
  await whileRunning(source, async (url) => {
    const { channel, owner } = await createWorld(url);
    const add = (name: string) => writeFile(join(source, "files/aa", name), randomBytes(20 * 1024 * 1024));
    await mkdir(join(source, "files/aa"), { recursive: true });
    await add("first");
    const child = spawnFanfare(source, ["backup", "--stdout"]);
    // The program waits until these are read.
    for await (const { kind, payload } of decodeFrames(child.stdout.pipe(createGunzip()))) {
      const path = kind === "F" ? fileOf(payload).path : "";
      if (path === "files/aa/first") await add("second");
      if (path === "files/aa/second")
        await must(url, "message.send", { channelId: channel.id, content, nonce: "late" }, owner.accessToken);
      if (path !== "") seen.push(path);
      if (kind === "D" && payload.includes(content)) seen.push("message");
    }
  });
  expect(seen).toEqual(["files/aa/first", "token-secret", "files/aa/second", "message"]);
});

test("a backup to standard output is identical to one in a file", async () => {
  const source = join(folder, "quiet");
  await whileRunning(source, (url) => createWorld(url));
  const file = join(folder, "quiet.backup");
  await fanfare(source, ["backup", file]);
  const piped = await fanfareProcess(source, ["backup", "--stdout"], "", "latin1");
  expect(piped.code).toBe(0);
  const sum = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
  expect(sum(Buffer.from(piped.out, "latin1"))).toBe(sum(await readFile(file)));
});

test("verify detects a truncated backup", async () => {
  const file = join(folder, "cut.backup");
  const bytes = await readFile(join(folder, "quiet.backup"));

  await writeFile(file, bytes.subarray(0, bytes.length - 20));
  expect(await fanfare(folder, ["verify", file])).toMatchObject({
    code: 1,
    error: expect.stringContaining("is not a complete backup") as string,
  });
});
