import { pipeline } from "node:stream/promises";
import {
  channelLine,
  groupFile,
  groupLine,
  type GroupSource,
  memberLine,
  messageLine,
  roleLine,
  type StoredChannel,
  type StoredGroup,
  type StoredMember,
  type StoredMessage,
  type StoredRole,
  type StoredUser,
  userLine,
} from "@fanfare/group-file";
import { type Config, loadConfig } from "@fanfare/kernel";
import { LIMITS, type WordFilter } from "@fanfare/contract";
import { mongo } from "mongoose";
import { CliError, command } from "../command.ts";
import { withStoppedInstance } from "../open-instance.ts";
import { assertAbsent, writeFileAtomically } from "../write-file.ts";

export const exportGroupCommand = command({
  command: "export-group <groupId> <file>",
  describe: "Export a group and its messages to a JSON Lines file",
  builder: (yargs) =>
    yargs
      .positional("groupId", { type: "string", demandOption: true })
      .positional("file", { type: "string", demandOption: true }),
  async handler({ groupId, file }) {
    const lines = await exportGroup(loadConfig(), groupId, file);
    console.log(`${file}: ${lines} lines. Uploaded files and the group's own emoji are left out.`);
  },
});

/**
 * Writes a group to a file that only gets its name when it is complete.
 * @returns the number of lines
 * @throws {CliError} when the group doesn't exist, the file exists, or a running instance holds the data folder
 */
async function exportGroup(
  config: Pick<Config, "mongoUrl" | "dataDir">,
  groupId: string,
  file: string,
): Promise<number> {
  if (!/^[0-9a-f]{24}$/.test(groupId)) throw new CliError("A group ID has 24 hexadecimal digits.");
  assertAbsent(file);
  return withStoppedInstance(config, async ({ db }) => {
    let count = 0;
    async function* counted(): AsyncGenerator<string> {
      for await (const line of groupFile(groupOfDatabase(db, groupId))) {
        count += 1;
        yield line;
      }
    }
    await writeFileAtomically(file, (target) => pipeline(counted(), target));
    return count;
  });
}

/** Documents as stored by the services; see their models. */
type Stored<T> = T & { _id: mongo.ObjectId };
type Message = Stored<StoredMessage & { seq: number; reactions?: { emoji: string }[] }>;
interface Reaction {
  messageId: mongo.ObjectId;
  emoji: string;
  userId: mongo.ObjectId;
}

const PAGE = 500;
const NOT_DELETED = { deletedAt: { $exists: false } };

/** Reads a group from a database without concurrent writes, so pages need no consistency except within a message's reactions. */
function groupOfDatabase(db: mongo.Db, id: string): GroupSource {
  const groupId = new mongo.ObjectId(id);
  const channels = db.collection<Stored<StoredChannel>>("channels");
  const reactionsOf = (messageId: mongo.ObjectId, emoji: string) =>
    db.collection<Reaction>("reactions").find({ messageId, emoji }).sort({ userId: 1 }).toArray();
  return {
    async head() {
      const group = await db
        .collection<Stored<StoredGroup>>("groups")
        .findOne({ _id: groupId, ...NOT_DELETED });
      if (group === null) throw new CliError(`Group ${id} does not exist.`);
      const filter = await db
        .collection<WordFilter & { _id: mongo.ObjectId }>("wordFilters")
        .findOne({ _id: groupId });
      const roles = db.collection<Stored<StoredRole>>("roles").find({ groupId, ...NOT_DELETED });
      const places = await channels
        .find({ groupId, ...NOT_DELETED })
        .sort({ position: 1, _id: 1 })
        .project<{ _id: mongo.ObjectId; kind: string }>({ kind: 1 })
        .toArray();
      const idsOf = (isSection: boolean): string[] =>
        places.filter(({ kind }) => (kind === "section") === isSection).map(({ _id }) => _id.toHexString());
      return {
        group: groupLine(group, filter),
        roles: (await roles.sort({ position: 1, _id: 1 }).toArray()).map(roleLine),
        sectionIds: idsOf(true),
        channelIds: idsOf(false),
      };
    },

    async channels(channelIds) {
      const _id = { $in: channelIds.map((channelId) => new mongo.ObjectId(channelId)) };
      const found = await channels.find({ _id, groupId }).toArray();
      const byId = new Map(found.map((channel) => [channel._id.toHexString(), channel]));
      return channelIds.map((channelId) => channelLine(byId.get(channelId)!));
    },

    async threads(channelId, afterId) {
      const after = afterId !== null && { _id: { $gt: new mongo.ObjectId(afterId) } };
      const parentId = new mongo.ObjectId(channelId);
      const threads = channels.find({ parentId, ...after, ...NOT_DELETED });
      const lines = (await threads.sort({ _id: 1 }).limit(PAGE).toArray()).map(channelLine);
      return { lines, next: lines.length === PAGE ? lines.at(-1)!.id : null };
    },

    async members(afterUserId) {
      const after = afterUserId !== null && { userId: { $gt: new mongo.ObjectId(afterUserId) } };
      const members = db.collection<Stored<StoredMember>>("members").find({ groupId, ...after });
      const lines = (await members.sort({ userId: 1 }).limit(PAGE).toArray()).map(memberLine);
      return { lines, next: lines.length === PAGE ? lines.at(-1)!.userId : null };
    },

    async messages(channelId, after) {
      const behind = after !== null && { seq: { $gt: after.seq } };
      const messages = db
        .collection<Message>("messages")
        .find({ channelId: new mongo.ObjectId(channelId), ...behind })
        .sort({ seq: 1 })
        .limit(LIMITS.pageMaxItems);
      const found = await messages.toArray();
      const lines: Awaited<ReturnType<GroupSource["messages"]>>["lines"] = [];
      for (const message of found) {
        lines.push(messageLine(message));
        const messageId = message._id;
        for (const { emoji } of message.reactions ?? [])
          for (const { userId } of await reactionsOf(messageId, emoji))
            lines.push({ type: "reaction", messageId: String(messageId), emoji, userId: String(userId) });
      }
      const last = found.length === LIMITS.pageMaxItems ? found.at(-1) : undefined;
      return { lines, next: last === undefined ? null : { seq: last.seq } };
    },

    async users(userIds) {
      const _id = { $in: userIds.map((userId) => new mongo.ObjectId(userId)) };
      const users = db.collection<Stored<StoredUser>>("users").find({ _id, ...NOT_DELETED });
      const byId = new Map((await users.toArray()).map((user) => [user._id.toHexString(), user]));
      return userIds.map((userId) => userLine(userId, byId.get(userId) ?? null));
    },
  };
}
