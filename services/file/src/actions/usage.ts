import type { Handler } from "@fanfare/kernel";
import type { FileDependencies } from "../file.dependencies.ts";

export function getUsage({ quotas }: FileDependencies): Handler<"file.getUsage"> {
  return ({ actor }) => quotas.of({ type: "user", id: actor.userId }, actor.kind);
}

export function getGroupUsage({ quotas }: FileDependencies): Handler<"file.getGroupUsage"> {
  return ({ params }) => quotas.of({ type: "group", id: params.groupId });
}

export function setQuota({ quotas }: FileDependencies): Handler<"file.setQuota"> {
  return async ({ params: { of, maxBytes }, call }) => {
    await quotas.setMax(of, maxBytes);
    if (of.type === "group") return quotas.of(of);
    const { users } = await call("user.getMany", { userIds: [of.id] });
    return quotas.of(of, users[0]?.kind);
  };
}
