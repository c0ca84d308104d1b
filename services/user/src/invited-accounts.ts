import { serviceError, withoutDeadline, type NodeContext } from "@fanfare/kernel";
import type { Erasures } from "./erasures.ts";
import type { UserRepository } from "./user.repository.ts";

export type InvitedAccounts = ReturnType<typeof createInvitedAccounts>;

/** Accounts that are made with an invite to a group. */
export function createInvitedAccounts(
  node: Pick<NodeContext, "call">,
  users: UserRepository,
  erasures: Erasures,
) {
  /** Takes one use of the invite. */
  const join = async (userId: string, code: string): Promise<void> => {
    await node.call("invite.acceptFor", { userId, code });
  };

  return {
    /**
     * Guests can make groups and invites, so theirs must not open accounts; nor must those of bots, which guests can add to a group.
     * @throws {ServiceError} INVITE_NOT_FOUND
     */
    async check(code: string): Promise<void> {
      const creator = await users.find((await node.call("invite.findCreator", { code })).userId);
      if (creator?.kind !== "member" || creator.disabledAt !== undefined || creator.deletedAt !== undefined)
        throw serviceError("INVITE_NOT_FOUND");
    },

    join,

    /**
     * For an account that has just been made: where it cannot join, it is deleted, because the last use of an invite can only be
     * taken once.
     */
    joinOrDelete: (userId: string, code: string): Promise<void> =>
      withoutDeadline(async () => {
        try {
          await join(userId, code);
        } catch (error) {
          const erased = await users.erase(userId, new Date());
          if (erased !== null) await erasures.begin(erased);
          throw error;
        }
      }),
  };
}
