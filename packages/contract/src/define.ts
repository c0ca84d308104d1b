import type { z } from "zod";
import type { ErrorCode } from "./errors.ts";
import type { LIMITS } from "./limits.ts";
import type { PermissionRule } from "./permissions.ts";

export type Transport = "socket" | "http";

/** At most `points` calls in `durationMs`. */
export interface RateLimit {
  points: number;
  durationMs: number;
}

/** Counted per user, or per address where nobody is logged in. */
export interface ActionRateLimit extends RateLimit {
  /** Counted per address too where somebody is logged in: for calls so dear that many users must not share them out. */
  perAddress?: boolean;
  /** Besides, at most so many calls with the same value of a parameter, whoever makes them; a string in any case. */
  perValueOf?: { param: string } & RateLimit;
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

export interface ActionDefinition<
  P extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
  Rule extends PermissionRule = PermissionRule,
> {
  summary: string;
  params: P;
  result: R;
  permission: Rule;
  /** What it may answer besides COMMON_ERRORS and the errors that its permission rule implies. */
  errors: readonly ErrorCode[];
  rateLimit: ActionRateLimit;
  /** Where it can be called from outside; empty for internal actions. */
  transports: readonly Transport[];
  subscription?: Subscription<z.output<P>, z.output<R>>;
}

const EVERYWHERE: readonly Transport[] = ["socket", "http"];
const DEFAULT_RATE_LIMIT: ActionRateLimit = { points: 100, durationMs: 10_000 };

type Defaults = "errors" | "rateLimit" | "transports";
type ActionInput<P extends z.ZodType, R extends z.ZodType, Rule extends PermissionRule> = Omit<
  ActionDefinition<P, R, Rule>,
  Defaults
> &
  Partial<Pick<ActionDefinition<P, R>, Defaults>>;

/** Defines one action. Defaults: no errors of its own, 100 calls in 10 s, by socket and HTTP. */
export function action<P extends z.ZodType, R extends z.ZodType, const Rule extends PermissionRule>(
  definition: ActionInput<P, R, Rule>,
): ActionDefinition<P, R, Rule> {
  return {
    errors: [],
    rateLimit: DEFAULT_RATE_LIMIT,
    transports: definition.permission.rule === "internal" ? [] : EVERYWHERE,
    ...definition,
  };
}

export interface EventDefinition<P extends z.ZodType = z.ZodType> {
  summary: string;
  /** Whose sockets get it. */
  audience: "self" | "group" | "channel" | "watchers" | "everybody";
  payload: P;
}

export function event<P extends z.ZodType>(definition: EventDefinition<P>): EventDefinition<P> {
  return definition;
}
