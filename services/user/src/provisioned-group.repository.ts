import type { ProvisionedGroupFilter } from "@fanfare/contract";
import { defineRepository, duplicateKeyIndex, nullIfDuplicate } from "@fanfare/kernel";
import { type QueryFilter, Schema } from "mongoose";

/** A group of an identity provider, whose members are in the users' `scim.groupIds`. */
export interface ProvisionedGroupDocument {
  _id: string;
  displayName: string;
  displayNameLower: string;
  externalId?: string;
  createdAt: Date;
}

/** null removes an id. */
interface ProvisionedGroupFields {
  displayName?: string | undefined;
  externalId?: string | null | undefined;
}

type ProvisionedGroupChange =
  | { outcome: "changed"; group: ProvisionedGroupDocument }
  | { outcome: "gone" }
  /** Another group has the name or id. */
  | { outcome: "taken" };

const schema = new Schema<ProvisionedGroupDocument>(
  {
    displayName: { type: String, required: true },
    displayNameLower: { type: String, required: true },
    externalId: String,
    createdAt: { type: Date, required: true },
  },
  { collection: "provisionedGroups" },
);
schema.index({ displayNameLower: 1 }, { unique: true });
schema.index({ externalId: 1 }, { unique: true, sparse: true });

export type ProvisionedGroupRepository = ReturnType<typeof createProvisionedGroupRepository>;

/** Queries of the collection provisionedGroups. */
export const createProvisionedGroupRepository = defineRepository(
  { name: "ProvisionedGroup", schema },
  ({ model: groups, insert, change, remove, listIds }) => ({
    /** @returns null when another group has the name or id */
    insert: (group: ProvisionedGroupDocument) => nullIfDuplicate(insert(group)),

    find: (groupId: string) => groups.findOne({ _id: groupId }).lean(),

    async set(
      groupId: string,
      { displayName, externalId }: ProvisionedGroupFields,
    ): Promise<ProvisionedGroupChange> {
      const set = {
        ...(displayName !== undefined && { displayName, displayNameLower: displayName.toLowerCase() }),
        ...(externalId != null && { externalId }),
      };
      try {
        const group = await change(
          { _id: groupId },
          {
            ...(Object.keys(set).length > 0 && { $set: set }),
            ...(externalId === null && { $unset: { externalId: 1 as const } }),
          },
        );
        return group === null ? { outcome: "gone" } : { outcome: "changed", group };
      } catch (error) {
        if (duplicateKeyIndex(error) === null) throw error;
        return { outcome: "taken" };
      }
    },

    remove: (groupId: string) => remove({ _id: groupId }),

    /**
     * Oldest first.
     * @param memberOf the groups of the member that is filtered for; absent without such a filter
     */
    async page(
      filters: readonly ProvisionedGroupFilter[],
      memberOf: readonly string[] | undefined,
      { offset, limit }: { offset: number; limit: number },
    ) {
      const filter: QueryFilter<ProvisionedGroupDocument> = {
        $and: [
          {},
          ...(memberOf === undefined ? [] : [{ _id: { $in: [...memberOf] } }]),
          ...filters.map(conditionOf),
        ],
      };
      const [found, total] = await Promise.all([
        limit === 0 ? [] : groups.find(filter).sort({ _id: 1 }).skip(offset).limit(limit).lean(),
        groups.countDocuments(filter),
      ]);
      return { found, total };
    },

    /** Of the groups with one of these names, or ids at the provider. */
    listIdsNamed: (names: readonly string[]): Promise<string[]> =>
      names.length === 0
        ? Promise.resolve([])
        : listIds({ $or: [{ displayName: { $in: [...names] } }, { externalId: { $in: [...names] } }] }),
  }),
);

function conditionOf({ attribute, value }: ProvisionedGroupFilter): QueryFilter<ProvisionedGroupDocument> {
  switch (attribute) {
    case "id":
      return { _id: { $in: /^[0-9a-f]{24}$/.test(value) ? [value] : [] } };
    case "displayName":
      return { displayNameLower: value.toLowerCase() };
    case "externalId":
      return { externalId: value };
    case "member":
      return {};
  }
}
