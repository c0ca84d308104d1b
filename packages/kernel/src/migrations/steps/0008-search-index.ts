import type { Migration } from "../migration.ts";

/** The search index has other tokens, and in the embedded database another form. It is made again from the messages. */
export const searchIndex: Migration = {
  name: "0008-search-index",
  async run({ db }) {
    for (const name of ["searchEntries", "searchProgress", "searchGroupProgress"])
      await db.dropCollection(name);
  },
};
