import type { IncomingHttpHeaders } from "node:http";
import { Answer, type FakeRequest } from "./serve-fake.ts";

export interface RoutedRequest extends FakeRequest {
  /** The caller. */
  by: string;
  /** The variable parts of the path. */
  parts: string[];
}

/** Handlers by method and path, such as `PUT /rooms/:room`. */
export type Routes = Record<string, (request: RoutedRequest) => object | Promise<object>>;

/**
 * @param userOf the caller of a route; throws an Answer if it is denied
 * @returns `calls` has each accepted call: the caller, the route, and the names of its parameters in the query
 *   and the body
 */
export function routed(routes: Routes, userOf: (route: string, headers: IncomingHttpHeaders) => string) {
  const all = Object.entries(routes).map(([route, handle]) => {
    const pattern = new RegExp(`^${route.replaceAll(/:\w+/g, "([^/]+)")}$`);
    return { route, pattern, handle };
  });
  const calls: string[] = [];
  const answer = async (request: FakeRequest): Promise<Answer> => {
    const found = all.find(({ pattern }) => pattern.test(request.route));
    if (!found) throw new Answer(404, { error: `no such route: ${request.route}` });
    const { route, pattern, handle } = found;
    const by = userOf(route, request.headers);
    calls.push([`${by}:`, route, ...request.query.keys(), ...Object.keys(request.body)].join(" "));
    const parts = pattern.exec(request.route)!.slice(1).map(decodeURIComponent);
    return new Answer(200, await handle({ ...request, by, parts }));
  };
  return { calls, answer };
}
