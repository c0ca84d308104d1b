import type { FastifyRequest } from "fastify";
import type { Caller } from "./calls.ts";
import { clientAddress, type TrustedProxies } from "./client-address.ts";
import type { Identify } from "./identify.ts";

/** The token of a request; undefined where it has none, or where what it has is none. */
export function bearerToken({ headers }: FastifyRequest): string | undefined {
  return /^bearer (\S+)$/i.exec(headers.authorization ?? "")?.[1];
}

/**
 * Who makes a request, and from where.
 * @param identify null: it does not matter who
 * @throws {ServiceError} when its token is not, or no longer, good
 */
export async function callerOf(
  request: FastifyRequest,
  identify: Identify | null,
  { trustProxy }: { trustProxy: TrustedProxies },
): Promise<Caller> {
  const { authorization, "user-agent": userAgent = null } = request.headers;
  const isNamed = identify !== null && authorization !== undefined;
  const actor = isNamed ? await identify(bearerToken(request)) : null;
  return { actor, address: clientAddress(request.raw, trustProxy), userAgent, requestId: request.id };
}
