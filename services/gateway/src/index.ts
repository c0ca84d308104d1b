export { createGatewayService } from "./gateway.service.ts";
export { GATEWAY_ACTIONS } from "./recent/recent-actions.ts";
