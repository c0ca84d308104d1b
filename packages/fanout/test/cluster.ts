import type { ServerOptions } from "socket.io";
import type { BusAdapter } from "../src/bus/bus-adapter.ts";
import {
  type BusAdapterOptions,
  connectNatsBus,
  type ConnectNatsBusOptions,
  createFanoutAdapter,
  type FanoutAdapterOptions,
  type NatsBus,
  type Reception,
} from "../src/index.ts";
import type { NatsServer } from "./nats.ts";
import { startServer, type TestServer } from "./support.ts";

export interface Gateway extends TestServer {
  readonly bus: NatsBus;
  readonly adapter: BusAdapter;
  /** Number of received bus messages for sockets by `Reception`. */
  readonly received: Record<Reception, number>;
}

export interface Cluster {
  readonly gateways: Gateway[];
  close: () => Promise<void>;
}

export type GatewayOptions = FanoutAdapterOptions &
  BusAdapterOptions & { connection?: Partial<ConnectNatsBusOptions> };

export async function startGateway(
  nats: NatsServer,
  { connection, ...options }: GatewayOptions = {},
  server: Partial<ServerOptions> = {},
): Promise<Gateway> {
  const bus = await connectNatsBus({ servers: nats.url, ...connection });
  const received = { members: 0, lingering: 0, elsewhere: 0, repeated: 0, stray: 0 };
  const adapter = createFanoutAdapter({
    bus,
    onReceived: (reception) => void received[reception]++,
    ...options,
  });
  const started = await startServer({ adapter, ...server });
  return {
    ...started,
    bus,
    received,
    get fanout() {
      return started.fanout;
    },
    get adapter() {
      return started.fanout as BusAdapter;
    },
    async close() {
      await started.close();
      await bus.close();
    },
  };
}

/** Starts `count` servers and waits until their subscriptions are active. */
export async function startCluster(
  nats: NatsServer,
  count: number,
  options: GatewayOptions = {},
  server: Partial<ServerOptions> = {},
): Promise<Cluster> {
  const gateways: Gateway[] = [];
  for (let i = 0; i < count; i++) gateways.push(await startGateway(nats, options, server));
  await settled(...gateways);
  return {
    gateways,
    async close() {
      for (const gateway of gateways) await gateway.close();
    },
  };
}

/** Waits until every gateway has received all earlier publications. */
export async function settled(...buses: { bus: NatsBus }[]): Promise<void> {
  for (let round = 0; round < 2; round++) for (const { bus } of buses) await bus.flush();
}
