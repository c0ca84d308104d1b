import type { z } from "zod";
import type { EventDefinition } from "./define.ts";
import { botEvents } from "./events/bot.ts";
import { channelEvents } from "./events/channel.ts";
import { connectionEvents } from "./events/connection.ts";
import { friendEvents } from "./events/friend.ts";
import { groupEvents } from "./events/group.ts";
import { inboxEvents } from "./events/inbox.ts";
import { notificationEvents } from "./events/notification.ts";
import { messageEvents } from "./events/message.ts";
import { presenceEvents } from "./events/presence.ts";
import { serverEvents } from "./events/server.ts";
import { userEvents } from "./events/user.ts";

/** What a client is told without asking. Past tense, the same name on the server and in the client. */
export const EVENTS = {
  ...connectionEvents,
  ...serverEvents,
  ...userEvents,
  ...groupEvents,
  ...channelEvents,
  ...friendEvents,
  ...messageEvents,
  ...presenceEvents,
  ...botEvents,
  ...inboxEvents,
  ...notificationEvents,
} satisfies Record<string, EventDefinition>;

export type EventName = keyof typeof EVENTS;
export type EventPayload<N extends EventName> = z.output<(typeof EVENTS)[N]["payload"]>;

/** The Socket.IO listener map of a client. */
export type ServerToClientEvents = { [N in EventName]: (payload: EventPayload<N>) => void };
