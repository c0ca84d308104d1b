import {
  ACTIONS,
  actionDefinition,
  ERRORS,
  type ActionName,
  type ErrorCode,
  type ErrorDefinition,
  type Transport,
  type WireAnswer,
} from "@fanfare/contract";
import { errorsOf } from "@fanfare/contract/docs";

/** The test causes no load, limits or outages, so each of these would hide a fault. */
const NEVER: readonly ErrorCode[] = ["INTERNAL", "UNAVAILABLE", "OVERLOADED", "STORAGE_FULL", "RATE_LIMITED"];
const INTERNALS =
  /node_modules|\.[tj]s\b|\n\s+at |Mongo|BSON|Cast|E11000|ServiceError|TypeError|mongodb:|fanfare-test-|\/(?:tmp|home|usr|var)\//;

/** Names of stored fields that are never exposed; the fuzzer generates no text like them. */
const SECRETS = /"(?:passwordHash|tokenHash|familyHash|currentHash|sealedSecret|totp|_id|__v)":/;

/** How an answer violates the contract; empty if it doesn't. */
export function faultsOf(transport: Transport, name: string, answer: WireAnswer<unknown>): string[] {
  const definition = Object.hasOwn(ACTIONS, name) ? actionDefinition(name as ActionName) : undefined;
  const isReachable = definition?.transports.includes(transport) === true;
  if (answer.ok) {
    if (!isReachable) return ["the action is internal"];
    const { error } = definition.result.safeParse(answer.data);
    if (error !== undefined) return [`its result violates the schema: ${error.message}`];
    return SECRETS.test(JSON.stringify(answer.data)) ? ["it reveals private data"] : [];
  }
  const { type, message, data, retryable, requestId } = answer.error;
  if (!Object.hasOwn(ERRORS, type)) return [`unknown error ${type}`];
  const table: ErrorDefinition = ERRORS[type];
  const faults: [isFault: boolean, fault: string][] = [
    [!canAnswer(type, transport, isReachable ? definition : undefined), `${type} is not in its contract`],
    [NEVER.includes(type), `${type} hides a fault`],
    [message !== table.message, `another message: ${message}`],
    [retryable !== (table.advice === "retry"), "retryable is wrong"],
    [table.data === undefined ? data !== undefined : !table.data.safeParse(data).success, "other data"],
    [!/^[\w.:-]+$/.test(requestId), `an invalid request ID: ${requestId}`],
    [INTERNALS.test(JSON.stringify(data ?? "")), `it reveals internals: ${JSON.stringify(data)}`],
  ];
  return faults.filter(([isFault]) => isFault).map(([, fault]) => fault);
}

type Definition = ReturnType<typeof actionDefinition>;

function canAnswer(type: ErrorCode, transport: Transport, definition: Definition | undefined): boolean {
  // Bodies that are not JSON, and tokens of a deleted session or bot, are rejected before the action is looked
  // up.
  if (transport === "http" && ["MALFORMED_REQUEST", "SESSION_REVOKED", "UNAUTHENTICATED"].includes(type))
    return true;
  return definition === undefined ? type === "UNKNOWN_ACTION" : errorsOf(definition).includes(type);
}
