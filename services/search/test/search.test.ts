import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Params } from "@fanfare/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Indexer } from "../src/indexer.ts";
import { createProgressRepository } from "../src/progress.repository.ts";
import { GROUP_ID as groupId, newId, startSearchNode, type SearchNode } from "./search-node.ts";

let dir: string;
let node: SearchNode;
let channelId: string;
let secretId: string;

const searcher = "a".repeat(24);
const other = "b".repeat(24);

const { MONGO_URL } = process.env;

function inOwnDatabase(mongoUrl: string): string {
  const url = new URL(mongoUrl);
  url.pathname = `/fanfare_search_${process.pid}`;
  return url.href;
}

type Wanted = Omit<Params<"message.search">, "channelId" | "groupId" | "everywhere">;

async function find(wanted: Wanted, place: Partial<Params<"message.search">> = { channelId }, as = searcher) {
  return node.as(as, "message.search", { ...wanted, ...place });
}

async function texts(...asked: Parameters<typeof find>): Promise<string[]> {
  return (await find(...asked)).messages.map(({ content }) => content);
}

/** Messages of the channel whose entries have a token, newest first. */
async function withToken(token: string): Promise<string[]> {
  const words = [{ tokens: [token] }] as const;
  const range = { below: "f".repeat(24), from: "0".repeat(24), limit: 1000 };
  return (await node.entries.find({ channelIds: [channelId], words, ...range })).messageIds;
}

/** The number of entries of messages by the searcher. */
const count = async (): Promise<number> => (await withToken(`:from:${searcher}`)).length;

const STORAGES = [
  { name: "the full-text index of the embedded database", inDocuments: false, tags: [] },
  { name: "documents, as in MongoDB", inDocuments: true, tags: "long" },
];
for (const { name, inDocuments, tags } of STORAGES)
  describe(`with entries in ${name}`, { tags }, () => {
    beforeAll(async () => {
      dir = await mkdtemp(join(tmpdir(), "fanfare-search-"));
      const isExternal = inDocuments && MONGO_URL !== undefined;
      node = await startSearchNode(
        { DATA_DIR: dir, ...(isExternal && { MONGO_URL: inOwnDatabase(MONGO_URL) }) },
        { inDocuments },
      );
    });
    afterAll(async () => {
      await node?.node.database.dropDatabase();
      await node?.stop();
      await rm(dir, { recursive: true });
    });
    beforeEach(() => {
      [channelId, secretId] = [newId(), newId()];
      node.sees.clear();
      node.groups.clear();
      node.sees.set(searcher, new Set([channelId]));
      node.sees.set(other, new Set([channelId, secretId]));
    });

    test("by words in any order, case and width, newest first", async () => {
      for (const text of ["The red fox", "a RED herring", "foxes", "Ｆｏｘ and red"])
        node.write(channelId, text);
      expect(await texts({ text: "red fox" })).toEqual(["Ｆｏｘ and red", "The red fox"]);
      expect(await texts({ text: "herring" })).toEqual(["a RED herring"]);
      expect(await texts({ text: "nothing" })).toEqual([]);
    });

    test("by the beginning of a word, by other forms of English words, and exactly in quotes", async () => {
      const all = [
        "we build it",
        "Buildings",
        "builds are slow",
        "the builder",
        "rebuild",
        "building",
        "ab",
        "abc",
      ];
      for (const text of all) node.write(channelId, text);
      const found = async (text: string) => (await texts({ text })).toReversed();
      expect(await found("buil")).toEqual([
        "we build it",
        "Buildings",
        "builds are slow",
        "the builder",
        "building",
      ]);
      expect(await found("builds")).toEqual(["we build it", "Buildings", "builds are slow", "building"]);
      expect(await found("building")).toEqual(["we build it", "Buildings", "builds are slow", "building"]);
      expect(await found('"build"')).toEqual(["we build it"]);
      expect(await found("“build” we")).toEqual(["we build it"]);
      expect(await found('slow "builds')).toEqual(["builds are slow"]);
      expect(await found("build slow")).toEqual(["builds are slow"]);
      expect(await found("ab")).toEqual(["ab"]);
      for (const text of ["학교에서 만나요", "학생"]) node.write(channelId, text);
      expect(await found("학교")).toEqual(["학교에서 만나요"]);
    });

    test("by parts of text without spaces", async () => {
      for (const text of ["今天天气很好", "明天见", "天上"]) node.write(channelId, text);
      expect(await texts({ text: "天气" })).toEqual(["今天天气很好"]);
      expect(await texts({ text: "天" })).toEqual(["天上", "明天见", "今天天气很好"]);
    });

    test("a query is never interpreted as a pattern or operator", async () => {
      node.write(channelId, "plain words");
      for (const text of [".*x", "$where x", "pl.*", "(a+)+$ a", "has:pin", "w".repeat(200)]) {
        expect(await texts({ text })).toEqual([]);
      }
    });

    test("words only find what was written, not what every message has", async () => {
      const mentions = { userIds: [searcher], roleIds: [], everyone: false };
      node.write(channelId, "hello", { mentions });
      node.write(channelId, "away from home");
      expect(await texts({ text: "from" })).toEqual(["away from home"]);
      expect(await texts({ text: "mention" })).toEqual([]);
    });

    test("by author, mention, trait and time", async () => {
      const day = (n: number): string => `2026-01-0${n}T12:00:00.500Z`;
      node.write(channelId, "one https://example.org", {
        createdAt: day(1),
        pinnedAt: day(2),
        pinnedBy: other,
      });
      const mentions = { userIds: [searcher], roleIds: [], everyone: false };
      node.write(channelId, "two", { createdAt: day(2), authorId: other, mentions });
      const file = {
        fileId: newId(),
        name: "Report.pdf",
        bytes: 1,
        contentType: "application/pdf",
        width: null,
        height: null,
      };
      node.write(channelId, "three", { createdAt: day(3), attachments: [file] });
      expect(await texts({ from: other })).toEqual(["two"]);
      expect(await texts({ mentions: searcher })).toEqual(["two"]);
      expect(await texts({ has: ["link"] })).toEqual(["one https://example.org"]);
      expect(await texts({ has: ["link", "pin"], text: "one" })).toEqual(["one https://example.org"]);
      expect(await texts({ has: ["link", "attachment"] })).toEqual([]);
      expect(await texts({ has: ["document"] })).toEqual(["three"]);
      const files = [
        { ...file, name: "a.png", contentType: "image/png" },
        { ...file, name: "a.webm", contentType: "audio/webm" },
      ];
      node.write(channelId, "four", { createdAt: day(3), authorId: newId(), attachments: files });
      expect(await texts({ has: ["attachment"] })).toEqual(["four", "three"]);
      expect(await texts({ has: ["image", "media"] })).toEqual(["four"]);
      expect(await texts({ has: ["image", "document"] })).toEqual([]);
      expect(await texts({ text: "report" })).toEqual(["three"]);
      expect(await texts({ from: searcher, after: day(2) })).toEqual(["three"]);
      expect(await texts({ from: searcher, before: day(3) })).toEqual(["one https://example.org"]);
      expect(await texts({ from: other, after: "2026-01-02T12:00:00.501Z" })).toEqual([]);
      expect(await texts({ from: other, before: day(2) })).toEqual([]);
    });

    test("edits, pins and deletions are visible in the next search", async () => {
      const message = node.write(channelId, "before");
      expect(await texts({ text: "before" })).toEqual(["before"]);
      node.change(message, { content: "after" });
      expect(await texts({ text: "before" })).toEqual([]);
      expect(await texts({ text: "after" })).toEqual(["after"]);
      node.change(message, { content: "", deletedAt: new Date().toISOString() });
      expect(await texts({ text: "after" })).toEqual([]);
      expect(await count()).toBe(0);
    });

    test.each([
      ["of the group", (group: string) => ({ groupId: group })],
      ["of the parent channel", () => ({ channelId })],
      ["everywhere", () => ({ everywhere: true as const })],
    ])("edits, pins and deletions in an old thread are visible in the next search %s", async (_, placeIn) => {
      const [group, thread] = [newId(), newId()];
      const place = () => placeIn(group);
      node.groups.set(channelId, group);
      node.parents.set(thread, channelId);
      const message = node.write(thread, "before", {
        createdAt: new Date(Date.now() - 3_600_000).toISOString(),
      });
      expect(await texts({ text: "before" }, place())).toEqual(["before"]);
      node.change(message, { content: "after" });
      expect(await texts({ text: "before" }, place())).toEqual([]);
      expect(await texts({ text: "after" }, place())).toEqual(["after"]);
      node.change(message, { pinnedAt: new Date().toISOString(), pinnedBy: searcher });
      expect(await texts({ has: ["pin"] }, place())).toEqual(["after"]);
      node.change(message, { content: "", deletedAt: new Date().toISOString() });
      expect(await texts({ text: "after" }, place())).toEqual([]);
      expect(await count()).toBe(0);
      node.parents.delete(thread);
    });

    test("a group search covers what the caller can currently see", async () => {
      node.write(channelId, "public word");
      node.write(secretId, "secret word");
      expect(await texts({ text: "word" }, { groupId })).toEqual(["public word"]);
      expect(await texts({ text: "word" }, { groupId }, other)).toEqual(["secret word", "public word"]);
      node.sees.get(other)!.delete(secretId);
      expect(await texts({ text: "word" }, { groupId }, other)).toEqual(["public word"]);
      await expect(find({ text: "word" }, { channelId: secretId })).rejects.toMatchObject({
        type: "CHANNEL_NOT_FOUND",
      });
    });

    test("threads are found in their parent and their group, by users who can see the parent", async () => {
      const [openThread, secretThread] = [newId(), newId()];
      node.parents.set(openThread, channelId).set(secretThread, secretId);
      node.write(channelId, "word in the open");
      node.write(openThread, "word in a thread");
      node.write(secretThread, "word in a secret thread");
      expect(await texts({ text: "word" }, { groupId })).toEqual(["word in a thread", "word in the open"]);
      expect((await find({ text: "word" })).threads).toMatchObject([{ id: openThread, parentId: channelId }]);
      expect(await texts({ text: "word" }, { channelId: openThread })).toEqual(["word in a thread"]);
      expect(await texts({ text: "word" }, { groupId }, other)).toEqual([
        "word in a secret thread",
        "word in a thread",
        "word in the open",
      ]);
      const secret = find({ text: "word" }, { channelId: secretThread });
      await expect(secret).rejects.toMatchObject({ type: "CHANNEL_NOT_FOUND" });

      node.write(openThread, "another word");
      expect(await texts({ text: "another" })).toEqual(["another word"]);

      node.parents.delete(openThread);
      expect(await texts({ text: "word" })).toEqual(["word in the open"]);
      node.node.broadcast("channel.emptied", { channelIds: [openThread] });
      await expect.poll(() => withToken(`:in:${openThread}`)).toEqual([]);
      expect(await texts({ text: "word" })).toEqual(["word in the open"]);
    });

    test("a search everywhere covers all groups and direct messages of the caller with their threads, as currently visible", async () => {
      const [away, hidden, direct, thread] = [newId(), newId(), newId(), newId()];
      const [elsewhere, everywhere] = ["9".repeat(24), { everywhere: true } as const];
      node.groups.set(away, elsewhere).set(hidden, elsewhere).set(direct, null);
      node.parents.set(thread, away);
      node.sees.get(searcher)!.add(away).add(direct);
      node.sees.get(other)!.delete(channelId);
      const [here, there] = ["word in a group", "word in another group"];
      node.write(channelId, here);
      node.write(away, there);
      node.write(direct, "word in a direct message", { authorId: other });
      node.write(hidden, "word where the searcher is not");
      node.write(secretId, "word that is secret");
      node.write(thread, "word in a thread", { authorId: other });
      const all = ["word in a thread", "word in a direct message", there, here];
      expect(await texts({ text: "word" }, everywhere)).toEqual(all);
      expect(await texts({ text: "word", from: other }, everywhere)).toEqual(all.slice(0, 2));
      const { threads, isComplete } = await find({ text: "word" }, everywhere);
      expect(threads).toMatchObject([{ id: thread, parentId: away }]);
      expect(isComplete).toBe(true);
      expect(await texts({ text: "word" }, everywhere, other)).toEqual(["word that is secret"]);
      expect(await texts({ text: "word" }, everywhere, "d".repeat(24))).toEqual([]);
      expect(await texts({ text: "word" }, { groupId })).toEqual([here]);

      // The threads of both groups are known now and queried together.
      const another = newId();
      node.parents.set(another, channelId);
      for (const id of [thread, another]) node.write(id, "late word in a thread", { authorId: other });
      expect(await texts({ text: "late" }, everywhere)).toHaveLength(2);
      for (const id of [thread, another]) node.parents.delete(id);

      node.sees.get(searcher)!.delete(away);
      expect(await texts({ text: "word" }, everywhere)).toEqual(["word in a direct message", here]);
      node.sees.get(searcher)!.delete(direct);
      expect(await texts({ text: "word" }, everywhere)).toEqual([here]);
    });

    test("pages of a search everywhere have no gaps or duplicates, and many outdated channels are indexed together", async () => {
      const groupIds = [groupId, "8".repeat(24), "9".repeat(24), null];
      const channels = Array.from({ length: 230 }, (_, i) => {
        const id = newId();
        node.groups.set(id, groupIds[i % 4]!);
        return id;
      });
      node.sees.set(searcher, new Set(channels));
      const expected: string[] = [];
      // Interleaved, so that the newest are in channels of different parts; one has most of them.
      for (let i = 0; i < 460; i++) {
        const isWanted = i % 4 !== 0;
        const at = [7, (i * 101) % 230, 7, 200 + (i % 30)][i % 4]!;
        node.write(channels[at]!, isWanted ? `common rare ${i}` : `common ${i}`);
        if (isWanted) expected.unshift(`common rare ${i}`);
      }
      for (const text of ["rare", "common rare"]) {
        const all: string[] = [];
        let cursor: string | null = null;
        do {
          const wanted = { text, limit: 50, ...(cursor !== null && { cursor }) };
          const page = await find(wanted, { everywhere: true });
          expect(page.isComplete).toBe(true);
          all.push(...page.messages.map(({ content }) => content));
          cursor = page.nextCursor;
        } while (cursor !== null);
        expect(all).toEqual(expected);
      }
    });

    test("pages over many channels have no gaps or duplicates", async () => {
      const channels = Array.from({ length: 7 }, () => newId());
      node.sees.set(searcher, new Set(channels));
      const expected: string[] = [];
      for (let i = 0; i < 300; i++) {
        // The first channels have most of the messages, the last one very few.
        const at = channels[Math.floor(((i * i) % 7 ** 2) / 7) % 7]!;
        const isWanted = i % 3 === 0;
        node.write(at, isWanted ? `common rare ${i}` : `common ${i}`);
        if (isWanted) expected.unshift(`common rare ${i}`);
      }
      for (const text of ["rare", "common rare"]) {
        const all: string[] = [];
        let cursor: string | null = null;
        do {
          const page = await find({ text, limit: 9, ...(cursor !== null && { cursor }) }, { groupId });
          all.push(...page.messages.map(({ content }) => content));
          cursor = page.nextCursor;
        } while (cursor !== null);
        expect(all).toEqual(expected);
      }
    });

    test("an entry is never replaced by one of an older state of its message", async () => {
      const { entries } = node;
      const entry = { messageId: newId(), channelId, rev: 2, tokens: ["new"] };
      await entries.put([entry], []);
      const older = { ...entry, rev: 1, tokens: ["old"] };
      const other = { ...entry, messageId: newId(), tokens: ["other"] };
      await entries.put([older, other], []);
      expect(await withToken("new")).toEqual([entry.messageId]);
      expect(await withToken("old")).toEqual([]);
      expect(await withToken("other")).toEqual([other.messageId]);
      await entries.put([{ ...entry, rev: 3, tokens: ["newer"] }], [other.messageId]);
      expect(await withToken("newer")).toEqual([entry.messageId]);
      for (const token of ["new", "other"]) expect(await withToken(token)).toEqual([]);
    });

    test("an index that was lost or is incomplete is rebuilt by the next search", async () => {
      for (let i = 0; i < 20; i++) node.write(channelId, `kept ${i}`);
      expect(await texts({ text: "kept", limit: 50 })).toHaveLength(20);
      node.reads.length = 0;
      await find({ text: "kept" });
      expect(node.reads).toEqual([]);
      const { database } = node.node;
      for (const name of ["searchEntries", "searchProgress"]) await database.dropCollection(name);
      expect(await count()).toBe(0);
      expect(await texts({ text: "kept", limit: 50 })).toHaveLength(20);
    });

    test("a process that dies between writing entries and progress causes no gaps or duplicates", async () => {
      const expected = Array.from(
        { length: 20 },
        (_, i) => node.write(channelId, `kept ${i}`).content,
      ).toReversed();
      const { database, services, logger } = node.node;
      const { entries } = node;
      const progress = createProgressRepository(database)(entries.version);
      const dying = {
        find: (channelIds: readonly string[]) => progress.find(channelIds),
        advance: () => Promise.reject(new Error("killed")),
      };
      const indexer = new Indexer({ entries, progress: dying, services, logger });
      await expect(indexer.step([channelId])).rejects.toThrow("killed");
      expect(await count()).toBe(20);
      expect(await texts({ text: "kept", limit: 50 })).toEqual(expected);
      expect(await count()).toBe(20);
    });

    test("reports when one search can't index everything, and continues in the background", async () => {
      for (let i = 0; i < 5600; i++) node.write(channelId, `many ${i}`);
      expect((await find({ text: "many" })).isComplete).toBe(false);
      await expect.poll(async () => (await find({ text: "5599" })).messages.length).toBe(1);
      expect((await find({ text: "many" })).isComplete).toBe(true);
    });

    test("new messages are indexed in the background, and entries of removed channels deleted", async () => {
      node.write(channelId, "soon");
      const message = node.logs.get(channelId)!;
      node.node.broadcast("message.stored", { channelId, groupId: null, messages: message });
      await expect.poll(() => count()).toBe(1);
      node.node.broadcast("channel.emptied", { channelIds: [channelId] });
      await expect.poll(() => count()).toBe(0);
    });

    test.each<Partial<Params<"message.search">>>([
      { channelId: "c".repeat(24), groupId },
      { channelId: "c".repeat(24), everywhere: true, text: "two places" },
      { groupId, everywhere: true, text: "two places" },
      { text: "no place", channelId: undefined },
      { text: "no place", everywhere: false as unknown as true },
      { everywhere: true },
      { text: "  !? ", channelId: "c".repeat(24) },
      { channelId: "c".repeat(24) },
    ])("rejects %j", async (params) => {
      await expect(
        node.as(searcher, "message.search", params as Params<"message.search">),
      ).rejects.toMatchObject({
        type: "VALIDATION_FAILED",
      });
    });
  });
