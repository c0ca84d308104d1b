import type { Maintenance } from "@fanfare/contract";
import type { Handler } from "@fanfare/kernel";
import type { AdminDependencies } from "../admin.dependencies.ts";

/** Stored first: a gateway that starts at this moment reads it, and one that runs is told. */
export function setMaintenance(dependencies: AdminDependencies): Handler<"admin.setMaintenance"> {
  return async ({ params: { enabled, message = "" } }) => {
    const maintenance: Maintenance = { enabled, message: enabled ? message : "" };
    await dependencies.maintenance.write(maintenance);
    dependencies.node.broadcast("maintenance.changed", maintenance);
    return { maintenance };
  };
}

export function getMaintenance({ maintenance }: AdminDependencies): Handler<"admin.getMaintenance"> {
  return () => maintenance.read();
}
