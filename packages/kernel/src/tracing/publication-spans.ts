import { SpanKind, type Attributes, type Tracer } from "@opentelemetry/api";
import { currentScope } from "../request-scope.ts";
import { fromTraceparent, linksOf, traceparentOf, under } from "./span-parts.ts";
import type { Tracing, TracingParts } from "./tracing.ts";

/** Spans of what is published to sockets: one where it is published, and one at each gateway that writes it to some. */
export function publicationSpans(
  tracer: Tracer,
  bus: TracingParts["bus"],
): Pick<Tracing, "publication" | "traceOf" | "delivered"> {
  const system = { "messaging.system.name": bus === "nats" ? "nats" : "fanfare" };
  /** What goes along with the publication under way. The event with it: a gateway has no need to read what it hands on. */
  let current: string | undefined;
  return {
    traceOf: () => current,
    publication(event, rooms, publish) {
      const scope = currentScope();
      if (scope?.span === undefined) {
        publish();
        return;
      }
      const attributes: Attributes = {
        ...system,
        "messaging.operation.name": "publish",
        "messaging.operation.type": "send",
        "messaging.destination.template": templateOf(rooms),
      };
      const options = { kind: SpanKind.PRODUCER, attributes, links: linksOf(scope) };
      const span = tracer.startSpan(`publish ${event}`, options, under(scope.span));
      current = `${traceparentOf(span)} ${event}`;
      try {
        publish();
      } finally {
        current = undefined;
        span.end();
      }
    },
    delivered({ traces, sockets, bytes, durationMs }) {
      if (sockets === 0) return;
      const endedMs = performance.timeOrigin + performance.now();
      for (const one of traces) {
        const [traceparent, event = ""] = one.split(" ", 2);
        const parent = fromTraceparent(traceparent);
        if (parent === undefined) continue;
        const attributes: Attributes = {
          ...system,
          "messaging.operation.name": "deliver",
          "messaging.operation.type": "process",
          "messaging.batch.message_count": traces.length,
          "fanfare.fanout.sockets": sockets,
          "fanfare.fanout.bytes": bytes,
        };
        const options = { kind: SpanKind.CONSUMER, attributes, startTime: endedMs - durationMs };
        tracer.startSpan(`deliver ${event}`, options, parent).end(endedMs);
      }
    },
  };
}

/** `channel:{id}`: which kind of room it was, and not whose. */
function templateOf(rooms: string | readonly string[]): string {
  const kinds = new Set([rooms].flat().map((room) => room.split(":", 1)[0]));
  return [...kinds].map((kind) => `${kind}:{id}`).join(" ");
}
