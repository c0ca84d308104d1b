export { OutboundError, type OutboundErrorCode } from "./errors.ts";
export { Outbound, type OutboundResponse, type OutboundOptions, type OutboundRequest } from "./outbound.ts";
