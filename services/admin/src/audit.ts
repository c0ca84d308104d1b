import type { ActionName, AdminAuditEntry } from "@fanfare/contract";
import { type Handler, toServiceError } from "@fanfare/kernel";
import type { AdminDependencies } from "./admin.dependencies.ts";
import type { AuditDocument } from "./audit.repository.ts";

/**
 * Writes down who does what before it is done, and afterwards how it went: what cannot be written down is not done.
 */
export function audited<N extends ActionName>(
  { audit, node }: AdminDependencies,
  action: N,
  handler: Handler<N>,
): Handler<N> {
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
    /** It is done already: that the log says "begun" is no reason to say that it was not. */
    const close = async (outcome: string): Promise<void> => {
      await audit
        .setOutcome(entryId, outcome)
        .catch((error: unknown) =>
          node.logger.warn({ err: error, action }, "an outcome was not written down"),
        );
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

export function auditLog({ audit }: AdminDependencies): Handler<"admin.auditLog"> {
  return async ({ params: { limit, ...filter } }) => {
    const found = await audit.listPage(filter, limit);
    return {
      entries: found.map(presentEntry),
      nextId: found.length === limit ? (found.at(-1)?._id ?? null) : null,
    };
  };
}

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
