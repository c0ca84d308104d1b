/** Messages that nats-server has delivered to the processes so far. */
export interface NatsTraffic {
  /** Publications to rooms, one per receiving gateway. */
  rooms: number;
  /** Publications received by each gateway, ascending. */
  perGateway: number[];
}

interface Connection {
  subscriptions_list_detail?: { subject: string; msgs?: number }[];
}

const FETCH_TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 1024;
/** The subjects of packages/fanout. */
const FANOUT = /^fanfare\./;
const ROOM = /^fanfare\.(?:room\.|all$)/;

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
  const traffic: NatsTraffic = { rooms: 0, perGateway: [] };
  for (const { subscriptions_list_detail: subscriptions = [] } of connections) {
    const ofRooms = subscriptions.filter(({ subject }) => ROOM.test(subject));
    const rooms = ofRooms.reduce((sum, { msgs = 0 }) => sum + msgs, 0);
    traffic.rooms += rooms;
    if (subscriptions.some(({ subject }) => FANOUT.test(subject))) traffic.perGateway.push(rooms);
  }
  traffic.perGateway.sort((a, b) => a - b);
  return traffic;
}
