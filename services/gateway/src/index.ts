export { createGatewayService } from "./gateway.service.ts";
export { connectionMemory, connectionRoom, noticeOfRoom, type ConnectionMemory } from "./connection-room.ts";
