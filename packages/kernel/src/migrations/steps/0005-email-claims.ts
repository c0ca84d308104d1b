import { inBatches, type Migration } from "../migration.ts";

/** Unverified addresses expire; for existing ones, the time starts now. */
export const emailClaims: Migration = {
  name: "0005-email-claims",
  async run(job) {
    const emailClaimedAt = new Date();
    const filter = { email: { $exists: true }, emailVerifiedAt: { $exists: false } };
    await inBatches(job, "users", filter, { emailClaimedAt: 1 }, async (users) =>
      users
        .filter((user) => user["emailClaimedAt"] === undefined)
        .map(({ _id }) => ({
          updateOne: {
            filter: { _id, emailVerifiedAt: { $exists: false } },
            update: { $set: { emailClaimedAt } },
          },
        })),
    );
  },
};
