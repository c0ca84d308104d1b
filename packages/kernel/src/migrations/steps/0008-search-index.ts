import type { Migration } from "../migration.ts";

/** Drops the old search index, which had other tokens; it is rebuilt from the messages. */
export const searchIndex: Migration = {
  name: "0008-search-index",
  async run({ db }) {
    for (const name of ["searchEntries", "searchProgress", "searchGroupProgress"])
      await db.dropCollection(name);
  },
};
