import { SpanKind, SpanStatusCode, type Span, type Tracer } from "@opentelemetry/api";
import { currentScope } from "../request-scope.ts";
import { linksOf, under } from "./span-parts.ts";
import type { CommandEvents, CommandStarted } from "./tracing.ts";

/** Commands under way that are traced; further ones are not. */
const MAX_OPEN = 10_000;

/**
 * A span for each command to the database that is part of a trace. Of the command it has name, collection and database; of a failure its
 * code. Nothing else of either is looked at, because the rest is what people have written.
 */
export function commandSpans(tracer: Tracer, events: CommandEvents): void {
  const open = new Map<number, Span>();
  const take = (requestId: number): Span | undefined => {
    const span = open.get(requestId);
    open.delete(requestId);
    return span;
  };
  events.on("commandStarted", (event) => {
    const scope = currentScope();
    if (scope?.span === undefined || open.size >= MAX_OPEN) return;
    const { requestId, commandName, databaseName, address } = event;
    const collection = collectionOf(event);
    const [, host = address, port] = /^(.*):(\d+)$/.exec(address) ?? [];
    const span = tracer.startSpan(
      collection === undefined ? commandName : `${commandName} ${collection}`,
      {
        kind: SpanKind.CLIENT,
        links: linksOf(scope),
        attributes: {
          "db.system.name": "mongodb",
          "db.namespace": databaseName,
          "db.operation.name": commandName,
          ...(collection !== undefined && { "db.collection.name": collection }),
          "server.address": host,
          ...(port !== undefined && { "server.port": Number(port) }),
        },
      },
      under(scope.span),
    );
    open.set(requestId, span);
  });
  events.on("commandSucceeded", ({ requestId }) => take(requestId)?.end());
  events.on("commandFailed", ({ requestId, failure }) => {
    const span = take(requestId);
    if (span === undefined) return;
    const { code, name = "Error" } = failure;
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.setAttribute("error.type", typeof code === "number" ? String(code) : name);
    if (typeof code === "number") span.setAttribute("db.response.status_code", String(code));
    span.end();
  });
}

/** The command's own value is its collection's name; only a cursor that goes on names it elsewhere. */
function collectionOf({ commandName, command }: CommandStarted): string | undefined {
  const named = commandName === "getMore" ? command["collection"] : command[commandName];
  return typeof named === "string" ? named : undefined;
}
