import { LIMITS, type GroupFileLineOf } from "@fanfare/contract";
import {
  channelDocument,
  createNewIds,
  groupDocument,
  messageDocument,
  newSalt,
  roleDocument,
  type Ids,
  type Survey,
  createGroupChecker,
} from "@fanfare/group-file";
import { DURABLE, loadConfig, type Config } from "@fanfare/kernel";
import { createImportedAccounts, type ImportedAccounts } from "@fanfare/user";
import { mongo } from "mongoose";
import { CliError, command } from "../command.ts";
import {
  assertRecorded,
  recordUnfinished,
  toFileError,
  readLines,
  type ResolvedUsers,
  resolveUsers,
  revertInterrupted,
  type UserOptions,
} from "./import-steps.ts";
import { withStoppedNode } from "../open-instance.ts";

const BATCH_DOCUMENTS = 1000;
/** Inserts documents of several collections in batches. */
class Batches {
  readonly #db: mongo.Db;
  readonly #waiting = new Map<string, mongo.Document[]>();

  constructor(db: mongo.Db) {
    this.#db = db;
  }

  async add(collection: string, document: mongo.Document): Promise<void> {
    const documents = this.#waiting.get(collection) ?? [];
    this.#waiting.set(collection, documents);
    documents.push(document);
    if (documents.length >= BATCH_DOCUMENTS) await this.#store(collection);
  }

  async flush(): Promise<void> {
    for (const collection of this.#waiting.keys()) await this.#store(collection);
  }

  async #store(collection: string): Promise<void> {
    const documents = this.#waiting.get(collection) ?? [];
    this.#waiting.delete(collection);
    if (documents.length > 0)
      await this.#db.collection(collection).insertMany(documents, { writeConcern: DURABLE });
  }
}

interface Imported extends Pick<ResolvedUsers, "renamed" | "unusedEmails"> {
  groupId: string;
  members: number;
  messages: number;
  placeholders: number;
  accounts: number;
}

export const importGroupCommand = command({
  command: "import-group <file>",
  describe: "Import a group from such a file",
  builder: (yargs) =>
    yargs
      .positional("file", { type: "string", demandOption: true })
      .option("owner", { type: "string", describe: "Username of the owner" })
      .option("match-usernames", {
        type: "boolean",
        default: false,
        describe: "Match users in the file to existing accounts by username",
      }),
  async handler({ file, owner, matchUsernames }) {
    const imported = await importGroup(loadConfig(), file, { owner, matchUsernames, people: new Map() });
    console.log(
      `Imported as group ${imported.groupId}: ${imported.messages} messages, ${imported.members} members. ` +
        `Users without an account here: ${imported.placeholders}.`,
    );
  },
});

/**
 * Creates a group from a file. The whole file is validated before anything is written, and the group itself is written last:
 * until then it is invisible, and the next import removes the remains of an interrupted one.
 * @throws {CliError} for an invalid file, or when there is no account to own the group
 */
export async function importGroup(config: Config, file: string, options: UserOptions): Promise<Imported> {
  const content = await survey(file);
  return withStoppedNode(config, async (node) => {
    const db = node.database.db!;
    const imported = createImportedAccounts(node);
    await revertInterrupted(db, imported);
    try {
      return await write({ db, imported }, file, content, options);
    } catch (error) {
      if (error instanceof mongo.MongoServerError && error.code === 11000)
        throw new CliError(`${file}: it contains duplicates. Nothing was changed.`);
      throw error;
    } finally {
      await revertInterrupted(db, imported);
    }
  });
}

interface Target {
  db: mongo.Db;
  imported: ImportedAccounts;
}

async function write(
  { db, imported }: Target,
  file: string,
  content: Survey,
  options: UserOptions,
): Promise<Imported> {
  const newId = createNewIds(newSalt());
  const users = await resolveUsers(db, content, options, newId, imported);
  const { accounts, placeholders, renamed, unusedEmails } = users;
  const added = [...accounts, ...placeholders];
  const { group, channels, roles } = content;
  const groupId = newId(group.id);
  const ids: Ids = { groupId, newId, userId: (id) => users.ids.get(id) ?? newId(id) };
  await recordUnfinished(
    db,
    groupId,
    [...channels.keys()].map(newId),
    added.map(({ _id }) => _id),
  );
  const batches = new Batches(db);
  for (const user of added) await batches.add("users", user);
  for (const role of roles.values()) await batches.add("roles", roleDocument(role, ids));
  for (const channel of channels.values()) await batches.add("channels", channelDocument(channel, ids));
  if (group.wordFilter !== null)
    await batches.add("wordFilters", { _id: groupId, rev: 1, ...group.wordFilter });
  const messages = await writeMessages(batches, file, ids);
  const members = await writeMembers(db, batches, file, users, ids);
  await batches.flush();
  await assertRecorded(db, groupId);
  await batches.add("groups", groupDocument(group, users.ownerId, members, ids));
  await batches.flush();
  return {
    groupId: String(groupId),
    members,
    messages,
    placeholders: placeholders.length,
    accounts: accounts.length,
    renamed,
    unusedEmails,
  };
}

/** Renumbers them without gaps. @returns the number of messages */
async function writeMessages(batches: Batches, file: string, ids: Ids): Promise<number> {
  const heads = new Map<string, number>();
  let messages = 0;
  let message: mongo.Document | null = null;
  let reactions = new Map<string, { emoji: string; count: number; userIds: string[] }>();
  const finish = async (): Promise<void> => {
    if (message === null) return;
    if (reactions.size > 0) message["reactions"] = [...reactions.values()];
    await batches.add("messages", message);
    message = null;
    reactions = new Map();
  };
  const react = async (
    { emoji, ...line }: GroupFileLineOf<"reaction">,
    { _id, channelId }: mongo.Document,
  ) => {
    const userId = ids.userId(line.userId);
    const shown = reactions.get(emoji) ?? { emoji, count: 0, userIds: [] };
    reactions.set(emoji, shown);
    shown.count += 1;
    if (shown.userIds.length < LIMITS.reactionUsersShown) shown.userIds.push(String(userId));
    await batches.add("reactions", { _id: new mongo.ObjectId(), channelId, messageId: _id, emoji, userId });
  };
  for await (const { line } of readLines(file)) {
    if (line.type === "message") {
      await finish();
      const seq = (heads.get(line.channelId) ?? 0) + 1;
      heads.set(line.channelId, seq);
      messages += 1;
      message = messageDocument(line, seq, ids);
    } else if (line.type === "reaction" && message !== null) {
      await react(line, message);
    }
  }
  await finish();
  for (const [id, seq] of heads) await batches.add("channelHeads", { _id: ids.newId(id), seq, rev: seq });
  return messages;
}

/** Adds users with an account here, and the owner. @returns the number of members */
async function writeMembers(
  db: mongo.Db,
  batches: Batches,
  file: string,
  { known, ownerId }: ResolvedUsers,
  { groupId, newId, userId }: Ids,
): Promise<number> {
  const joined = new Set<string>();
  const join = async (id: mongo.ObjectId, rest: mongo.Document): Promise<void> => {
    if (joined.has(String(id))) return;
    const groups = await db
      .collection("members")
      .countDocuments({ userId: id }, { limit: LIMITS.groupsPerUser });
    if (groups >= LIMITS.groupsPerUser) {
      if (!id.equals(ownerId)) return;
      throw new CliError(`The owner is already in ${LIMITS.groupsPerUser} groups. Nothing was changed.`);
    }
    joined.add(String(id));
    await batches.add("members", { _id: new mongo.ObjectId(), groupId, userId: id, ...rest });
  };
  for await (const { line } of readLines(file)) {
    if (line.type !== "member" || !known.has(line.userId)) continue;
    await join(userId(line.userId), {
      ...(line.roleIds.length > 0 && { roleIds: line.roleIds.map(newId) }),
      mutedUntil: line.mutedUntil === null ? null : new Date(line.mutedUntil),
      joinedAt: new Date(line.joinedAt),
    });
  }
  await join(ownerId, { mutedUntil: null, joinedAt: new Date() });
  return joined.size;
}

/**
 * Validates a whole file, including references between its lines.
 * @throws {CliError} with the line number
 */
async function survey(file: string): Promise<Survey> {
  const checker = createGroupChecker();
  for await (const _line of readLines(file, (line) => checker.add(line))) continue;
  try {
    return checker.finish();
  } catch (error) {
    throw toFileError(file, error);
  }
}
