import { inBatches, type Migration } from "../migration.ts";

/** Accounts are found by their nickname too, in lower case; guests are not. */
export const searchableNames: Migration = {
  name: "0003-searchable-names",
  async run(job) {
    const absent = { $exists: false };
    const filter = { usernameLower: { $exists: true }, nicknameLower: absent, deletedAt: absent };
    await inBatches(job, "users", filter, { nickname: 1 }, async (users) =>
      users.map(({ _id, nickname }) => ({
        updateOne: {
          // Users who changed their nickname meanwhile keep it.
          filter: { _id, nickname, nicknameLower: absent },
          update: { $set: { nicknameLower: String(nickname).toLowerCase() } },
        },
      })),
    );
  },
};
