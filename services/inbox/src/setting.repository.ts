import { type NotificationSetting, LIMITS } from "@fanfare/contract";
import { defineRepository, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** A user's notification settings for a group or channel; defaults are absent. */
export interface SettingDocument {
  _id: string;
  userId: string;
  /** The id of the group or channel. */
  placeId: string;
  kind: "group" | "channel";
  level?: NonNullable<NotificationSetting["level"]>;
  mutedUntil?: Date;
  suppressEveryone?: true;
  favorite?: true;
  hidden?: true;
}

const schema = new Schema<SettingDocument>(
  {
    userId: REQUIRED_ID,
    placeId: REQUIRED_ID,
    kind: { type: String, enum: ["group", "channel"], required: true },
    level: String,
    mutedUntil: Date,
    suppressEveryone: Boolean,
    favorite: Boolean,
    hidden: Boolean,
  },
  { collection: "notificationSettings" },
)
  .index({ userId: 1, placeId: 1 }, { unique: true, name: "user_place" })
  .index({ placeId: 1, level: 1 }, { name: "place_level" });

export type Changes = Partial<Omit<NotificationSetting, "groupId" | "channelId">>;
export type Place = Pick<NotificationSetting, "groupId" | "channelId">;
export type SettingRepository = ReturnType<typeof createSettingRepository>;

const VALUES = ["level", "mutedUntil", "suppressEveryone", "favorite", "hidden"] as const;
const ABSENT = { $exists: false };

/** Queries of the collection notificationSettings. */
export const createSettingRepository = defineRepository(
  { name: "NotificationSetting", schema, durable: false },
  ({ model: settings, removeAll }) => {
    const removeDefault = (userId: string, placeId: string) =>
      settings.deleteOne({ userId, placeId, ...Object.fromEntries(VALUES.map((name) => [name, ABSENT])) });
    return {
      async find(userId: string, place: Place): Promise<NotificationSetting> {
        return present(place, await settings.findOne({ userId, placeId: idOf(place) }).lean());
      },

      /** @returns null when the user has the maximum number of settings */
      async change(userId: string, place: Place, changes: Changes): Promise<NotificationSetting | null> {
        const { $set, $unset } = updateOf(changes);
        const placeId = idOf(place);
        const apply = (inserts: boolean) =>
          settings
            .findOneAndUpdate(
              { userId, placeId },
              {
                $set: { ...$set, kind: place.channelId === null ? "group" : "channel" },
                ...(Object.keys($unset).length > 0 && { $unset }),
              },
              { upsert: inserts, returnDocument: "after" },
            )
            .lean();
        const known = await apply(false);
        if (known !== null) {
          if (VALUES.every((name) => known[name] === undefined)) await removeDefault(userId, placeId);
          return present(place, known);
        }
        if (Object.keys($set).length === 0) return present(place, null);
        const max = LIMITS.notificationSettingsPerUser;
        if ((await settings.countDocuments({ userId }, { limit: max })) >= max) return null;
        return present(place, await apply(true));
      },

      /** Sorted by place id. */
      async listPage(userId: string, afterId: string | undefined, limit: number): Promise<SettingDocument[]> {
        return settings
          .find({
            userId,
            ...(afterId !== undefined && { placeId: { $gt: afterId } }),
            // A setting that is being changed can be empty for a moment.
            $or: VALUES.map((name) => ({ [name]: { $exists: true } })),
          })
          .sort({ placeId: 1 })
          .limit(limit)
          .lean();
      },

      /** Groups whose @everyone mentions are ignored. */
      async listSuppressed(userId: string): Promise<Set<string>> {
        const found = await settings
          .find({ userId, suppressEveryone: true }, { placeId: 1 })
          .limit(LIMITS.notificationSettingsPerUser)
          .lean();
        return new Set(found.map(({ placeId }) => placeId));
      },

      /** Users who want notifications of all messages in one of the places; incomplete when there are more than `limit`. */
      async listEager(placeIds: readonly string[], limit: number): Promise<string[]> {
        const found = await settings
          .find({ placeId: { $in: placeIds }, level: "all" }, { userId: 1 })
          .limit(limit)
          .lean();
        return [...new Set(found.map(({ userId }) => userId))];
      },

      /** By user and place, as `userId:placeId`. */
      async findFor(
        userIds: readonly string[],
        placeIds: readonly string[],
      ): Promise<Map<string, SettingDocument>> {
        const found = await settings.find({ userId: { $in: userIds }, placeId: { $in: placeIds } }).lean();
        return new Map(found.map((setting) => [`${setting.userId}:${setting.placeId}`, setting]));
      },

      removeAll: (userId: string) => removeAll({ userId }),
    };
  },
);

export function presentSetting(setting: SettingDocument): NotificationSetting {
  const placeId = setting.placeId;
  const isGroup = setting.kind === "group";
  return present({ groupId: isGroup ? placeId : null, channelId: isGroup ? null : placeId }, setting);
}

function present(place: Place, setting: SettingDocument | null): NotificationSetting {
  return {
    ...place,
    level: setting?.level ?? null,
    mutedUntil: setting?.mutedUntil?.toISOString() ?? null,
    suppressEveryone: setting?.suppressEveryone ?? false,
    favorite: setting?.favorite ?? false,
    hidden: setting?.hidden ?? false,
  };
}

function idOf({ groupId, channelId }: Place): string {
  return (channelId ?? groupId)!;
}

/** Defaults are not stored. */
function updateOf(changes: Changes) {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const isDefault = (value: unknown): boolean => value === null || value === false;
  return {
    $set: Object.fromEntries(given.filter(([, value]) => !isDefault(value))),
    $unset: Object.fromEntries(given.filter(([, value]) => isDefault(value)).map(([name]) => [name, 1])),
  };
}
