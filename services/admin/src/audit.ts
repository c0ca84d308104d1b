import { actionDefinition, type ActionName, type AdminAuditEntry } from "@fanfare/contract";
import { type Handlers, type Handler, toServiceError } from "@fanfare/kernel";
import type { AdminDependencies } from "./admin.dependencies.ts";
import type { AuditDocument } from "./audit.repository.ts";

/** Records every change by an admin in the audit log: before it is made, and its outcome afterwards. */
export function audited(dependencies: AdminDependencies, handlers: Handlers): Handlers {
  const changes = Object.entries(handlers).filter(([name]) => {
    const { mutates, transports } = actionDefinition(name as ActionName);
    return mutates && transports.length > 0;
  });
  const recorded = changes.map(([name, handler]) => [
    name,
    recordedAs(dependencies, name, handler as AnyHandler),
  ]);
  return { ...handlers, ...(Object.fromEntries(recorded) as Handlers) };
}

type AnyHandler = Handler<ActionName>;

/** An action that can't be recorded is not carried out. */
function recordedAs({ audit, node }: AdminDependencies, action: string, handler: AnyHandler): AnyHandler {
  return async (request) => {
    const { actor, params, client } = request;
    if (actor === null) throw new Error(`${action} needs an actor.`);
    const entryId = await audit.insert({
      actorId: actor.userId,
      address: client?.address ?? null,
      action,
      params,
      outcome: "begun",
      createdAt: new Date(),
    });
    /** The action is already done, so a failure to record its outcome is only logged. */
    const close = async (outcome: string): Promise<void> => {
      await audit
        .setOutcome(entryId, outcome)
        .catch((error: unknown) => node.logger.warn({ err: error, action }, "audit outcome not stored"));
    };
    try {
      const result = await handler(request);
      await close("done");
      return result;
    } catch (error) {
      await close(toServiceError(error).type);
      throw error;
    }
  };
}

export const auditActions = ({ audit }: AdminDependencies): Handlers => ({
  "admin.auditLog": async ({ params: { limit, ...filter } }) => {
    const found = await audit.listPage(filter, limit);
    return {
      entries: found.map(presentEntry),
      nextId: found.length === limit ? (found.at(-1)?._id ?? null) : null,
    };
  },
});

function presentEntry(entry: AuditDocument): AdminAuditEntry {
  return {
    id: entry._id,
    actorId: entry.actorId,
    address: entry.address,
    action: entry.action,
    params: entry.params,
    outcome: entry.outcome,
    createdAt: entry.createdAt.toISOString(),
  };
}
