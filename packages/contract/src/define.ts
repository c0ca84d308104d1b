import { z } from "zod";
import type { ErrorCode } from "./errors.ts";
import type { LIMITS } from "./limits.ts";
import type { PermissionRule } from "./permissions.ts";
import type { BotScope } from "./scopes.ts";

export type Transport = "socket" | "http";

/** At most `points` calls in `durationMs`. */
export interface RateLimit {
  points: number;
  durationMs: number;
  /** RATE_LIMIT_FACTOR does not apply: it bounds guesses, and not load. */
  unscaled?: true;
}

/** Counted per value of a parameter. */
export interface LimitPerValue extends RateLimit {
  param: string;
  /** Of `points`, at most so many from one address. */
  pointsPerAddress?: number;
  /** A device on which the value has logged in before is counted by itself, with `pointsPerAddress`: others cannot use up its limit. */
  exceptKnownDevices?: true;
  /** A call that succeeds is not counted. */
  onlyFailures?: true;
}

/** Counted per user, or per address where nobody is logged in. */
export interface ActionRateLimit extends RateLimit {
  /** Counted per address too where somebody is logged in: for calls so dear that many users must not share them out. */
  perAddress?: boolean;
  /** Besides, at most so many calls with the same value of a parameter, whoever makes them; a string in any case. */
  perValueOf?: LimitPerValue;
  /**
   * Counted over all gateways before the call is let through, as `perValueOf` always is. Elsewhere a gateway decides at once, and
   * hears of what others have counted a moment later.
   */
  exact?: boolean;
}

/**
 * What an action does to the rooms of the socket that calls it. By HTTP it does nothing. Written as methods, so that the
 * definition of one action can stand for that of any.
 */
export type Subscription<P, R> =
  | {
      /** The rooms that the answer lets the socket into. */
      join(result: R): string[];
      /** What bounds how many such rooms a socket is in. */
      limit: keyof typeof LIMITS;
      /** The socket leaves the rooms after this long, unless the call is repeated. */
      lifetimeMs: number;
    }
  | {
      /** The rooms that the socket leaves once the call has succeeded. */
      leave(params: P): string[];
    };

/** What the entry of an action in a group's audit log is about; `targetId` is the id of one. */
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
  /** Whether it changes what is stored or what others see. What mutates is refused during maintenance. */
  mutates: boolean;
  /** The scope that a bot's token needs; `any`: every bot can call it; null: no bot can. Not checked for public actions. */
  botScope: BotScope | "any" | null;
  /** A query that reads or answers hundreds of documents: few of them run at a time. */
  isHeavy?: true;
  /** What it may answer besides COMMON_ERRORS and the errors that its permission rule implies. */
  errors: readonly ErrorCode[];
  rateLimit: ActionRateLimit;
  /** Where it can be called from outside; empty for internal actions. */
  transports: readonly Transport[];
  subscription?: Subscription<z.output<P>, z.output<R>>;
  /** Works during maintenance although it mutates: admins have to sign in, and everyone can sign out. */
  worksInMaintenance?: true;
  /** Works for a session that has to set up a second factor first. Public actions always do. */
  worksWithoutSecondFactor?: true;
  /** Its calls with the same value of this parameter go to one worker, whose queue stores them in larger batches. */
  shardBy?: "channelId";
  /** Its result is the tokens of a new session. */
  startsSession?: true;
  /** The session of the caller ends. With `startsSession`, the new session replaces it. */
  endsSession?: true;
  /** It stores a new message; the metrics count these. */
  createsMessage?: true;
  /** It is recorded in the group's audit log, about one of these. */
  audited?: AuditTarget;
  /** Every gateway answers it itself, instead of a service. */
  answeredByGateway?: true;
  /** It is called for every deleted user, and repeated until it succeeds. */
  forgetsUser?: true;
  /** It answers one part of what `user.exportMyData` answers, page by page. */
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
 * An action that only reads. Defaults of this and the others: no params, an empty result, not for bots, no errors of its own, 100 calls
 * in 10 s, by socket and HTTP.
 */
export const query = <
  P extends z.ZodType = Nothing,
  R extends z.ZodType = Nothing,
  const Rule extends External = External,
>(
  definition: Options<P, R, Rule>,
): ActionDefinition<P, R, Rule> => define(false, definition);

/** An action that changes what is stored or what others see. */
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
  /** Whose sockets get it. */
  audience: "self" | "group" | "channel" | "watchers" | "everybody";
  payload: P;
}

export const event = <S extends z.ZodRawShape>(
  audience: EventDefinition["audience"],
  summary: string,
  payload: S,
): EventDefinition<z.ZodObject<S>> => ({ audience, summary, payload: z.object(payload) });
