export { assertNotMuted, can, type Access, requiresSecondFactor } from "./access.ts";
export type { Actor, CallClient, CallMeta, DomainEvents } from "@fanfare/contract";
export { responseUsers, usersInMessages, ResponseBudget, jsonBytes } from "./responses.ts";
export { createBatcher } from "./batcher.ts";
export { boundedMap, chunks, within, WorkQueue, repeat, type Repeated, WorkTimer } from "./work-queue.ts";
export { entryLimit } from "./lru-options.ts";
export { createBroker } from "./broker.ts";
export {
  ConfigError,
  DEFAULT_MAX_CONNECTIONS,
  DEFAULT_PROVIDER,
  hostForUrl,
  loadConfig,
  misspelledSettings,
  type Config,
} from "./config.ts";
export { startNode, type ServiceFactory, type Threads } from "./start-node.ts";
export {
  defineService,
  parse,
  type Handler,
  type Handlers,
  type Request,
  callOf,
  createServices,
} from "./define-service.ts";
export { declareModels } from "./node-context.ts";
export {
  isExceeded,
  newDeadlineMs,
  mergedScope,
  currentScope,
  runForRequest,
  runInScope,
  withoutDeadline,
  type RequestScope,
} from "./request-scope.ts";
export {
  type Collection,
  defineRepository,
  DURABLE,
  duplicateKeyIndex,
  duplicateOperations,
  firstIdAt,
  ID,
  newId,
  rejectedOperations,
  REQUIRED_ID,
  nullIfDuplicate,
} from "./repository.ts";
export {
  assertBelow,
  invalid,
  limitReached,
  orThrow,
  overloaded,
  serviceError,
  ServiceError,
  StartError,
  toServiceError,
  toWireError,
  unavailable,
} from "./errors.ts";
export { createLogger, logsCalls, type Logger } from "./logger.ts";
export { OVERLOADED_METRIC } from "./metrics/node-metrics.ts";
export {
  Counter,
  Gauge,
  Histogram,
  readGauge,
  RecentMax,
  threadMetrics,
  type ThreadMetrics,
} from "./metrics.ts";
export { brandingOf } from "./instance-policy.ts";
export type { NodeContext, Publish } from "./node-context.ts";
export { PROGRAM_VERSION } from "./program-version.ts";
export { MemoryCounters, redisCounters, type SharedCounters, RateLimiter } from "./rate-limits/counters.ts";
export { createRateLimits, type ExactLimit, type RateLimits } from "./rate-limits/rate-limits.ts";
export { type Sealer, hashSecret, matchesHash, newSecret } from "./sealer.ts";
export { inRequestUntraced, type ClientRequest, type InRequest } from "./tracing/tracing.ts";
export { ACCESS_TOKEN_LIFETIME_MS, loadTokenSecret } from "./tokens.ts";
