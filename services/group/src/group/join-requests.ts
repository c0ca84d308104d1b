import { LIMITS, type Result, type Services, userRoom } from "@fanfare/contract";
import {
  type Handlers,
  orThrow,
  responseUsers,
  ResponseBudget,
  ServiceError,
  serviceError,
  withoutDeadline,
} from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentGroup } from "../group.presenter.ts";
import { createJoin, presentOwn, publishRemoved, publishRequestsChanged } from "./join.ts";
import { findListed } from "./directory.ts";
import { findInvitePath } from "./invites.ts";
import { presentJoinRequest } from "./join-request.repository.ts";
import { startLockdown } from "./moderation.ts";
import { outdated } from "./membership.ts";

type Failures = Result<"join.approve">["failures"];
type Failure = Failures[number]["error"];

/** Requests to join groups where new members need approval, and lockdowns. */
export function joinRequestActions(dependencies: GroupDependencies): Handlers {
  const { node, groups, joinRequests, audit, announcer } = dependencies;
  const { joinOrAsk, joinApproved } = createJoin(dependencies);

  const approve = async (
    groupId: string,
    userId: string,
    askedAtMs: number,
    services: Services,
  ): Promise<Failure | null> => {
    // Of an approval, a rejection and a withdrawal at the same moment, one counts.
    const request = await joinRequests.startApproval(groupId, userId);
    if (request === null) return "JOIN_REQUEST_NOT_FOUND";
    const remove = async () => {
      await withoutDeadline(() => joinRequests.remove(groupId, userId));
      publishRemoved(dependencies, request);
    };
    try {
      const { user } = await services.user.get({ userId });
      if (user.deleted === true) throw serviceError("USER_NOT_FOUND");
      await joinApproved(groupId, { userId, askedAtMs });
    } catch (error) {
      const type = error instanceof ServiceError ? error.type : null;
      if (type === "BANNED" || type === "USER_NOT_FOUND") {
        await remove();
        return type === "BANNED" ? type : "JOIN_REQUEST_NOT_FOUND";
      }
      await withoutDeadline(() => joinRequests.endApproval(request));
      if (type !== "LIMIT_REACHED") throw error;
      return type;
    }
    await remove();
    return null;
  };

  const reject = async (groupId: string, userId: string): Promise<Failure | null> => {
    const [rejected, group] = await Promise.all([joinRequests.reject(groupId, userId), groups.find(groupId)]);
    if (rejected === null || group === null) return "JOIN_REQUEST_NOT_FOUND";
    const request = presentOwn(rejected, group);
    node.publish(userRoom(userId), "joinRequest.updated", { request });
    return null;
  };

  /** Closes each of the requests, and records those that succeed. */
  const closeAll = async (
    action: "join.approve" | "join.reject",
    { groupId, userIds }: { groupId: string; userIds: readonly string[] },
    actorId: string,
    close: (userId: string) => Promise<Failure | null>,
  ): Promise<{ failures: Failures }> => {
    const closed = await Promise.allSettled(
      [...new Set(userIds)].map(async (userId) => {
        const error = await close(userId);
        if (error === null) await audit(groupId, actorId, action, { targetId: userId });
        return error === null ? [] : [{ userId, error }];
      }),
    );
    await publishRequestsChanged(dependencies, groupId);
    const broken = closed.find(({ status }) => status === "rejected");
    if (broken !== undefined) throw (broken as PromiseRejectedResult).reason;
    return {
      failures: closed.flatMap((result) => (result.status === "fulfilled" ? result.value : [])),
    };
  };

  return {
    "join.request": async ({ params: { code, groupId, message }, actor: { userId }, askedAtMs }) => {
      const path =
        code === undefined
          ? await findListed(dependencies, groupId!)
          : await findInvitePath(dependencies, code, userId);
      return { request: await joinOrAsk(path, { userId, askedAtMs }, message) };
    },

    "join.withdraw": async ({ params: { groupId }, actor: { userId } }) => {
      const withdrawn = await joinRequests.withdraw(groupId, userId);
      if (withdrawn === null) {
        const kept = await joinRequests.find(groupId, userId);
        // It is being approved.
        if (kept?.isOpen === true) throw outdated();
        return {};
      }
      publishRemoved(dependencies, withdrawn);
      await publishRequestsChanged(dependencies, groupId);
      return {};
    },

    "join.listMine": async ({ actor: { userId } }) => {
      const found = await joinRequests.listOfUser(userId, LIMITS.joinRequestsListed);
      const named = await groups.findMany(found.map(({ groupId }) => groupId));
      const byId = new Map(named.map((group) => [group._id, group]));
      return {
        requests: found.flatMap((request) => {
          const group = byId.get(request.groupId);
          return group === undefined ? [] : [presentOwn(request, group)];
        }),
      };
    },

    "join.list": async ({ params: { groupId, withUsers, cursor, limit }, services }) => {
      const found = await joinRequests.listOpen(groupId, limit, cursor);
      const requests = new ResponseBudget().takeWhileFits(found.map(presentJoinRequest));
      const isLast = requests.length === found.length && found.length < limit;
      const userIds = requests.map(({ userId }) => userId);
      return {
        requests,
        nextCursor: isLast ? null : found[requests.length - 1]!._id,
        ...(await responseUsers(services, withUsers, userIds)),
      };
    },

    "join.getOpenCount": async ({ params: { groupId } }) => ({
      open: await joinRequests.countOpen(groupId),
    }),

    "join.approve": ({ params, actor, askedAtMs, services }) =>
      closeAll("join.approve", params, actor.userId, (userId) =>
        approve(params.groupId, userId, askedAtMs, services),
      ),

    "join.reject": ({ params, actor }) =>
      closeAll("join.reject", params, actor.userId, (userId) => reject(params.groupId, userId)),

    "group.startLockdown": async ({ params: { groupId }, actor: { userId } }) => {
      const started = await startLockdown(dependencies, groupId, userId, false);
      const group = orThrow(started ?? (await groups.find(groupId)), "GROUP_NOT_FOUND");
      return { group: presentGroup(group) };
    },

    "group.endLockdown": async ({ params: { groupId }, actor: { userId } }) => {
      const ended = await groups.endLockdown(groupId);
      if (ended === null)
        return { group: presentGroup(orThrow(await groups.find(groupId), "GROUP_NOT_FOUND")) };
      await audit(groupId, userId, "group.endLockdown");
      return announcer.updated(presentGroup(ended));
    },
  };
}
