import type { ChannelState, Group } from "@fanfare/contract";

/** What one can go to. */
export type Destination = {
  key: string;
  title: string;
  /** Besides the title, such as the group of a channel or a username; it can be searched for too. */
  detail: string;
  /** What is unread there and wants attention. */
  unread: { messages: number; mentions: number };
  /** The higher, the later one was there; 0: not of late. */
  recency: number;
} & (
  | { kind: "group"; group: Group; path: string }
  | { kind: "channel"; path: string }
  | { kind: "direct"; channel: ChannelState; path: string }
  | { kind: "page"; page: "inbox" | "friends" | "settings"; path: string }
  | { kind: "person"; userId: string; avatarUrl: string | null }
);
