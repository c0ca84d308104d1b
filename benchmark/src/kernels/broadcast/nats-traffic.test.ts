import { expect, test } from "vitest";
import { trafficOf } from "./server-metrics.ts";

const connection = (counts: Record<string, number>) => ({
  subscriptions_list_detail: Object.entries(counts).map(([subject, msgs]) => ({ subject, msgs })),
});

test("messages to rooms are recognized by the subscription's subject", () => {
  const traffic = trafficOf([
    connection({ "fanfare.room.group:1": 5, "fanfare.all": 1, "fanfare.servers": 3 }),
    connection({ "fanfare.room.user:2": 0, "fanfare.servers": 3 }),
    connection({
      "MOL.REQ.worker-1": 7,
      "MOL.RES.worker-1": 2,
      "MOL.HEARTBEAT": 40,
      "MOL.EVENT.worker-1": 1,
    }),
    {},
  ]);
  expect(traffic).toEqual({ rooms: 6, perGateway: [0, 6] });
});
