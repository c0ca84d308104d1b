import { row } from "../row.ts";

export const statusRows = {
  "server.getStatus": row("server.getStatus", () => ({})),
  "admin.metrics": row("admin.metrics", () => ({})),
};
