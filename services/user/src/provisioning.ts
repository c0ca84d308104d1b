import type { ProvisionedChanges, ProvisionedFilter, ProvisionedUser } from "@fanfare/contract";
import { duplicateKeyIndex, type Handlers, orThrow, serviceError } from "@fanfare/kernel";
import { MAX_USERNAMES_TRIED, nicknameFor, usernameFor } from "./external-accounts.ts";
import type { ProvisionedAttributes } from "./provisioning.queries.ts";
import { publishAccount, publishProfile } from "./user.presenter.ts";
import { takeEmail } from "./registration.ts";
import { assertAllowedDomain, assertBelowUserLimit } from "./registration.policy.ts";
import type { UserDependencies } from "./user.dependencies.ts";
import {
  EMAIL_INDEX,
  type Provisioning,
  SCIM_INDEXES,
  type UserDocument,
  USERNAME_INDEX,
} from "./user.model.ts";
import { newAccount } from "./user.repository.ts";

/** Accounts as an identity provider sees and changes them by SCIM. */
export function provisioningActions(dependencies: UserDependencies): Handlers {
  const { node, users, allUsers, accountMails, oneTimeTokens } = dependencies;

  const find = async (userId: string): Promise<UserDocument> => {
    const user = await users.find(userId);
    if (user === null || !isVisible(user)) throw serviceError("USER_NOT_FOUND");
    return user;
  };

  /** @throws {ServiceError} EMAIL_DOMAIN_NOT_ALLOWED, EMAIL_TAKEN */
  const assertUsable = async (email: string | null, userId?: string): Promise<void> => {
    assertAllowedDomain(await node.policy.get(), email);
    if (email === null) return;
    const other = await users.findByEmail(email);
    // The provider vouches for the address; an account that has never verified it loses it.
    if (other !== null && other._id !== userId && emailOf(other) !== null) throw serviceError("EMAIL_TAKEN");
  };

  /** @throws {ServiceError} USERNAME_TAKEN when another account has the name or id at the provider */
  const assertFree = async ({ userName, externalId }: ProvisionedChanges, userId?: string): Promise<void> => {
    for (const [attribute, value] of Object.entries({ userName, externalId })) {
      if (value == null) continue;
      const filter = { attribute: attribute as "userName" | "externalId", value };
      const found = await findMatching(dependencies, [filter]);
      if (found.some(({ _id }) => _id !== userId)) throw serviceError("USERNAME_TAKEN");
    }
  };

  const create = async (params: ProvisionedChanges & { userName: string }): Promise<UserDocument> => {
    const { userName, email = null, active = true } = params;
    await assertFree(params);
    await assertBelowUserLimit(await node.policy.get(), allUsers);
    const scim: Provisioning = { ...merged({}, params), ...(!active && { disabled: true }) };
    const names = { username: userName.split("@")[0], nickname: nameOf(scim) };
    await assertUsable(email);
    for (let attempt = 0; attempt < MAX_USERNAMES_TRIED; attempt += 1) {
      const username = usernameFor({ names }, attempt > 0);
      const account = newAccount({ username, nickname: nicknameFor({ names }, username) });
      const user: UserDocument = {
        ...account,
        scim,
        ...(email !== null && { email, emailLower: email.toLowerCase(), emailVerifiedAt: account.createdAt }),
        ...(!active && { disabledAt: account.createdAt }),
      };
      try {
        return await takeEmail({ node, users }, { email }, () => users.insert(user));
      } catch (error) {
        if (duplicateKeyIndex(error) !== USERNAME_INDEX) rethrowConflict(error);
      }
    }
    throw serviceError("UNAVAILABLE", { retryAfterMs: 0 });
  };

  const update = async (
    user: UserDocument,
    params: ProvisionedChanges,
    connection?: Parameters<typeof users.setProvisioned>[2],
  ): Promise<UserDocument> => {
    const { _id: userId, email: before } = user;
    const { email } = params;
    await assertFree(params, userId);
    const isNew =
      email !== undefined &&
      (email === null ? before !== undefined : email !== before || user.emailVerifiedAt === undefined);
    if (isNew) await assertUsable(email, userId);
    // A nickname that the user has chosen stays until the name at the provider changes.
    const name = nameOf(merged(user.scim, params));
    const isRenamed = name !== undefined && name !== nameOf(user.scim ?? {});
    const nickname = isRenamed ? nicknameFor({ names: { nickname: name } }, user.nickname) : undefined;
    const fields = { scim: attributesOf(params), nickname, ...(isNew && { email }) };
    const changed = await takeEmail({ node, users }, { email: isNew ? email : null, userId }, async () =>
      orThrow(
        await users.setProvisioned(userId, fields, connection).catch(rethrowConflict),
        connection === undefined ? "USER_NOT_FOUND" : "USERNAME_TAKEN",
      ),
    );
    if (nickname !== undefined && nickname !== user.nickname) publishProfile(node, changed);
    // Links sent to the old address, or its former owner, must not give access to the account any more.
    if (isNew || connection?.removeCredentials === true)
      await oneTimeTokens.removeAll(userId, ["resetPassword", "verifyEmail"]);
    if (isNew) {
      publishAccount(node, changed);
      if (before !== undefined && before.toLowerCase() !== email?.toLowerCase())
        await accountMails.notify(user, "emailChanged");
      await node.services.notification.setEmailsRefused({ userId, refused: false });
    }
    return changed;
  };

  const connect = (user: UserDocument, params: ProvisionedChanges): Promise<UserDocument> => {
    const { scim: { deletedAt, disabled } = {}, disabledAt } = user;
    const again = deletedAt !== undefined;
    return update(user, params, {
      again,
      enable: again && disabled === true && params.active !== false,
      // The address can belong to someone else by now, who signs in at the provider.
      removeCredentials: again && disabledAt !== undefined,
    });
  };

  return {
    "user.getProvisioned": async ({ params }) => ({ user: presentProvisioned(await find(params.userId)) }),

    "user.listProvisioned": async ({ params: { filters, offset, limit } }) => {
      if (filters.every(({ attribute }) => attribute === "active")) {
        const asked = new Set(filters.map(({ value }) => value));
        if (asked.size > 1) return { users: [], total: 0 };
        const [isActive] = asked as Set<boolean | undefined>;
        const { found, total } = await users.pageOfProvisioned(isActive, offset, limit);
        return { users: found.map(presentProvisioned), total };
      }
      const found = await findMatching(dependencies, filters);
      return { users: found.slice(offset, offset + limit).map(presentProvisioned), total: found.length };
    },

    "user.provision": async ({ params }) => {
      const { email } = params;
      const same = email == null ? null : await users.findByEmail(email);
      const found = same !== null && isConnectable(same) ? same : null;
      const user = await (found === null ? create(params) : connect(found, params));
      return { user: presentProvisioned(user), connected: found !== null };
    },

    "user.updateProvisioned": async ({ params: { userId, ...changes } }) => ({
      user: presentProvisioned(await update(await find(userId), changes)),
    }),

    "user.releaseProvisioned": async ({ params: { userId } }) => {
      orThrow(await users.releaseProvisioned(userId), "USER_NOT_FOUND");
      return {};
    },
  };
}

/** Accounts that match all filters, of which at least one is not for `active`. */
async function findMatching(
  { users }: Pick<UserDependencies, "users">,
  filters: readonly ProvisionedFilter[],
): Promise<UserDocument[]> {
  const [first] = filters.filter(({ attribute }) => attribute !== "active");
  const found = await users.listProvisionedCandidates(first!);
  return found.filter((user) => isVisible(user) && filters.every((filter) => matches(user, filter)));
}

function matches(user: UserDocument, { attribute, value }: ProvisionedFilter): boolean {
  const { scim, disabledAt, _id } = user;
  const lower = String(value).toLowerCase();
  switch (attribute) {
    case "id":
      return _id === value;
    case "externalId":
      return scim?.externalId === value;
    case "active":
      return (disabledAt === undefined) === value;
    case "email":
      return emailOf(user)?.toLowerCase() === lower;
    case "userName":
      return userNameOf(user).toLowerCase() === lower;
  }
}

/** The same as `VISIBLE` of the queries. */
function isVisible(user: UserDocument): boolean {
  const { kind, deletedAt, scim } = user;
  const isKnown = scim?.userName !== undefined || user.emailVerifiedAt !== undefined;
  return kind === "member" && deletedAt === undefined && scim?.deletedAt === undefined && isKnown;
}

/** Unverified addresses can be those of others, so the provider must not find accounts by them. */
const emailOf = ({ email, emailVerifiedAt }: UserDocument): string | null =>
  emailVerifiedAt === undefined ? null : (email ?? null);

/** As at logins, a verified address is enough. Usernames prove nothing: anyone can have registered them. */
const isConnectable = (user: UserDocument): boolean =>
  emailOf(user) !== null && user.kind === "member" && user.scim?.userName === undefined;

const userNameOf = (user: UserDocument): string =>
  user.scim?.userName ?? emailOf(user) ?? user.username ?? "";

function presentProvisioned(user: UserDocument): ProvisionedUser {
  const { scim = {}, nickname, disabledAt, createdAt, _id } = user;
  return {
    id: _id,
    userName: userNameOf(user),
    externalId: scim.externalId ?? null,
    displayName: scim.displayName ?? nickname,
    givenName: scim.givenName ?? null,
    familyName: scim.familyName ?? null,
    formattedName: scim.formattedName ?? null,
    email: emailOf(user),
    active: disabledAt === undefined,
    createdAt: createdAt.toISOString(),
  };
}

function attributesOf(changes: ProvisionedChanges): ProvisionedAttributes {
  const { userName, externalId, displayName, givenName, familyName, formattedName } = changes;
  const given = { userName, userNameLower: userName?.toLowerCase(), externalId, displayName, givenName };
  const all = Object.entries({ ...given, familyName, formattedName });
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}

/** The attributes after a change. */
function merged(before: Provisioning | undefined, changes: ProvisionedChanges): Provisioning {
  const after = Object.entries({ ...before, ...attributesOf(changes) });
  return Object.fromEntries(after.filter(([, value]) => value !== null)) as Provisioning;
}

/** The user's display name. */
function nameOf({ displayName, formattedName, givenName, familyName }: Provisioning): string | undefined {
  const full = [givenName, familyName].filter((name) => name !== undefined).join(" ");
  return [displayName, formattedName, full].map((name) => name?.trim()).find((name) => name);
}

function rethrowConflict(error: unknown): never {
  const index = duplicateKeyIndex(error);
  if (index === EMAIL_INDEX) throw serviceError("EMAIL_TAKEN");
  if (SCIM_INDEXES.includes(index)) throw serviceError("USERNAME_TAKEN");
  throw error;
}
