import { inBatches, type Migration } from "../migration.ts";

/** Adds the lowercase nickname to accounts, which makes them searchable by it. Guests aren't searchable. */
export const searchableNames: Migration = {
  name: "0003-searchable-names",
  async run(job) {
    const absent = { $exists: false };
    const filter = { usernameLower: { $exists: true }, nicknameLower: absent, deletedAt: absent };
    await inBatches(job, "users", filter, { nickname: 1 }, async (users) =>
      users.map(({ _id, nickname }) => ({
        updateOne: {
          // Skips users who changed their nickname in the meantime.
          filter: { _id, nickname, nicknameLower: absent },
          update: { $set: { nicknameLower: String(nickname).toLowerCase() } },
        },
      })),
    );
  },
};
