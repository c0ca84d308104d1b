import type { Handler } from "@fanfare/kernel";
import type { AdminDependencies } from "../admin.dependencies.ts";

export function announce({ node }: AdminDependencies): Handler<"admin.announce"> {
  return ({ params: { text } }) => {
    node.broadcast("server.announced", { text, announcedAt: new Date().toISOString() });
    return {};
  };
}
