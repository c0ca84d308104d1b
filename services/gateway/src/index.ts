export { createGatewayService } from "./gateway.service.ts";
export {
  connectionMemory,
  connectionCapacity,
  capacityNotice,
  type ConnectionMemory,
} from "./connection-limit.ts";
