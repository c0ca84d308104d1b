import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto, in JSON. */
interface WireSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  links?: { traceId: string; spanId: string }[];
  status: { code?: number; message?: string };
}

interface WireRequest {
  resourceSpans: {
    resource: { attributes: WireSpan["attributes"] };
    scopeSpans: { spans: WireSpan[] }[];
  }[];
}

export interface Span extends Omit<WireSpan, "attributes" | "kind"> {
  kind: string;
  attributes: Record<string, unknown>;
  /** The process, or thread, that sent it. */
  instance: string;
  service: string;
}

const KINDS = ["", "internal", "server", "client", "producer", "consumer"];

export interface Collector {
  url: string;
  spans: Span[];
  /** The raw bodies received. */
  bytes: string[];
  headers: Record<string, unknown>[];
  /** Resolves with the spans of the first trace that satisfies `isWanted`. */
  trace(isWanted: (spans: readonly Span[]) => boolean): Promise<Span[]>;
  close(): Promise<void>;
}

/** A minimal collector: takes traces by OTLP/HTTP, in JSON, and keeps them. */
export async function startCollector(): Promise<Collector> {
  const spans: Span[] = [];
  const bytes: string[] = [];
  const headers: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const isTraces = request.method === "POST" && request.url === "/v1/traces";
      const body = Buffer.concat(parts).toString();
      bytes.push(body);
      headers.push(request.headers);
      if (isTraces) spans.push(...spansOf(JSON.parse(body) as WireRequest));
      response.writeHead(isTraces ? 200 : 404, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bytes,
    headers,
    async trace(isWanted) {
      for (;;) {
        for (const of of Map.groupBy(spans, ({ traceId }) => traceId).values()) if (isWanted(of)) return of;
        await delay(100);
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function spansOf({ resourceSpans }: WireRequest): Span[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const about = valuesOf(resource.attributes);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        kind: KINDS[span.kind]!,
        attributes: valuesOf(span.attributes),
        instance: String(about["service.instance.id"]),
        service: String(about["service.name"]),
      })),
    );
  });
}

function valuesOf(attributes: WireSpan["attributes"]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
