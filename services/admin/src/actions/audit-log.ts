import type { Handler } from "@fanfare/kernel";
import type { AdminDependencies } from "../admin.dependencies.ts";
import { presentEntry } from "../admin.presenter.ts";

export function auditLog({ audit }: AdminDependencies): Handler<"admin.auditLog"> {
  return async ({ params: { limit, ...filter } }) => {
    const found = await audit.listPage(filter, limit);
    return {
      entries: found.map(presentEntry),
      nextId: found.length === limit ? (found.at(-1)?._id ?? null) : null,
    };
  };
}
