import type { ServerToClientEvents } from "@fanfare/contract";
import type { DefaultEventsMap, Server, Socket } from "socket.io";
import type { Visitor } from "./visitors.ts";

export type GatewaySocket = Socket<DefaultEventsMap, ServerToClientEvents, DefaultEventsMap, Visitor>;
export type SocketServer = Server<DefaultEventsMap, ServerToClientEvents, DefaultEventsMap, Visitor>;
