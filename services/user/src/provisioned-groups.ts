import type { ProvisionedGroup, ProvisionedGroupChanges } from "@fanfare/contract";
import { type Config, type Handlers, invalid, newId, orThrow, serviceError } from "@fanfare/kernel";
import type { ProvisionedGroupDocument, ProvisionedGroupRepository } from "./provisioned-group.repository.ts";
import type { UserDependencies } from "./user.dependencies.ts";
import type { UserDocument } from "./user.model.ts";

export type ProvisionedAdmins = ReturnType<typeof createProvisionedAdmins>;

/** The groups of the SCIM provider whose members are admins: those that also make its logins admins. */
export function createProvisionedAdmins(
  { providers, scimOidcProvider }: Pick<Config, "providers" | "scimOidcProvider">,
  groups: ProvisionedGroupRepository,
) {
  const names = providers.find(({ id }) => id === scimOidcProvider)?.adminGroups ?? [];
  return {
    isForAdmins: ({
      displayName,
      externalId,
    }: Pick<ProvisionedGroupDocument, "displayName" | "externalId">) =>
      names.includes(displayName) || (externalId !== undefined && names.includes(externalId)),

    /** Whether SCIM alone decides who is an admin, so that logins at this provider don't: it has sent such a group. */
    decide: async (provider: string | null): Promise<boolean> =>
      provider !== null && provider === scimOidcProvider && (await groups.listIdsNamed(names)).length > 0,

    /** Which of these users should be admins. */
    async among(users: readonly UserDocument[]): Promise<Set<string>> {
      const groupIds = new Set(await groups.listIdsNamed(names));
      const isMember = ({ scim }: UserDocument) => (scim?.groupIds ?? []).some((id) => groupIds.has(id));
      return new Set(users.filter(isMember).map(({ _id }) => _id));
    },
  };
}

/** Groups as an identity provider sees and changes them by SCIM. */
export function provisionedGroupActions({
  users,
  provisionedGroups: groups,
  provisionedAdmins: admins,
}: UserDependencies): Handlers {
  const present = async (
    { _id, displayName, externalId, createdAt }: ProvisionedGroupDocument,
    withMembers: boolean,
  ): Promise<ProvisionedGroup> => {
    const members = withMembers ? await users.listProvisionedMembers(_id) : null;
    return {
      id: _id,
      displayName,
      externalId: externalId ?? null,
      createdAt: createdAt.toISOString(),
      members:
        members?.map(({ _id: id, scim, nickname }) => ({ id, displayName: scim?.displayName ?? nickname })) ??
        null,
    };
  };

  const find = async (groupId: string) => orThrow(await groups.find(groupId), "GROUP_NOT_FOUND");

  /** @throws {ServiceError} VALIDATION_FAILED */
  const assertVisible = async ({ add }: ProvisionedGroupChanges["members"]): Promise<void> => {
    if (add.length === 0) return;
    const known = new Set((await users.listProvisionedAmong(add)).map(({ _id }) => _id));
    const unknown = add.find((userId) => !known.has(userId));
    if (unknown !== undefined) throw invalid("members", `there is no user with the id ${unknown}`);
  };

  const rolesOf = async (userIds: readonly string[]) => {
    const found = await users.listProvisionedAmong(userIds);
    const should = await admins.among(found);
    return found
      .filter((user) => (user.admin === true) !== should.has(user._id))
      .filter(({ disabledAt }) => disabledAt === undefined)
      .map(({ _id: userId }) => ({ userId, admin: should.has(userId) }));
  };

  /**
   * Changes the members of a group.
   * @param wasForAdmins whether its members were admins before the change
   * @returns the roles that must change
   */
  const setMembers = async (
    group: ProvisionedGroupDocument,
    members: ProvisionedGroupChanges["members"],
    wasForAdmins: boolean,
  ) => {
    const isRelevant = wasForAdmins || admins.isForAdmins(group);
    const before = isRelevant ? await users.listProvisionedMembers(group._id) : [];
    await users.setProvisionedMembers(group._id, members);
    return isRelevant ? rolesOf([...new Set([...before.map(({ _id }) => _id), ...members.add])]) : [];
  };

  return {
    "user.isProvisionedAdmin": async ({ params: { userId } }) => {
      const found = await users.listProvisionedAmong([userId]);
      return { admin: (await admins.among(found)).has(userId) };
    },

    "user.getProvisionedGroup": async ({ params: { groupId, withMembers } }) => ({
      group: await present(await find(groupId), withMembers),
    }),

    "user.listProvisionedGroups": async ({ params: { filters, withMembers, ...page } }) => {
      const asked = filters.filter(({ attribute }) => attribute === "member").map(({ value }) => value);
      const members = await users.listProvisionedAmong(asked.filter((id) => /^[0-9a-f]{24}$/.test(id)));
      const memberOf =
        asked.length === 0
          ? undefined
          : asked
              .map((userId) => members.find(({ _id }) => _id === userId)?.scim?.groupIds ?? [])
              .reduce((all, groupIds) => all.filter((id) => groupIds.includes(id)));
      const { found, total } = await groups.page(filters, memberOf, page);
      return { groups: await Promise.all(found.map((group) => present(group, withMembers))), total };
    },

    "user.provisionGroup": async ({ params: { displayName, externalId, members } }) => {
      await assertVisible(members);
      const group = await groups.insert({
        _id: newId(),
        displayName,
        displayNameLower: displayName.toLowerCase(),
        ...(externalId != null && { externalId }),
        createdAt: new Date(),
      });
      if (group === null) return { group, roles: [] };
      const roles = await setMembers(group, members, false);
      return { group: await present(group, true), roles };
    },

    "user.updateProvisionedGroup": async ({ params: { groupId, members, ...fields } }) => {
      const before = await find(groupId);
      await assertVisible(members);
      const changed = await groups.set(groupId, fields);
      if (changed.outcome === "gone") throw serviceError("GROUP_NOT_FOUND");
      if (changed.outcome === "taken") return { group: null, roles: [] };
      const roles = await setMembers(changed.group, members, admins.isForAdmins(before));
      return { group: await present(changed.group, true), roles };
    },

    "user.removeProvisionedGroup": async ({ params: { groupId } }) => {
      const group = await find(groupId);
      // First, so that the call can be repeated if it was interrupted.
      const roles = await setMembers(group, { keep: false, add: [], remove: [] }, admins.isForAdmins(group));
      await groups.remove(groupId);
      return { roles };
    },
  };
}
