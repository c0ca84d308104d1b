/** Messages that nats-server has delivered to the processes so far, by kind. */
export interface NatsTraffic {
  /** Publications to rooms, one per receiving gateway. */
  rooms: number;
  /** Requests to services and their answers. */
  calls: number;
  /** Heartbeats, events between services and the like. */
  other: number;
  /** Publications received by each gateway, ascending. */
  perGateway: number[];
}

interface Connection {
  subscriptions_list_detail?: { subject: string; msgs?: number }[];
}

const FETCH_TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 1024;
/** The subjects of packages/fanout, and those of Moleculer's requests and responses. */
const FANOUT = /^fanfare\./;
const ROOM = /^fanfare\.(?:room\.|all$)/;
const CALL = /^MOL[^.]*\.(?:REQ|RES)B?\./;

/**
 * Reads nats-server's own count for each subscription, `/connz` of its monitoring port. Source: docs.nats.io,
 * "Monitoring", Connection Information.
 * @returns null if it doesn't answer
 */
export async function readNatsTraffic(monitorUrl: string): Promise<NatsTraffic | null> {
  try {
    const url = new URL(`/connz?subs=detail&limit=${MAX_CONNECTIONS}`, monitorUrl);
    const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
    const { connections = [] } = (await response.json()) as { connections?: Connection[] };
    return trafficOf(connections);
  } catch {
    return null;
  }
}

export function trafficOf(connections: readonly Connection[]): NatsTraffic {
  const traffic: NatsTraffic = { rooms: 0, calls: 0, other: 0, perGateway: [] };
  for (const { subscriptions_list_detail: subscriptions = [] } of connections) {
    let rooms = 0;
    for (const { subject, msgs = 0 } of subscriptions) {
      if (ROOM.test(subject)) rooms += msgs;
      else if (CALL.test(subject)) traffic.calls += msgs;
      else traffic.other += msgs;
    }
    traffic.rooms += rooms;
    if (subscriptions.some(({ subject }) => FANOUT.test(subject))) traffic.perGateway.push(rooms);
  }
  traffic.perGateway.sort((a, b) => a - b);
  return traffic;
}
