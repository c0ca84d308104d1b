import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { LIMITS, PERMISSIONS, type ErrorCode, type WireAnswer } from "@fanfare/contract";
import { createAccount, createWorld, must, post, type Person, type World } from "@fanfare/testing";
import { startInstance, type Instance } from "../../../test/support/instance.ts";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { fileOf, upload, uploadPicture, urlOf } from "./upload.ts";

/** The beginning of a WebM file, which doesn't say whether it has sound or pictures. */
const WEBM = Buffer.from(
  "1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878102428581021853806700",
  "hex",
);

const MAX_BYTES = 200_000;
const QUOTA = 500_000;

let instance: Instance;
let url: string;
let world: World;
/** The first user of the instance. */
let admin: Person;
beforeAll(async () => {
  const env = {
    FILE_MAX_BYTES: `${MAX_BYTES}`,
    FILE_QUOTA_USER_BYTES: `${QUOTA}`,
    FILE_QUOTA_GUEST_BYTES: `${QUOTA}`,
  };
  instance = await startInstance({ ...env, RATE_LIMIT_FACTOR: "1000" });
  url = instance.url;
  admin = await createAccount(url);
});
afterAll(() => instance?.stop());
beforeEach(async () => {
  world = await createWorld(url);
});

const codeOf = (answer: WireAnswer<unknown>): ErrorCode | "ok" => (answer.ok ? "ok" : answer.error.type);
const uploaded = async (who: Person, name: string, body: string | Buffer, channelId = world.channel.id) =>
  fileOf(await upload(url, who, { channelId, name }, body));
const attach = async (who: Person, fileIds: string[], channelId = world.channel.id) => {
  const nonce = randomBytes(8).toString("hex");
  const params = { channelId, content: "", nonce, attachmentIds: fileIds };
  return (await must(url, "message.send", params, who.accessToken)).message;
};
const picture = (width = 800, height = 400) =>
  sharp({ create: { width, height, channels: 3, background: "teal" } });

describe("an upload", () => {
  test("becomes an attachment, and can be read at a signed URL, byte for byte", async () => {
    const { member, target, channel } = world;
    const bytes = randomBytes(150_000);
    const file = await uploaded(member, "data.bin", bytes);
    expect(file).toMatchObject({ name: "data.bin", bytes: bytes.length, state: "unclaimed", width: null });
    const message = await attach(member, [file.fileId]);
    const { fileId, name, contentType, width, height } = file;
    const attachment = { fileId, name, bytes: bytes.length, contentType, width, height };
    expect(message.attachments).toEqual([attachment]);
    const { messages } = await must(url, "message.list", { channelId: channel.id }, target.accessToken);
    expect(messages.at(-1)?.attachments).toEqual([attachment]);

    const address = await urlOf(url, target, fileId);
    const response = await fetch(url + address.url);
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename="data.bin"; filename*=UTF-8''data.bin`,
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
      "cache-control": "private, max-age=31536000, immutable",
    });
  });

  test("has the type detected from its bytes, not from what the client claims", async () => {
    const html = "<!doctype html><script>alert(document.domain)</script>";
    const svg = '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>';
    for (const [body, type, name] of [
      [html, "text/html", "a.html"],
      [svg, "image/svg+xml", "a.svg"],
      [html, "image/png", "a.png"],
    ] as const) {
      const answer = await upload(url, world.member, { channelId: world.channel.id, name, type }, body);
      const file = fileOf(answer);
      expect(file.contentType).toBe("application/octet-stream");
      const response = await fetch(url + (await urlOf(url, world.member, file.fileId)).url);
      expect(response.headers.get("content-type")).toBe("application/octet-stream");
      expect(response.headers.get("content-disposition")).toMatch(/^attachment/);
    }
    // A file that starts like an image must be a valid one.
    const both = await upload(
      url,
      world.member,
      { channelId: world.channel.id, name: "a.gif" },
      `GIF89a/*${html}*/=1`,
    );
    expect(codeOf(both)).toBe("IMAGE_REFUSED");
  });

  test("of a recording carries its length and loudness, if it is a sound", async () => {
    const { member, channel } = world;
    const recording = { durationMs: 1500, peaks: "0gv" };
    const asked = { channelId: channel.id, name: "voice.webm", durationMs: "1500", peaks: "0gv" };
    const file = fileOf(await upload(url, member, asked, WEBM));
    expect(file).toMatchObject({ contentType: "audio/webm", recording });
    const message = await attach(member, [file.fileId]);
    expect(message.attachments).toMatchObject([{ contentType: "audio/webm", recording }]);
    const { url: path } = await urlOf(url, member, file.fileId);
    expect((await fetch(url + path)).headers.get("content-type")).toBe("audio/webm");

    const video = await uploaded(member, "video.webm", WEBM);
    expect(video.contentType).toBe("video/webm");
    for (const other of [
      await upload(url, member, { ...asked, name: "notes.txt" }, "not a sound"),
      await upload(url, member, { channelId: channel.id, name: "voice.webm", durationMs: "1500" }, WEBM),
    ])
      expect(fileOf(other)).not.toHaveProperty("recording");
    for (const wrong of [
      { durationMs: `${LIMITS.recordingMaxMs + 1}` },
      { durationMs: "long" },
      { peaks: "0".repeat(LIMITS.recordingPeaks + 1) },
      { peaks: "0gw" },
    ])
      expect(codeOf(await upload(url, member, { ...asked, ...wrong }, WEBM))).toBe("VALIDATION_FAILED");
  });

  test("of an image is re-encoded in small sizes, without metadata", async () => {
    const secret = "where I live";
    const original = await picture()
      .withExif({ IFD0: { Copyright: secret } })
      .jpeg()
      .toBuffer();
    const tail = Buffer.concat([original, Buffer.from(`<script>${secret}</script>`)]);
    const file = await uploaded(world.member, "home.png", tail);
    expect(file).toMatchObject({ contentType: "image/jpeg", width: 800, height: 400 });
    const address = await urlOf(url, world.member, file.fileId);
    for (const path of [address.url, address.thumbnailUrl!]) {
      const response = await fetch(url + path);
      expect(response.headers.get("content-disposition")).toMatch(/^inline/);
      const drawn = Buffer.from(await response.arrayBuffer());
      expect(drawn.includes(secret)).toBe(false);
      const { format, width } = await sharp(drawn).metadata();
      expect([format, width]).toEqual(path === address.url ? ["jpeg", 800] : ["webp", 640]);
    }
  });

  test("with too many pixels is rejected, and leaves nothing behind", async () => {
    const bomb = await sharp({
      create: { width: 8000, height: 8000, channels: 3, background: "black" },
      limitInputPixels: false,
    })
      .toColourspace("b-w")
      .png({ compressionLevel: 9 })
      .toBuffer();
    expect(bomb.length).toBeLessThan(MAX_BYTES);
    const where = { channelId: world.channel.id, name: "bomb.webp" };
    expect(codeOf(await upload(url, world.member, where, bomb))).toBe("IMAGE_REFUSED");
    expect(await must(url, "file.getUsage", {}, world.member.accessToken)).toMatchObject({ usedBytes: 0 });
  });

  test("is rejected for users who can't attach files there", async () => {
    const { member, muted, stranger, owner, group, channel } = world;
    const where = { channelId: channel.id, name: "a.txt" };
    expect(codeOf(await upload(url, null, where, "a"))).toBe("UNAUTHENTICATED");
    expect(codeOf(await upload(url, { accessToken: "x" }, where, "a"))).toBe("UNAUTHENTICATED");
    expect(codeOf(await upload(url, stranger, where, "a"))).toBe("CHANNEL_NOT_FOUND");
    expect(codeOf(await upload(url, muted, where, "a"))).toBe("MUTED");
    const params = { groupId: group.id, permissions: PERMISSIONS.view | PERMISSIONS.sendMessages };
    await must(url, "role.setDefault", params, owner.accessToken);
    expect(codeOf(await upload(url, member, where, "a"))).toBe("FORBIDDEN");
    expect(codeOf(await upload(url, owner, where, "a"))).toBe("ok");
  });

  test("is limited per file, and in total per user", async () => {
    const where = { channelId: world.channel.id, name: "a.bin" };
    const large = await upload(url, world.member, where, randomBytes(MAX_BYTES + 1));
    expect(large).toMatchObject({ error: { type: "FILE_TOO_LARGE", data: { maxBytes: MAX_BYTES } } });
    const most = randomBytes(MAX_BYTES);
    await uploaded(world.member, "1", most);
    const second = await uploaded(world.member, "2", most);
    expect(await upload(url, world.member, where, most)).toMatchObject({
      error: { type: "LIMIT_REACHED", data: { limit: "fileQuotaUserBytes", max: QUOTA } },
    });
    await must(url, "file.delete", { fileId: second.fileId }, world.member.accessToken);
    await uploaded(world.member, "3", most);
    expect(codeOf(await upload(url, world.member, where, ""))).toBe("VALIDATION_FAILED");
  });

  test("counts toward the quota of its group, which an admin can change", async () => {
    const { member, owner, group, channel } = world;
    const where = { channelId: channel.id, name: "a.bin" };
    const of = { type: "group", id: group.id } as const;
    await must(url, "file.setQuota", { of, maxBytes: 100 }, admin.accessToken);
    await uploaded(member, "1", randomBytes(60));
    expect(await upload(url, owner, where, randomBytes(60))).toMatchObject({
      error: { type: "LIMIT_REACHED", data: { limit: "fileQuotaGroupBytes", max: 100 } },
    });
    const usage = await must(url, "file.getGroupUsage", { groupId: group.id }, owner.accessToken);
    expect(usage).toEqual({ usedBytes: 60, maxBytes: 100 });
    // A rejected upload doesn't use up the user's quota.
    expect(await must(url, "file.getUsage", {}, owner.accessToken)).toMatchObject({ usedBytes: 0 });
    await must(url, "file.setQuota", { of, maxBytes: null }, admin.accessToken);
    await uploaded(owner, "2", randomBytes(60));
  });

  test("that is aborted leaves nothing", async () => {
    const { member, channel } = world;
    const { port } = new URL(url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(
      `POST /api/file.upload?channelId=${channel.id}&name=a.bin HTTP/1.1\r\nhost: localhost\r\n` +
        `authorization: Bearer ${member.accessToken}\r\ncontent-length: 100000\r\n\r\n${"x".repeat(60_000)}`,
    );
    const used = () => must(url, "file.getUsage", {}, member.accessToken).then(({ usedBytes }) => usedBytes);
    const parts = async () =>
      (await readdir(join(instance.dataDir, "files"), { recursive: true })).filter((name) =>
        name.endsWith(".part"),
      );
    await vi.waitFor(
      async () => expect([await used(), (await parts()).length]).toEqual([100_000, 1]),
      10_000,
    );
    socket.destroy();
    await vi.waitFor(async () => expect([await used(), await parts()]).toEqual([0, []]), 10_000);
  });

  test("ignores a path in the file name", async () => {
    const file = await uploaded(world.member, "../../../../etc/passwd", "root");
    expect(file.name).toBe(".._.._.._.._etc_passwd");
    const path = (await urlOf(url, world.member, file.fileId)).url;
    expect(await (await fetch(url + path)).text()).toBe("root");
    const channelId = world.channel.id;
    for (const name of ["", "a\u0000b", "a\r\nb", "\u202Egnp.exe", "x".repeat(256)])
      expect(codeOf(await upload(url, world.member, { channelId, name }, "a"))).toBe("VALIDATION_FAILED");
  });
});

describe("a signed URL", () => {
  const status = async (path: string, headers = {}) => (await fetch(url + path, { headers })).status;

  test("is valid only for what was signed", async () => {
    const file = await uploaded(world.member, "a.txt", "text");
    const other = await uploaded(world.member, "b.txt", "other");
    const { url: path } = await urlOf(url, world.member, file.fileId);
    expect(await status(path)).toBe(200);
    const until = /until=(\d+)/.exec(path)![1]!;
    const addresses = [
      path.replace(file.fileId, other.fileId),
      path.replace("a.txt", "a.html"),
      path.replace("octet-stream", "html"),
      path.replace(until, `${Number(until) + 1}`),
      path.replace(/sig=./, "sig="),
      path.split("?")[0]!,
      `/files/${file.fileId}/..%2f..%2ftoken-secret?as=raw&type=a&until=${until}&sig=${"A".repeat(43)}`,
      "/files/public/..%2f..%2ftoken-secret",
      `/files/public/${file.fileId}.raw`,
    ];
    const answers = await Promise.all(addresses.map((forged) => status(forged)));
    expect(answers).toEqual(addresses.map(() => 404));
  });

  test("expires, sooner when not the whole group can read the file", async () => {
    const { member, owner, group } = world;
    const params = { groupId: group.id, name: "hidden", private: true, memberIds: [member.userId] };
    const { channel } = await must(url, "channel.create", params, owner.accessToken);
    const [open, hidden] = [
      await uploaded(member, "a.txt", "open"),
      await uploaded(member, "b.txt", "hidden", channel.id),
    ];
    const endOf = async (fileId: string) => Date.parse((await urlOf(url, member, fileId)).expiresAt);
    const minutes = (ms: number) => (ms - Date.now()) / 60_000;
    expect(minutes(await endOf(open.fileId))).toBeGreaterThan(29);
    expect(minutes(await endOf(hidden.fileId))).toBeGreaterThan(4);
    expect(minutes(await endOf(hidden.fileId))).toBeLessThanOrEqual(10);
  });

  test("supports ranges and conditional requests", async () => {
    const file = await uploaded(world.member, "a.txt", "0123456789");
    const { url: path } = await urlOf(url, world.member, file.fileId);
    const part = await fetch(url + path, { headers: { range: "bytes=2-4" } });
    expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([
      206,
      "bytes 2-4/10",
      "234",
    ]);
    const end = await fetch(url + path, { headers: { range: "bytes=-3" } });
    expect(await end.text()).toBe("789");
    expect(await status(path, { range: "bytes=10-" })).toBe(416);
    const etag = part.headers.get("etag")!;
    expect(await status(path, { "if-none-match": etag })).toBe(304);
    expect(await status(path, { range: "bytes=2-4", "if-range": '"other"' })).toBe(200);
    const head = await fetch(url + path, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "10", ""]);
  });
});

describe("a file", () => {
  const read = async (who: Person, fileId: string) =>
    codeOf(await post(url, "file.getUrl", { fileId }, who.accessToken));

  test("is visible only to its owner until it is attached, then to its channel", async () => {
    const { member, target, owner, stranger, channel } = world;
    const { fileId } = await uploaded(member, "a.txt", "text");
    expect(await read(member, fileId)).toBe("ok");
    for (const who of [target, owner, stranger]) expect(await read(who, fileId)).toBe("FILE_NOT_FOUND");
    await attach(member, [fileId]);
    expect(await read(target, fileId)).toBe("ok");
    expect(await read(stranger, fileId)).toBe("FILE_NOT_FOUND");
    for (const name of ["file.get", "file.delete"] as const)
      expect(codeOf(await post(url, name, { fileId }, stranger.accessToken))).toBe("FILE_NOT_FOUND");
    const inChannel = { channelId: channel.id, fileIds: [fileId, "0".repeat(24)] };
    const { urls } = await must(url, "file.getUrls", inChannel, target.accessToken);
    expect(urls.map((one) => one.fileId)).toEqual([fileId]);
    // Nor through one of their channels.
    const own = await must(url, "group.create", { name: "Mine" }, stranger.accessToken);
    const elsewhere = { channelId: own.channels[0]!.id, fileIds: [fileId] };
    expect((await must(url, "file.getUrls", elsewhere, stranger.accessToken)).urls).toEqual([]);
  });

  test("of a private channel is hidden from others and from kicked members", async () => {
    const { member, target, owner, group } = world;
    const params = { groupId: group.id, name: "hidden", private: true, memberIds: [member.userId] };
    const { channel } = await must(url, "channel.create", params, owner.accessToken);
    const { fileId } = await uploaded(owner, "a.txt", "hidden", channel.id);
    await attach(owner, [fileId], channel.id);
    expect(await read(member, fileId)).toBe("ok");
    expect(await read(target, fileId)).toBe("FILE_NOT_FOUND");
    await must(url, "group.kick", { groupId: group.id, userId: member.userId }, owner.accessToken);
    expect(await read(member, fileId)).toBe("FILE_NOT_FOUND");
  });

  test("can be attached only by its owner, in the channel it was uploaded for, to one message", async () => {
    const { member, target, owner, group, channel } = world;
    const { fileId } = await uploaded(member, "a.txt", "text");
    const send = async (who: Person, nonce: string, channelId = channel.id, ids = [fileId]) => {
      const params = { channelId, content: "x", nonce, attachmentIds: ids };
      return codeOf(await post(url, "message.send", params, who.accessToken));
    };
    const other = await must(url, "channel.create", { groupId: group.id, name: "b" }, owner.accessToken);
    expect(await send(target, "theirs")).toBe("VALIDATION_FAILED");
    expect(await send(member, "elsewhere", other.channel.id)).toBe("VALIDATION_FAILED");
    expect(await send(member, "unknown", channel.id, [fileId, "0".repeat(24)])).toBe("VALIDATION_FAILED");
    expect(await send(member, "first")).toBe("ok");
    // A retry is the same message; another message doesn't get the file.
    expect(await send(member, "first")).toBe("ok");
    expect(await send(member, "second")).toBe("VALIDATION_FAILED");
    const { messages } = await must(url, "message.list", { channelId: channel.id }, member.accessToken);
    expect(messages.filter(({ attachments }) => attachments !== undefined)).toHaveLength(1);
  });

  test("is deleted with its message", async () => {
    const { member, owner, channel } = world;
    const { fileId } = await uploaded(member, "a.txt", "text");
    const message = await attach(member, [fileId]);
    const { url: path } = await urlOf(url, member, fileId);
    const params = { channelId: channel.id, messageId: message.id };
    await must(url, "message.delete", params, owner.accessToken);
    expect(await read(member, fileId)).toBe("FILE_NOT_FOUND");
    expect((await fetch(url + path)).status).toBe(404);
    expect(await must(url, "file.getUsage", {}, member.accessToken)).toMatchObject({ usedBytes: 0 });
  });

  test("is deleted with its channel", async () => {
    const { member, owner, group } = world;
    const { channel } = await must(
      url,
      "channel.create",
      { groupId: group.id, name: "b" },
      owner.accessToken,
    );
    const { fileId } = await uploaded(member, "a.txt", "text", channel.id);
    await attach(member, [fileId], channel.id);
    await must(url, "channel.delete", { channelId: channel.id }, owner.accessToken);
    await vi.waitFor(async () => expect(await read(member, fileId)).toBe("FILE_NOT_FOUND"), 10_000);
  });

  test("can be deleted by its owner and by members who manage messages", async () => {
    const { member, target, owner } = world;
    const files = [await uploaded(member, "a", "a"), await uploaded(member, "b", "b")];
    const [first, second] = files.map(({ fileId }) => fileId) as [string, string];
    await attach(member, [first, second]);
    const remove = async (who: Person, fileId: string) =>
      codeOf(await post(url, "file.delete", { fileId }, who.accessToken));
    expect(await remove(target, first)).toBe("FORBIDDEN");
    expect(await remove(owner, first)).toBe("ok");
    expect(await remove(member, second)).toBe("ok");
    expect(await remove(member, second)).toBe("FILE_NOT_FOUND");
  });

  test("is listed for its owner, page by page", async () => {
    const { member } = world;
    const ids: string[] = [];
    for (const name of ["a", "b", "c"]) ids.unshift((await uploaded(member, name, name)).fileId);
    const first = await must(url, "file.listMine", { limit: 2 }, member.accessToken);
    expect(first.files.map(({ fileId }) => fileId)).toEqual(ids.slice(0, 2));
    const before = first.nextBefore!;
    const last = await must(url, "file.listMine", { limit: 2, before }, member.accessToken);
    expect(last).toMatchObject({ files: [{ fileId: ids[2] }], nextBefore: null });
  });
});

describe("a picture", () => {
  const pictureOf = async (who: Person, color = "red") => {
    const body = await sharp({ create: { width: 600, height: 300, channels: 3, background: color } })
      .withExif({ IFD0: { Copyright: "secret" } })
      .png()
      .toBuffer();
    return fileOf(await uploadPicture(url, who, body)).fileId;
  };

  test("of a profile is public, small, and replaced by the next", async () => {
    const { member, stranger } = world;
    const fileId = await pictureOf(member);
    const { user } = await must(url, "user.setAvatar", { fileId }, member.accessToken);
    const response = await fetch(url + user.avatarUrl!);
    expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(await sharp(bytes).metadata()).toMatchObject({ format: "webp", width: 256, height: 256 });
    expect(bytes.includes("secret")).toBe(false);
    // Other users can't use it.
    const stolen = await post(url, "user.setAvatar", { fileId }, stranger.accessToken);
    expect(codeOf(stolen)).toBe("FILE_NOT_FOUND");

    const next = await pictureOf(member, "blue");
    const changed = await must(url, "user.setAvatar", { fileId: next }, member.accessToken);
    expect(changed.user.avatarUrl).not.toBe(user.avatarUrl);
    const { files } = await must(url, "file.listMine", {}, member.accessToken);
    expect(files).toMatchObject([{ fileId: next, state: "picture" }]);
    const removed = await must(url, "user.removeAvatar", {}, member.accessToken);
    expect(removed.user.avatarUrl).toBeNull();
  });

  test("of a group can be set by members who manage the group", async () => {
    const { member, owner, group } = world;
    const groupId = group.id;
    const ofMember = { groupId, fileId: await pictureOf(member) };
    const refused = await post(url, "group.setIcon", ofMember, member.accessToken);
    expect(codeOf(refused)).toBe("FORBIDDEN");
    expect(codeOf(await post(url, "group.setIcon", ofMember, owner.accessToken))).toBe("FILE_NOT_FOUND");
    const fileId = await pictureOf(owner);
    const shown = await must(url, "group.setIcon", { groupId, fileId }, owner.accessToken);
    expect((await fetch(url + shown.group.iconUrl!)).status).toBe(200);
    const removed = await must(url, "group.removeIcon", { groupId }, owner.accessToken);
    expect(removed.group.iconUrl).toBeNull();
  });

  test("of a member in one group is replaced, removed by moderators, and goes with the account and the group", async () => {
    const { member, target, owner, group } = world;
    const groupId = group.id;
    const setOwn = async (who: Person, avatarFileId: string | null) =>
      must(url, "group.setOwnNickname", { groupId, avatarFileId }, who.accessToken);
    const kept = async (who: Person) => {
      const { files } = await must(url, "file.listMine", {}, who.accessToken);
      return files.filter(({ state }) => state === "picture").map(({ fileId }) => fileId);
    };
    const ofProfile = await pictureOf(member);
    await must(url, "user.setAvatar", { fileId: ofProfile }, member.accessToken);
    const [first, second] = [await pictureOf(member), await pictureOf(member, "blue")];
    const ofTarget = await pictureOf(target);
    const { avatarUrl: urlOfTarget } = (await setOwn(target, ofTarget)).member;
    await setOwn(member, first);
    const shown = (await setOwn(member, second)).member;
    const response = await fetch(url + shown.avatarUrl!);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(await sharp(bytes).metadata()).toMatchObject({ format: "webp", width: 256, height: 256 });
    expect(bytes.includes("secret")).toBe(false);
    expect(await kept(member)).toEqual([second, ofProfile]);
    expect(
      codeOf(await post(url, "group.setOwnNickname", { groupId, avatarFileId: second }, target.accessToken)),
    ).toBe("FILE_NOT_FOUND");
    const { files } = await must(url, "file.listMine", {}, member.accessToken);
    expect(files.map(({ fileId }) => fileId)).toContain(second);

    const ofMember = { groupId, userId: member.userId, avatarFileId: null };
    expect(codeOf(await post(url, "group.setNickname", ofMember, target.accessToken))).toBe("FORBIDDEN");
    const { member: without } = await must(url, "group.setNickname", ofMember, owner.accessToken);
    expect(without).not.toHaveProperty("avatarUrl");
    expect(await kept(member)).toEqual([ofProfile]);

    expect(await kept(target)).toEqual([ofTarget]);
    await must(url, "user.deleteMe", {}, target.accessToken);
    await setOwn(member, await pictureOf(member));
    await must(url, "group.delete", { groupId }, owner.accessToken);
    await expect.poll(() => kept(member)).toEqual([ofProfile]);
    for (const gone of [shown.avatarUrl!, urlOfTarget!])
      await expect.poll(async () => (await fetch(url + gone)).status).toBe(404);
  });

  test("must be an image, and can't be attached", async () => {
    const { member, channel } = world;
    expect(codeOf(await uploadPicture(url, member, "<svg/>"))).toBe("IMAGE_REFUSED");
    const attachment = await uploaded(member, "a.png", await picture().png().toBuffer());
    const asAvatar = await post(url, "user.setAvatar", { fileId: attachment.fileId }, member.accessToken);
    expect(codeOf(asAvatar)).toBe("FILE_NOT_FOUND");
    const params = {
      channelId: channel.id,
      content: "",
      nonce: "p",
      attachmentIds: [await pictureOf(member)],
    };
    expect(codeOf(await post(url, "message.send", params, member.accessToken))).toBe("VALIDATION_FAILED");
  });
});

test("incomplete uploads are limited in number", async () => {
  const { member, channel } = world;
  const start = { channelId: channel.id, name: "a", bytes: 1 };
  for (let i = 0; i < 10; i++) await must(url, "file.startUpload", start, member.accessToken);
  expect(await post(url, "file.startUpload", start, member.accessToken)).toMatchObject({
    error: { type: "LIMIT_REACHED", data: { limit: "uploadsPerUser", max: 10 } },
  });
});
