import type { FastifyRequest } from "fastify";

/** The value of a cookie of the request. */
export function cookieOf({ headers }: FastifyRequest, name: string): string | undefined {
  const pairs = (headers.cookie ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
