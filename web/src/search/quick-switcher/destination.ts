import type { ChannelState, Group } from "@fanfare/contract";

export type Destination = {
  key: string;
  title: string;
  /** Also searched: a channel's group, or a username. */
  detail: string;
  /** Unread messages that count for notifications. */
  unread: { messages: number; mentions: number };
  /** Higher for more recent visits; 0 if not recently visited. */
  recency: number;
} & (
  | { kind: "group"; group: Group; path: string }
  | { kind: "channel"; groupId: string; path: string }
  | { kind: "direct"; channel: ChannelState; path: string }
  | { kind: "page"; page: "inbox" | "friends" | "settings" | "channels" | "directory"; path: string }
  | { kind: "person"; userId: string; avatarUrl: string | null }
);

/** A place to write to. */
export type Conversation = Extract<Destination, { kind: "channel" | "direct" | "person" }>;

export function isConversation(destination: Destination): destination is Conversation {
  return destination.kind !== "group" && destination.kind !== "page";
}
