import type { Arrivals } from "./load-tally.ts";
import type { ArrivalReport } from "./receive-messages.ts";

export function encodeArrivals({ deliveries, lastDeliveries, lastAtMs }: Arrivals): ArrivalReport {
  return { deliveries: deliveries.encode(), lastDeliveries: lastDeliveries.encode(), lastAtMs };
}
