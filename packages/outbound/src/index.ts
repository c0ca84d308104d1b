export { OutboundError, type OutboundErrorCode } from "./guarded-connect.ts";
export { Outbound, type OutboundResponse, type OutboundOptions, type OutboundRequest } from "./outbound.ts";
