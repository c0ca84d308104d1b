export { OutboundError, type OutboundErrorCode } from "./errors.ts";
export { Outbound, type OutboundAnswer, type OutboundOptions, type OutboundRequest } from "./outbound.ts";
