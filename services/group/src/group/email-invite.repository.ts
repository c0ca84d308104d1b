import { LIMITS } from "@fanfare/contract";
import { defineRepository, newId, nullIfDuplicate, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** Records that a group has emailed an address. It stays when the invite is revoked or used, because it counts against the limits. */
interface EmailInviteDocument {
  _id: string;
  groupId: string;
  /** In lower case. */
  email: string;
  mailbox: string;
  /** Who invited. */
  userId: string;
  createdAt: Date;
}

const schema = new Schema<EmailInviteDocument>(
  {
    groupId: REQUIRED_ID,
    email: { type: String, required: true },
    mailbox: { type: String, required: true },
    userId: REQUIRED_ID,
    createdAt: { type: Date, required: true },
  },
  { collection: "emailInvites" },
);
schema.index({ groupId: 1, email: 1 }, { unique: true });
schema.index({ userId: 1 });
schema.index({ mailbox: 1 });
schema.index({ createdAt: 1 }, { expireAfterSeconds: LIMITS.emailInviteWindowMs / 1000 });

/** Addresses that differ after a '+' belong to one person. */
const mailboxOf = (email: string): string => email.replace(/\+[^@]*(?=@)/, "");

/** Queries of the collection emailInvites. */
export const createEmailInviteRepository = defineRepository(
  { name: "EmailInvite", schema },
  ({ model: emailInvites, insert, removeAll }) => {
    const since = () => new Date(Date.now() - LIMITS.emailInviteWindowMs);
    return {
      /** @returns the ids by address, without the addresses that the group has emailed before */
      async add(groupId: string, userId: string, emails: readonly string[]): Promise<Map<string, string>> {
        // Cleanup is late.
        await removeAll({ groupId, email: { $in: emails }, createdAt: { $lte: since() } });
        const createdAt = new Date();
        const added = await Promise.all(
          emails.map(async (email) => {
            const mailbox = mailboxOf(email);
            const document = { _id: newId(), groupId, email, mailbox, userId, createdAt };
            const stored = await nullIfDuplicate(insert(document));
            return stored === null ? [] : [[email, stored._id] as const];
          }),
        );
        return new Map(added.flat());
      },

      /** Which of the addresses have been emailed too often, by all groups. */
      async listCrowded(emails: readonly string[]): Promise<string[]> {
        const found = await emailInvites.aggregate<{ _id: string }>([
          { $match: { mailbox: { $in: emails.map(mailboxOf) }, createdAt: { $gt: since() } } },
          { $group: { _id: "$mailbox", count: { $sum: 1 } } },
          { $match: { count: { $gt: LIMITS.emailInvitesPerMailbox } } },
        ]);
        const crowded = new Set(found.map(({ _id }) => _id));
        return emails.filter((email) => crowded.has(mailboxOf(email)));
      },

      count: (of: { groupId: string } | { userId: string }) =>
        emailInvites.countDocuments({ ...of, createdAt: { $gt: since() } }),

      remove: (ids: readonly string[]) => removeAll({ _id: { $in: ids } }),
    };
  },
);
