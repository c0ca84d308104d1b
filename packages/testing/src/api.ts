import type { ActionName, Params, Result, WireAnswer } from "@fanfare/contract";

/** Calls an action by HTTP and returns the response as is, for tests of errors. */
export async function post<N extends ActionName>(
  url: string,
  name: N,
  params: Params<N>,
  accessToken?: string,
): Promise<WireAnswer<Result<N>>> {
  return postRaw(url, name, JSON.stringify(params), accessToken) as Promise<WireAnswer<Result<N>>>;
}

/** Calls with any name and body, for tests of invalid input. */
export async function postRaw(
  url: string,
  name: string,
  body: string,
  accessToken?: string,
): Promise<WireAnswer<unknown>> {
  const response = await fetch(`${url}/api/${name}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` }),
    },
    body,
  });
  return (await response.json()) as WireAnswer<unknown>;
}

/**
 * Calls an action by HTTP and returns its result.
 * @throws {Error} with the response if it isn't successful
 */
export async function must<N extends ActionName>(
  url: string,
  name: N,
  params: Params<N>,
  accessToken?: string,
): Promise<Result<N>> {
  const answer = await post(url, name, params, accessToken);
  if (!answer.ok) throw new Error(`${name} failed: ${JSON.stringify(answer.error)}`);
  return answer.data;
}
