import type { NotificationPreferences } from "@fanfare/contract";
import { keywordKeys } from "@fanfare/contract/notification-rules";
import { defineRepository, ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

export const DEFAULT_EMAILS = "hour";

/** How a user wants to be notified, wherever it is; defaults are absent. */
export interface PreferencesDocument {
  /** The user id. */
  _id: string;
  quietHours?: NonNullable<NotificationPreferences["quietHours"]>;
  keywords?: string[];
  /** One key of each keyword: a message without it can't match. */
  keywordKeys?: string[];
  /** Stays while they are refused. */
  emails?: NotificationPreferences["emails"];
  emailsRefused?: boolean;
}

const schema = new Schema<PreferencesDocument>(
  {
    _id: ID,
    quietHours: Object,
    keywords: [String],
    keywordKeys: [String],
    emails: String,
    emailsRefused: Boolean,
  },
  { collection: "notificationPreferences" },
).index({ keywordKeys: 1 }, { sparse: true, name: "keywordKeys" });

export type PreferencesRepository = ReturnType<typeof createPreferencesRepository>;

/** Queries of the collection notificationPreferences. */
export const createPreferencesRepository = defineRepository(
  { name: "NotificationPreferences", schema, durable: false },
  ({ model: preferences, remove }) => ({
    find: async (userId: string): Promise<NotificationPreferences> =>
      present(await preferences.findById(userId).lean()),

    async change(
      userId: string,
      { quietHours, keywords, emails, emailsRefused }: Partial<NotificationPreferences>,
    ): Promise<NotificationPreferences> {
      const $set = {
        ...(quietHours !== undefined && { quietHours }),
        ...(keywords !== undefined && {
          keywords,
          keywordKeys: keywords.map((keyword) => keywordKeys(keyword)[0]!),
        }),
        ...(emails !== undefined && { emails, emailsRefused: false }),
        ...(emailsRefused !== undefined && { emailsRefused }),
      };
      const options = { upsert: true, returnDocument: "after" } as const;
      return present(await preferences.findOneAndUpdate({ _id: userId }, { $set }, options).lean());
    },

    /**
     * Users who have a keyword with one of the keys; incomplete when there are more than `limit`.
     * @param among null: of the whole instance
     */
    listByKeys: (keys: readonly string[], limit: number, among: readonly string[] | null) =>
      preferences
        .find(
          { keywordKeys: { $in: keys }, ...(among !== null && { _id: { $in: among } }) },
          { keywords: 1, keywordKeys: 1 },
        )
        .limit(limit)
        .lean(),

    /** The quiet hours of those of the users who have any. */
    listQuietHours: (userIds: readonly string[]) =>
      preferences.find({ _id: { $in: userIds } }, { quietHours: 1 }).lean(),

    remove: (userId: string) => remove({ _id: userId }),
  }),
);

function present(found: PreferencesDocument | null): NotificationPreferences {
  const emailsRefused = found?.emailsRefused === true;
  return {
    quietHours: found?.quietHours ?? null,
    keywords: found?.keywords ?? [],
    emails: emailsRefused ? "off" : (found?.emails ?? DEFAULT_EMAILS),
    emailsRefused,
  };
}
