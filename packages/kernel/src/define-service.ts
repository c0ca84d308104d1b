import {
  type ActionDefinition,
  type ActionName,
  ACTIONS,
  ACTIONS_BY_PREFIX,
  type Actor,
  type Call,
  type CallClient,
  type CallMeta,
  type DomainEventName,
  type DomainEvents,
  type ParsedParams,
  type Result,
  type RuleOf,
  type Services,
} from "@fanfare/contract";
import type { Context, ServiceSchema } from "moleculer";
import { type Access, checkAccess, checkActor, checkBotScope, type Place } from "./access.ts";
import { serviceError, toServiceError } from "./errors.ts";
import type { NodeContext } from "./node-context.ts";
import { assertNotExceeded, currentScope, deadlineOf, runForRequest } from "./request-scope.ts";

type ActorOf<N extends ActionName> = RuleOf<N> extends "public" | "internal" ? Actor | null : Actor;
type AccessOf<N extends ActionName> = RuleOf<N> extends "group" | "channel" ? Access : undefined;

/** Context of a handler. The permission rule is already checked. */
export interface Request<N extends ActionName> {
  params: ParsedParams<N>;
  actor: ActorOf<N>;
  /** The caller's permissions in the group or channel of the action. */
  access: AccessOf<N>;
  /** Calls other actions for the same actor. */
  services: Services;
  requestId: string;
  /**
   * Time of the call in milliseconds since the epoch, on the gateway's clock. Later decisions about the caller, such as a kick, take
   * precedence, because the call may have waited for a suspended process.
   */
  askedAtMs: number;
  /** null if the call did not arrive by HTTP. */
  client: CallClient | null;
}

export type Handler<N extends ActionName> = (request: Request<N>) => Promise<Result<N>> | Result<N>;
/** Handlers of some actions, by the action's name. */
export type Handlers = { [N in ActionName]?: Handler<N> };

interface ServiceDefinition {
  name: string;
  actions: Handlers;
  events?: { [N in DomainEventName]?: (payload: DomainEvents[N]) => Promise<void> | void };
  started?: () => Promise<void>;
  stopped?: () => Promise<void>;
}

type AnyRequest = Record<keyof Request<ActionName>, unknown>;

/**
 * Creates a Moleculer service from handlers. Every call is first validated against the contract and checked against the action's
 * permission rule.
 * @throws {Error} if an action is not in the contract or has no valid permission rule
 */
export function defineService(
  node: NodeContext,
  service: ServiceDefinition,
  definitions: Record<string, ActionDefinition> = ACTIONS,
): ServiceSchema {
  const actions: ServiceSchema["actions"] = {};
  for (const [name, handler] of Object.entries(service.actions)) {
    const definition = definitions[name];
    assertUsable(name, definition);
    actions[name] = {
      handler: guarded(node, name, definition, handler as (request: AnyRequest) => unknown),
      ...(definition.shardBy !== undefined && { strategyOptions: { shardBy: definition.shardBy } }),
    };
  }
  const events: ServiceSchema["events"] = {};
  for (const [name, handler] of Object.entries(service.events ?? {})) {
    events[name] = { handler: guardedEvent(node, name, handler as (payload: unknown) => unknown) };
  }
  return {
    name: service.name,
    settings: { $noServiceNamePrefix: true },
    actions,
    events,
    ...(service.started === undefined ? {} : { started: service.started }),
    ...(service.stopped === undefined ? {} : { stopped: service.stopped }),
  };
}

/** Logs failures of event handlers, which have no caller to report them to. */
function guardedEvent(node: NodeContext, name: string, handler: (payload: unknown) => unknown) {
  const handle = async (params: unknown): Promise<void> => {
    try {
      await handler(params);
    } catch (error) {
      node.logger.error({ err: error, event: name }, "event handler failed");
    }
  };
  return ({ params, meta }: Context<unknown, Partial<CallMeta>>): Promise<void> =>
    runForRequest(meta.requestId ?? "server", name, handle, params);
}

function assertUsable(
  name: string,
  definition: ActionDefinition | undefined,
): asserts definition is ActionDefinition {
  if (definition === undefined) throw new Error(`The action ${name} is not in the contract.`);
  const rule: { rule?: unknown } | undefined = definition.permission;
  const known = ["public", "session", "account", "group", "channel", "admin", "internal"];
  if (typeof rule?.rule !== "string" || !known.includes(rule.rule)) {
    throw new Error(`The action ${name} has no permission rule. Add one to the contract.`);
  }
  const idName = rule.rule === "group" ? "groupId" : rule.rule === "channel" ? "channelId" : undefined;
  const shape = (definition.params as { shape?: Record<string, unknown> }).shape ?? {};
  if (idName !== undefined && !(idName in shape)) {
    throw new Error(`The action ${name} has the rule '${rule.rule}', so its params need a ${idName}.`);
  }
}

function guarded(
  node: NodeContext,
  name: string,
  definition: ActionDefinition,
  handler: (request: AnyRequest) => unknown,
) {
  const { params: schema, permission } = definition;
  const handle = async (context: Context<unknown, CallMeta>): Promise<unknown> => {
    try {
      // The call may have waited for a suspended process or in a connection's queue.
      assertNotExceeded(currentScope()?.deadline);
      const { requestId, askedAtMs = Date.now() } = context.meta;
      // Can be missing over the bus: the rules reject calls without an actor.
      const actor = context.meta.actor ?? null;
      // Calls made by a service on behalf of a bot need no scope.
      const refusal =
        checkActor(permission, actor) ?? (context.level > 1 ? null : checkBotScope(definition, actor));
      if (refusal !== null) throw refusal;
      const params = parse(schema, context.params);
      let access: Access | undefined;
      if (actor !== null && (permission.rule === "group" || permission.rule === "channel")) {
        const place = placeOf(permission.rule, params as Record<"groupId" | "channelId", string>);
        access = node.access.peek(actor.userId, place) ?? (await node.access.get(actor.userId, place));
        const refused = checkAccess(permission, access, Date.now());
        if (refused !== null) throw refused;
      }
      const services = createServices((other, otherParams) => context.call(other, otherParams));
      const client = context.meta.client ?? null;
      return await handler({ params, actor, access, services, requestId, askedAtMs, client });
    } catch (thrown) {
      const error = toServiceError(thrown);
      if (error.type === "INTERNAL") node.logger.error({ err: error.cause, action: name }, "action failed");
      throw error;
    }
  };
  return (context: Context<unknown, CallMeta>): Promise<unknown> => {
    const { requestId, deadlineMs } = context.meta;
    const deadline =
      deadlineMs === undefined ? undefined : deadlineOf(deadlineMs, context.nodeID !== context.broker.nodeID);
    return runForRequest(requestId, name, handle, context, deadline);
  };
}

/** Only the id of the rule: other params, such as another user's id, must not reach the lookup. */
function placeOf(rule: "group" | "channel", ids: { groupId: string; channelId: string }): Place {
  return rule === "group" ? { groupId: ids.groupId } : { channelId: ids.channelId };
}

/** @throws {ServiceError} VALIDATION_FAILED with the issues */
export function parse(schema: ActionDefinition["params"], params: unknown): unknown {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues
    .slice(0, 10)
    .map(({ path, message }) => ({ path: path.join("."), message }));
  throw serviceError("VALIDATION_FAILED", { issues });
}

type Names = Readonly<Record<string, ActionName>>;

const names = new Map<PropertyKey, Names>(
  Object.entries(ACTIONS_BY_PREFIX).map(([prefix, actions]) => {
    const entries = Object.keys(actions).map((action) => [action, `${prefix}.${action}`]);
    return [prefix, Object.assign(Object.create(null), Object.fromEntries(entries)) as Names];
  }),
);

/** The actions of the contract as methods that go through `call`. Methods can be detached. */
export function createServices(call: Call): Services {
  return new Proxy({} as Services, { get: (_, prefix) => methodsOf(names.get(prefix), call) });
}

function methodsOf(actions: Names | undefined, call: Call) {
  return (
    actions &&
    new Proxy(actions, {
      get(_, action) {
        const name = actions[action as string];
        return name && ((params: never) => call(name, params));
      },
    })
  );
}

/** Converts `services` back to a `Call`, for actions whose name is known only at run time. */
export function callOf(services: Services): Call {
  return (name, params) => {
    const [prefix, action] = name.split(".") as [string, string];
    const methods = services as unknown as Record<string, Record<string, (params: unknown) => never>>;
    return methods[prefix]![action]!(params);
  };
}
