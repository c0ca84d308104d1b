import { LIMITS, type GroupFileContent, type GroupFileLineOf, type Params } from "@fanfare/contract";
import type { Survey } from "@fanfare/group-file";
import type { NodeContext } from "@fanfare/kernel";
import { IMPORT_CHARS_PER_BATCH, IMPORT_LINES_PER_BATCH, IMPORT_PLACES_PER_BATCH } from "./bounds.ts";

type Lines = Params<"message.importLines">;
type NewMessage = Lines["messages"][number];

/** Stores the lines of a file, in their order, in a group that nobody sees. Nothing of it holds more than a batch, but for the numbers of channels. */
export class GroupWriter {
  readonly #call: NodeContext["call"];
  readonly #ids: { groupId: string; salt: string };
  readonly #heads = new Map<string, number>();
  #roles: GroupFileLineOf<"role">[] = [];
  #channels: GroupFileLineOf<"channel">[] = [];
  #messages: NewMessage[] = [];
  #reactions: Lines["reactions"] = [];
  #chars = 0;

  constructor(call: NodeContext["call"], ids: { groupId: string; salt: string }) {
    this.#call = call;
    this.#ids = ids;
  }

  async add(line: GroupFileContent): Promise<void> {
    if (line.type === "role") this.#roles.push(line);
    if (line.type === "channel") this.#channels.push(line);
    if (this.#roles.length + this.#channels.length >= IMPORT_PLACES_PER_BATCH) await this.#flushPlaces();
    if (line.type === "message") await this.#addMessage(line);
    if (line.type === "reaction") await this.#addReaction(line);
  }

  /** What has come is stored, and the users with it. */
  async finish({ users }: Pick<Survey, "users">): Promise<void> {
    await this.#flushMessages();
    await this.#flushPlaces();
    const heads = [...this.#heads].map(([channelId, seq]) => ({ channelId, seq }));
    for (let at = 0; at < heads.length; at += IMPORT_LINES_PER_BATCH)
      await this.#call("message.importHeads", {
        ...this.#ids,
        heads: heads.slice(at, at + IMPORT_LINES_PER_BATCH),
      });
    const all = [...users.values()];
    for (let at = 0; at < all.length; at += IMPORT_LINES_PER_BATCH)
      await this.#call("user.importNames", {
        ...this.#ids,
        users: all.slice(at, at + IMPORT_LINES_PER_BATCH),
      });
  }

  /** The messages before it are whole, with all of their reactions. */
  async #addMessage(line: GroupFileLineOf<"message">): Promise<void> {
    if (this.#chars >= IMPORT_CHARS_PER_BATCH || this.#messages.length >= IMPORT_LINES_PER_BATCH)
      await this.#flushMessages();
    const seq = (this.#heads.get(line.channelId) ?? 0) + 1;
    this.#heads.set(line.channelId, seq);
    this.#messages.push({ line, seq, reactions: [] });
    this.#chars += line.content.length + 300;
  }

  async #addReaction(line: GroupFileLineOf<"reaction">): Promise<void> {
    // The checker has seen that there is one, and that it is this one's.
    const message = this.#messages.at(-1)!;
    let shown = message.reactions.find(({ emoji }) => emoji === line.emoji);
    if (shown === undefined) message.reactions.push((shown = { emoji: line.emoji, count: 0, userIds: [] }));
    shown.count += 1;
    if (shown.userIds.length < LIMITS.reactionUsersShown) shown.userIds.push(line.userId);
    this.#reactions.push({ channelId: message.line.channelId, line });
    if (this.#reactions.length >= IMPORT_LINES_PER_BATCH) await this.#store([]);
  }

  async #flushPlaces(): Promise<void> {
    const [roles, channels] = [this.#roles, this.#channels];
    [this.#roles, this.#channels] = [[], []];
    if (roles.length + channels.length > 0)
      await this.#call("group.importPlaces", { ...this.#ids, roles, channels });
  }

  async #flushMessages(): Promise<void> {
    const messages = this.#messages;
    this.#messages = [];
    this.#chars = 0;
    await this.#store(messages);
  }

  async #store(messages: NewMessage[]): Promise<void> {
    // First: by its channels is found what has to be removed.
    await this.#flushPlaces();
    const reactions = this.#reactions;
    this.#reactions = [];
    if (messages.length + reactions.length > 0)
      await this.#call("message.importLines", { ...this.#ids, messages, reactions });
  }
}
