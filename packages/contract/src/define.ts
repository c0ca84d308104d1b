import { z } from "zod";
import type { BotScope } from "./entities.ts";
import type { ErrorCode } from "./errors.ts";
import type { LIMITS } from "./limits.ts";
import type { PermissionRule } from "./permissions.ts";

export type Transport = "socket" | "http";

/** At most `points` calls in `durationMs`. */
export interface RateLimit {
  points: number;
  durationMs: number;
  /** RATE_LIMIT_FACTOR does not apply: this limits guesses, not load. */
  unscaled?: true;
}

/** Counted per value of a parameter. */
export interface LimitPerValue extends RateLimit {
  param: string;
  /** At most this many of `points` from one address. */
  pointsPerAddress?: number;
  /** A device that has logged in with the value before has its own limit of `pointsPerAddress`, so that others can't lock it out. */
  exceptKnownDevices?: true;
  /** A call that succeeds is not counted. */
  onlyFailures?: true;
}

/** Counted per user, or per address without a login. */
export interface ActionRateLimit extends RateLimit {
  /** Logged-in users are also counted per address: for calls so expensive that many users of one address must share a limit. */
  perAddress?: boolean;
  /** Also limits calls with the same value of a string parameter, across all callers. */
  perValueOf?: LimitPerValue;
  /**
   * Counted across all gateways before the call proceeds, as `perValueOf` always is. Otherwise a gateway decides immediately, and
   * receives the counts of other gateways a moment later.
   */
  exact?: boolean;
}

/**
 * How an action changes the rooms of the calling socket; ignored for HTTP. Declared as methods, so that the
 * definition of one action is assignable to that of any action.
 */
export type Subscription<P, R> =
  | {
      /** The rooms that the socket joins after the call. */
      join(result: R): string[];
      /** The limit on the number of these rooms per socket. */
      limit: keyof typeof LIMITS;
      /** The socket leaves the rooms after this time unless the call is repeated. */
      lifetimeMs: number;
    }
  | {
      /** The rooms that the socket leaves once the call has succeeded. */
      leave(params: P): string[];
    };

/** The target type of an audit log entry of a group; `targetId` is its id. */
export type AuditTarget = "bot" | "channel" | "group" | "invite" | "message" | "role" | "user" | "webhook";

export interface ActionDefinition<
  P extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
  Rule extends PermissionRule = PermissionRule,
> {
  summary: string;
  params: P;
  result: R;
  permission: Rule;
  /** Whether it changes stored data or what others see. Mutations are rejected during maintenance. */
  mutates: boolean;
  /** The scope that a bot's token needs; `any`: every bot can call it; null: no bot can. Not checked for public actions. */
  botScope: BotScope | "any" | null;
  /** A query that reads or returns hundreds of documents: only a few run at a time. */
  isHeavy?: true;
  /** Errors besides COMMON_ERRORS and those of its permission rule. */
  errors: readonly ErrorCode[];
  rateLimit: ActionRateLimit;
  /** The transports for clients; empty for internal actions. */
  transports: readonly Transport[];
  subscription?: Subscription<z.output<P>, z.output<R>>;
  /** Works during maintenance although it mutates: admins have to sign in, and everyone can sign out. */
  worksInMaintenance?: true;
  /** Works for a session that has to set up a second factor first. Public actions always do. */
  worksWithoutSecondFactor?: true;
  /** Calls with the same value of this parameter go to one worker, whose queue stores them in larger batches. */
  shardBy?: "channelId";
  /** Its result is the tokens of a new session. */
  startsSession?: true;
  /** The session of the caller ends. With `startsSession`, the new session replaces it. */
  endsSession?: true;
  /** It waits for a program elsewhere, so its duration is no sign of overload. */
  waitsForBot?: true;
  /** It stores a new message; the metrics count these. */
  createsMessage?: true;
  /** It is recorded in the group's audit log, with this target type. */
  audited?: AuditTarget;
  /** Handled by the gateway itself instead of a service. */
  answeredByGateway?: true;
  /** Called for every deleted user, and retried until it succeeds. */
  forgetsUser?: true;
  /** Returns a part of `user.exportMyData`, page by page. */
  exportsUser?: true;
}

const EVERYWHERE: readonly Transport[] = ["socket", "http"];
const DEFAULT_RATE_LIMIT: ActionRateLimit = { points: 100, durationMs: 10_000 };

export const perMinute = (points: number): RateLimit => ({ points, durationMs: 60_000 });

const nothing = z.object({});
type Nothing = typeof nothing;
type Internal = { rule: "internal" };
type External = Exclude<PermissionRule, Internal>;

type Options<P extends z.ZodType, R extends z.ZodType, Rule extends PermissionRule> = Pick<
  ActionDefinition<P, R, Rule>,
  "permission" | "summary"
> &
  Partial<Omit<ActionDefinition<P, R, Rule>, "mutates">>;

function define<P extends z.ZodType, R extends z.ZodType, Rule extends PermissionRule>(
  mutates: boolean,
  definition: Options<P, R, Rule>,
): ActionDefinition<P, R, Rule> {
  const { rule } = definition.permission;
  return {
    params: nothing as z.ZodType as P,
    result: nothing as z.ZodType as R,
    mutates,
    botScope: rule === "public" ? "any" : null,
    errors: [],
    rateLimit: DEFAULT_RATE_LIMIT,
    transports: rule === "internal" ? [] : EVERYWHERE,
    ...definition,
  };
}

/**
 * A read-only action. Defaults of all three functions: no params, an empty result, not for bots, no additional errors, 100 calls
 * in 10 s, by socket and HTTP.
 */
export const query = <
  P extends z.ZodType = Nothing,
  R extends z.ZodType = Nothing,
  const Rule extends External = External,
>(
  definition: Options<P, R, Rule>,
): ActionDefinition<P, R, Rule> => define(false, definition);

/** An action that changes stored data or what others see. */
export const mutation = <
  P extends z.ZodType = Nothing,
  R extends z.ZodType = Nothing,
  const Rule extends External = External,
>(
  definition: Omit<Options<P, R, Rule>, "isHeavy">,
): ActionDefinition<P, R, Rule> => define<P, R, Rule>(true, definition);

/** An action that only services call. */
export const internal = <P extends z.ZodType = Nothing, R extends z.ZodType = Nothing>(
  definition: Omit<Options<P, R, Internal>, "permission">,
): ActionDefinition<P, R, Internal> =>
  define<P, R, Internal>(true, { ...definition, permission: { rule: "internal" } });

export interface EventDefinition<P extends z.ZodType = z.ZodType> {
  summary: string;
  /** The sockets that receive it. */
  audience: "self" | "group" | "channel" | "moderators" | "watchers" | "everyone";
  payload: P;
}

export const event = <S extends z.ZodRawShape>(
  audience: EventDefinition["audience"],
  summary: string,
  payload: S,
): EventDefinition<z.ZodObject<S>> => ({ audience, summary, payload: z.object(payload) });
