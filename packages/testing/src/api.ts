import type { ActionName, Params, Result, WireAnswer } from "@fanfare/contract";

/** One call by HTTP, answered as it came: for tests that are about refusals. */
export async function post<N extends ActionName>(
  url: string,
  name: N,
  params: Params<N>,
  accessToken?: string,
): Promise<WireAnswer<Result<N>>> {
  return postRaw(url, name, JSON.stringify(params), accessToken) as Promise<WireAnswer<Result<N>>>;
}

/** One call with any name and body, for tests of bad input. */
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
 * One call by HTTP that is expected to succeed.
 * @throws {Error} with the answer when it does not
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
