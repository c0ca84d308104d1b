import { createBatcher, defineRepository, REQUIRED_ID, newId, nullIfDuplicate } from "@fanfare/kernel";
import { Schema } from "mongoose";
import { LIMITS } from "@fanfare/contract";
import { COUNTER } from "../database.ts";

export interface InviteDocument {
  _id: string;
  code: string;
  groupId: string;
  createdBy: string;
  uses: number;
  /** null: unlimited. */
  maxUses: number | null;
  /** null: never. */
  expiresAt: Date | null;
  /** The address that it was emailed to. */
  email?: string;
  createdAt: Date;
}

const inviteSchema = new Schema<InviteDocument>(
  {
    code: { type: String, required: true },
    groupId: REQUIRED_ID,
    createdBy: REQUIRED_ID,
    uses: { type: Number, required: true },
    maxUses: { type: Number, default: null },
    expiresAt: { type: Date, default: null },
    email: String,
    createdAt: { type: Date, required: true },
  },
  { collection: "invites" },
);
inviteSchema.index({ code: 1 }, { unique: true });
inviteSchema.index({ groupId: 1, _id: 1 });
// Only for cleanup: readers compare the time themselves.
inviteSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export type InviteRepository = ReturnType<typeof createInviteRepository>;

/** Queries of the collection invites. */
export const createInviteRepository = defineRepository(
  { name: "Invite", schema: inviteSchema },
  ({ model: invites, insert, removeAll, removeSome }) => {
    const findByCode = createBatcher((code, _calls: undefined[]) => invites.findOne({ code }).lean().exec());
    const countUses = createBatcher(async (inviteId, calls: undefined[]) => {
      const result = await invites.updateOne(
        { _id: inviteId },
        { $inc: { uses: calls.length } },
        { writeConcern: COUNTER },
      );
      return result.matchedCount === 1;
    });
    return {
      insert,

      findByCode: (code: string) => findByCode(code, undefined),

      removeBy: (groupId: string, createdBy: string) => removeAll({ groupId, createdBy }),

      /** Oldest first; includes expired and used-up ones. */
      listOfGroup: (groupId: string, limit: number) =>
        invites.find({ groupId }).sort({ _id: 1 }).limit(limit).lean(),

      /** Counts a use if one is left; atomic. */
      async takeUse({ _id, maxUses }: InviteDocument): Promise<boolean> {
        if (maxUses === null) return countUses(_id, undefined);
        const result = await invites.updateOne(
          { _id, uses: { $lt: maxUses } },
          { $inc: { uses: 1 } },
          { writeConcern: COUNTER },
        );
        return result.matchedCount === 1;
      },

      async giveUseBack({ _id }: InviteDocument): Promise<void> {
        await invites.updateOne({ _id }, { $inc: { uses: -1 } }, { writeConcern: COUNTER });
      },

      remove: (ids: readonly string[]) => removeAll({ _id: { $in: ids } }),
      removeSome: (groupId: string, limit: number) => removeSome({ groupId }, limit),
    };
  },
);

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

const emailInviteSchema = new Schema<EmailInviteDocument>(
  {
    groupId: REQUIRED_ID,
    email: { type: String, required: true },
    mailbox: { type: String, required: true },
    userId: REQUIRED_ID,
    createdAt: { type: Date, required: true },
  },
  { collection: "emailInvites" },
);
emailInviteSchema.index({ groupId: 1, email: 1 }, { unique: true });
emailInviteSchema.index({ userId: 1 });
emailInviteSchema.index({ mailbox: 1 });
emailInviteSchema.index({ createdAt: 1 }, { expireAfterSeconds: LIMITS.emailInviteWindowMs / 1000 });

/** Addresses that differ after a '+' belong to one person. */
const mailboxOf = (email: string): string => email.replace(/\+[^@]*(?=@)/, "");

/** Queries of the collection emailInvites. */
export const createEmailInviteRepository = defineRepository(
  { name: "EmailInvite", schema: emailInviteSchema },
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
