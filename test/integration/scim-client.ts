/** Requests of an identity provider, in the shapes that Entra ID and Okta document. */
export class ScimClient {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(`${this.#url}/scim/v2${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body !== undefined && { "content-type": "application/scim+json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = text === "" ? null : JSON.parse(text);
    return { status: response.status, headers: response.headers, json };
  }

  get = (path: string) => this.send("GET", path);
  find = (filter: string) => this.get(`/Users?filter=${encodeURIComponent(filter)}&startIndex=1&count=100`);

  patch = (id: string, ...operations: object[]) => this.#patch(`/Users/${id}`, operations);
  patchGroup = (id: string, ...operations: object[]) => this.#patch(`/Groups/${id}`, operations);

  #patch = (path: string, operations: readonly object[]) =>
    this.send("PATCH", path, {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
      Operations: operations,
    });

  /** @throws {Error} if it isn't created */
  create = (resource: object): Promise<any> => this.#create("/Users", resource);
  createGroup = (resource: object): Promise<any> => this.#create("/Groups", resource);

  async #create(path: string, resource: object): Promise<any> {
    const { status, json } = await this.send("POST", path, resource);
    if (status !== 201) throw new Error(JSON.stringify(json));
    return json;
  }
}

let people = 0;

/** As Entra ID creates a user, with `externalId` from the object id. */
export function entraUser(more: object = {}) {
  const name = `entra${(people += 1)}`;
  return {
    schemas: [
      "urn:ietf:params:scim:schemas:core:2.0:User",
      "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
    ],
    externalId: `0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef-${name}`,
    userName: `${name}@contoso.example`,
    active: true,
    displayName: `Ryan ${name}`,
    emails: [{ primary: true, type: "work", value: `${name}@contoso.example` }],
    meta: { resourceType: "User" },
    name: { formatted: "Ryan Leenay", familyName: "Leenay", givenName: "Ryan" },
    roles: [],
    "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { department: "Sales" },
    ...more,
  };
}

/** As Okta creates a user. */
export function oktaUser(more: object = {}) {
  const name = `okta${(people += 1)}`;
  return {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
    userName: `${name}@example.com`,
    name: { givenName: "Test", familyName: `User ${name}` },
    emails: [{ primary: true, value: `${name}@example.com`, type: "work" }],
    displayName: `Test User ${name}`,
    locale: "en-US",
    externalId: `00u${name}`,
    groups: [],
    password: "1mz050nq",
    active: true,
    ...more,
  };
}

/** As Entra ID creates a group, always without members. */
export function entraGroup(displayName: string, more: object = {}) {
  return {
    schemas: [
      "urn:ietf:params:scim:schemas:core:2.0:Group",
      "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group",
    ],
    externalId: `8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159-${displayName}`,
    displayName,
    meta: { resourceType: "Group" },
    ...more,
  };
}

/** As Okta creates a group. */
export function oktaGroup(displayName: string, members: { value: string; display: string }[] = []) {
  return { schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"], displayName, members };
}
