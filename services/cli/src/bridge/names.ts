import { type Call, LIMITS, type User } from "@fanfare/contract";
import { LRUCache } from "lru-cache";
import { MAX_NAMES, NAME_TTL_MS } from "./constants.ts";

const MENTION = /<@(&?)([0-9a-f]{24})>/g;

/** The names of users and roles, for networks that don't know their ids. */
export class Names {
  readonly #call: Call;
  readonly #groupId: string;
  readonly #users = new LRUCache<string, User>({ max: MAX_NAMES, ttl: NAME_TTL_MS });
  readonly #roles = new LRUCache<string, string>({ max: MAX_NAMES, ttl: NAME_TTL_MS });

  constructor(call: Call, groupId: string) {
    this.#call = call;
    this.#groupId = groupId;
  }

  /** undefined if there is no such user. */
  async user(userId: string): Promise<User | undefined> {
    if (!this.#users.has(userId)) await this.#loadUsers([userId]);
    return this.#users.get(userId);
  }

  /** The text with the names of those whom it mentions. */
  async withNames(text: string): Promise<string> {
    const mentions = [...text.matchAll(MENTION)];
    const ids = (isRole: boolean) => [
      ...new Set(mentions.filter(([, role]) => (role === "&") === isRole).map(([, , id]) => id!)),
    ];
    const users = ids(false).filter((id) => !this.#users.has(id));
    if (users.length > 0) await this.#loadUsers(users);
    if (ids(true).some((id) => !this.#roles.has(id))) await this.#loadRoles();
    return text.replace(MENTION, (_mention, role: string, id: string) => {
      const name = role === "&" ? (this.#roles.get(id) ?? "role") : (this.#users.get(id)?.nickname ?? "user");
      return `@${name}`;
    });
  }

  async #loadUsers(userIds: string[]): Promise<void> {
    const { users } = await this.#call("user.getMany", { userIds: userIds.slice(0, LIMITS.usersPerLookup) });
    for (const user of users) this.#users.set(user.id, user);
  }

  async #loadRoles(): Promise<void> {
    const { roles } = await this.#call("role.list", { groupId: this.#groupId });
    for (const { id, name } of roles) this.#roles.set(id, name);
  }
}
