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

function recordedAs(dependencies: AdminDependencies, action: string, handler: AnyHandler): AnyHandler {
  return async (request) => {
    const { actor, params, client } = request;
    if (actor === null) throw new Error(`${action} needs an actor.`);
    const entry = { actorId: actor.userId, address: client?.address ?? null, action, params };
    return record(dependencies, entry, async () => handler(request));
  };
}

/**
 * A change that can't be recorded is not made.
 * @param describe returns parameters of the entry that are only known from the result
 */
export async function record<T>(
  { audit, node }: AdminDependencies,
  entry: Pick<AuditDocument, "actorId" | "address" | "action" | "params">,
  change: () => Promise<T>,
  describe: (result: T) => Record<string, unknown> = () => ({}),
): Promise<T> {
  const entryId = await audit.insert({ ...entry, outcome: "begun", createdAt: new Date() });
  /** The change is already made, so a failure to record its outcome is only logged. */
  const close = async (outcome: string, more: Record<string, unknown> = {}): Promise<void> => {
    await audit
      .setOutcome(entryId, outcome, more)
      .catch((error: unknown) =>
        node.logger.warn({ err: error, action: entry.action }, "audit outcome not stored"),
      );
  };
  try {
    const result = await change();
    await close("done", describe(result));
    return result;
  } catch (error) {
    await close(toServiceError(error).type);
    throw error;
  }
}

export const auditActions = (dependencies: AdminDependencies): Handlers => ({
  "admin.followProvider": async ({ params, client, services }) => {
    const { userId, admin } = params;
    const entry = { actorId: userId, address: client?.address ?? null, action: "admin.setAdmin", params };
    await record(dependencies, entry, () => services.user.setAdmin({ userId, admin }));
    return {};
  },

  "admin.auditLog": async ({ params: { limit, ...filter }, actor }) => {
    const found = await dependencies.audit.listPage(filter, limit);
    return {
      entries: found.filter((entry) => !isHiddenFrom(actor.userId, entry)).map(presentEntry),
      nextId: found.length === limit ? (found.at(-1)?._id ?? null) : null,
    };
  },
});

/** An admin must not learn of a legal hold on themselves, or of an export of their messages. */
function isHiddenFrom(userId: string, { action, params }: AuditDocument): boolean {
  const isHold = action === "admin.startHold" || action === "admin.endHold";
  if (!isHold && action !== "admin.startMessageExport") return false;
  return (params as { userId?: string }).userId === userId;
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
