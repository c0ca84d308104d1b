import type { Channel } from "@fanfare/contract";

/** What is asked about direct channels, in front of them. */
export type DirectDialog =
  | { kind: "create"; userIds: readonly string[] }
  | { kind: "add" | "rename" | "leave" | "notifications"; channel: Channel };

export type OpenDirectDialog = (dialog: DirectDialog) => void;
