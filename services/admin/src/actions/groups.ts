import type { Handler } from "@fanfare/kernel";

export function listGroups(): Handler<"admin.listGroups"> {
  return ({ params, call }) => call("group.listAll", params);
}

export function deleteGroup(): Handler<"admin.deleteGroup"> {
  return ({ params: { groupId }, call }) => call("group.remove", { groupId });
}
