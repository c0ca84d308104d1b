import type { z } from "zod";
import type { EventDefinition } from "./define.ts";
import {
  botEvents,
  friendEvents,
  inboxEvents,
  notificationEvents,
  presenceEvents,
  userEvents,
} from "./events/user.ts";
import { channelEvents, groupEvents } from "./events/group.ts";
import { connectionEvents, serverEvents } from "./events/server.ts";
import { messageEvents } from "./events/message.ts";

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
