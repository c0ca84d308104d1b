import type { ChannelView } from "@fanfare/client";
import type { Channel, Message, Role } from "@fanfare/contract";
import { createContext, useContext } from "react";

/** What is asked or shown about a message, in front of the list. */
export type MessageDialog =
  | { kind: "delete"; message: Message }
  | { kind: "history"; message: Message }
  | { kind: "reactors"; message: Message; emoji: string };

export type OnUser = (userId: string, anchor: HTMLElement) => void;

/** What every message of a list needs to know. It stays the same object while nothing of it changes. */
export interface MessageContextValue {
  view: ChannelView;
  channel: Channel;
  /** What the user may in the channel, as bits. */
  permissions: number;
  ownId: string;
  /** The roles of the group that have a colour, the highest first. */
  coloredRoles: readonly Role[];
  mentionsMe: (message: Message) => boolean;
  jumpTo: (messageId: string) => void;
  openThread: (message: Message) => void;
  /** Shows the card of a user beside an element; undefined where there are no cards. */
  onUser: OnUser | undefined;
  ask: (dialog: MessageDialog) => void;
  /** Offers emoji for a message; null: for none any more. */
  setReacting: (messageId: string | null) => void;
}

export const MessageContext = createContext<MessageContextValue | null>(null);

export function useMessageContext(): MessageContextValue {
  const value = useContext(MessageContext);
  if (value === null) throw new Error("This is for components within a MessageList.");
  return value;
}
