import type { ActionName, EventName, LIMITS, PROTOCOL_VERSION } from "@fanfare/contract";
import { ACTION_MANIFEST, EVENT_NAMES, type ClientFacts } from "@fanfare/contract/manifest";

/*
 * Values of the contract that the SDK needs at run time. Only types are imported from the contract, so that its schemas stay
 * out of browser bundles; the types are literals, so a value that differs from the contract does not compile.
 */

type Limit<N extends keyof typeof LIMITS> = (typeof LIMITS)[N];

export const CHANNELS_PER_SYNC: Limit<"channelsPerSync"> = 100;
export const WRITE_TIMEOUT_MS: Limit<"writeTimeoutMs"> = 10_000;
export const USERS_PER_LOOKUP: Limit<"usersPerLookup"> = 100;
export const WATCHED_USERS: Limit<"watchedUsersPerSocket"> = 500;
export const TYPING_INTERVAL_MS: Limit<"typingIntervalMs"> = 3000;
export const PAGE_MAX_ITEMS: Limit<"pageMaxItems"> = 100;
export const MENTIONS_COUNTED: Limit<"mentionsCounted"> = 100;
export const MEMBER_CHANGES_LISTED: Limit<"memberChangesListed"> = 100;
export const MESSAGE_MAX_CHARS: Limit<"messageMaxChars"> = 10_000;
/** Of a channel that is opened. */
export const NEWEST_MESSAGES = 50;
export const OWN_PROTOCOL_VERSION: typeof PROTOCOL_VERSION = 1;

const EVENTS: ReadonlySet<string> = new Set<EventName>(EVENT_NAMES);

export function isEventName(name: string): name is EventName {
  return EVENTS.has(name);
}

const NO_FACTS: ClientFacts = {};
const MANIFEST: Partial<Record<ActionName, ClientFacts>> = ACTION_MANIFEST;

/** The contract's facts about an action. */
export function factsOf(name: ActionName): ClientFacts {
  return MANIFEST[name] ?? NO_FACTS;
}
