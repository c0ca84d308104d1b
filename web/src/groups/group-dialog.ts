import type { Channel } from "@fanfare/contract";

export type GroupDialog =
  | { kind: "createChannel"; sectionId: string | null }
  | { kind: "createSection" }
  | { kind: "editChannel"; channel: Channel }
  | { kind: "renameSection"; channel: Channel }
  | { kind: "deleteChannel"; channel: Channel }
  | { kind: "channelNotifications"; channel: Channel }
  | { kind: "groupNotifications" }
  | { kind: "invite" }
  | { kind: "leave" };

export type OpenDialog = (dialog: GroupDialog) => void;
