import type { ServerToClientEvents } from "@fanfare/contract";
import type { DefaultEventsMap, Server, Socket } from "socket.io";
import type { ConnectionRecord } from "./connection-registry.ts";

export type GatewaySocket = Socket<
  DefaultEventsMap,
  ServerToClientEvents,
  DefaultEventsMap,
  ConnectionRecord
>;
export type SocketServer = Server<DefaultEventsMap, ServerToClientEvents, DefaultEventsMap, ConnectionRecord>;
