import type { FanfareClient } from "@fanfare/client";
import type { User } from "@fanfare/contract";
import { useEffect, useSyncExternalStore } from "react";
import { useClient } from "../session/client-context.ts";

const USERS_PER_LOOKUP = 100;
/** The oldest are forgotten beyond this, and looked up again when they are shown. */
const MAX_USERS = 5000;

/** The users whose names were shown. Names that are asked for in the same moment are looked up together. */
class UserDirectory {
  readonly #client: FanfareClient;
  readonly #users = new Map<string, User>();
  readonly #asked = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #wanted = new Set<string>();

  constructor(client: FanfareClient) {
    this.#client = client;
    client.on("user.updated", ({ user }) => {
      if (this.#users.has(user.id)) this.#keep([user]);
    });
    // What could not be looked up before may be now.
    client.on("ready", () => this.#asked.clear());
  }

  get(userId: string): User | undefined {
    return this.#users.get(userId);
  }

  want(userId: string): void {
    if (this.#users.has(userId) || this.#asked.has(userId)) return;
    this.#asked.add(userId);
    if (this.#wanted.size === 0) queueMicrotask(() => void this.#lookUp());
    this.#wanted.add(userId);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  async #lookUp(): Promise<void> {
    const ids = [...this.#wanted];
    this.#wanted = new Set();
    for (let from = 0; from < ids.length; from += USERS_PER_LOOKUP) {
      const userIds = ids.slice(from, from + USERS_PER_LOOKUP);
      try {
        this.#keep((await this.#client.call("user.getMany", { userIds })).users);
      } catch {
        for (const id of userIds) this.#asked.delete(id);
      }
    }
  }

  #keep(users: readonly User[]): void {
    for (const user of users) this.#users.set(user.id, user);
    for (const id of this.#users.keys()) {
      if (this.#users.size <= MAX_USERS) break;
      this.#users.delete(id);
      this.#asked.delete(id);
    }
    for (const listener of this.#listeners) listener();
  }
}

const directories = new WeakMap<FanfareClient, UserDirectory>();

function directoryOf(client: FanfareClient): UserDirectory {
  const directory = directories.get(client) ?? new UserDirectory(client);
  directories.set(client, directory);
  return directory;
}

/** The name of a user; empty until it is known. */
export function useUserName(userId: string): string {
  const directory = directoryOf(useClient());
  const user = useSyncExternalStore(directory.subscribe, () => directory.get(userId));
  useEffect(() => directory.want(userId), [directory, userId]);
  return user?.nickname ?? "";
}
