import { createHash, randomBytes } from "node:crypto";
import type { Claims, IdentityProvider } from "./identity-provider.ts";

/** The verifier that a page keeps, and the challenge it sends when it begins a login. */
export function newProof(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** Keeps cookies and follows redirects like a browser. */
export class Browser {
  readonly #publicUrl: string;
  readonly #url: string;
  readonly #cookies = new Map<string, Map<string, string>>();
  readonly visited: string[] = [];

  /** @param url where the instance with the public address `publicUrl` listens */
  constructor(publicUrl: string, url: string) {
    this.#publicUrl = publicUrl;
    this.#url = url;
  }

  /** Follows redirects until one leads to the page, and returns its URL. */
  async open(address: string): Promise<URL> {
    let next = new URL(address, this.#publicUrl);
    while (!(next.origin === this.#publicUrl && next.pathname === "/login")) {
      const response = await this.get(next);
      const location = response.headers.get("location");
      if (location === null) throw new Error(`${next.href} responded with ${response.status}.`);
      next = new URL(location, next);
    }
    this.visited.push(next.href);
    return next;
  }

  get(url: URL): Promise<Response> {
    return this.#request(url, {});
  }

  /** Opens an address, or submits a form to it, and follows redirects to a page of another server. */
  async follow(address: string, fields?: Record<string, string>): Promise<Response> {
    let url = new URL(address, this.#publicUrl);
    let response = await (fields === undefined ? this.get(url) : this.post(url, fields));
    for (let location; (location = response.headers.get("location")) !== null;) {
      url = new URL(location, url);
      response = await this.get(url);
    }
    return response;
  }

  /** Submits a form, from the page of any site. */
  post(url: URL, fields: Record<string, string>): Promise<Response> {
    return this.#request(url, { method: "POST", body: new URLSearchParams(fields) });
  }

  async #request(url: URL, init: RequestInit): Promise<Response> {
    this.visited.push(url.href);
    const cookies = this.cookiesOf(url.origin);
    const response = await fetch(url.href.replace(this.#publicUrl, this.#url), {
      ...init,
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  }

  cookiesOf(origin: string): Map<string, string> {
    const known = this.#cookies.get(origin);
    if (known !== undefined) return known;
    const cookies = new Map<string, string>();
    this.#cookies.set(origin, cookies);
    return cookies;
  }
}

export interface Login {
  oidcCode: string;
  verifier: string;
}

/** From the page to the provider and back. */
export async function signInAtProvider(
  provider: IdentityProvider,
  browser: Browser,
  person: Claims | null,
  more = "",
): Promise<Login> {
  provider.person = person;
  const { verifier, challenge } = newProof();
  const end = await browser.open(`/auth/oidc/start?challenge=${challenge}${more}`);
  const [, name, value = ""] = /^#(\w+)=(.*)$/.exec(end.hash) ?? [];
  if (name !== "oidcCode") throw new Error(end.hash);
  return { oidcCode: value, verifier };
}
