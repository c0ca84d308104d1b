import { Events, type NatsConnection } from "nats";
import { Counter, Gauge, type Registry } from "prom-client";

const TRAFFIC = [
  { name: "fanfare_nats_received_bytes_total", help: "Bytes that came over NATS.", of: "inBytes" },
  { name: "fanfare_nats_sent_bytes_total", help: "Bytes that went over NATS.", of: "outBytes" },
  { name: "fanfare_nats_received_messages_total", help: "Messages that came over NATS.", of: "inMsgs" },
  { name: "fanfare_nats_sent_messages_total", help: "Messages that went over NATS.", of: "outMsgs" },
] as const;

export function watchNats(registry: Registry, connection: NatsConnection): void {
  const registers = [registry];
  const connected = new Gauge({
    name: "fanfare_nats_connected",
    help: "1 while there is a connection to NATS.",
    registers,
  });
  connected.set(1);
  const reconnects = new Counter({
    name: "fanfare_nats_reconnects_total",
    help: "Times that the connection to NATS was made anew.",
    registers,
  });
  for (const { name, help, of } of TRAFFIC) {
    const counter = new Counter({
      name,
      help,
      registers,
      collect() {
        counter.reset();
        counter.inc(connection.stats()[of]);
      },
    });
  }
  void (async () => {
    for await (const { type } of connection.status()) {
      if (type === Events.Disconnect) connected.set(0);
      if (type === Events.Reconnect) {
        connected.set(1);
        reconnects.inc();
      }
    }
    connected.set(0);
  })();
}
