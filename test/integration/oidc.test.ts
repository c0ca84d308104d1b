import type { ErrorCode, InstancePolicy, SessionTokens } from "@fanfare/contract";
import { createAccount, freePort, must, post, type Person } from "@fanfare/testing";
import { failed } from "../support/answers.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startIdentityProvider, type Claims, type IdentityProvider } from "./identity-provider.ts";
import { Browser, newProof, signInAtProvider, type Login } from "./oidc-browser.ts";
import { startMailbox, type Mailbox } from "./mailbox.ts";

// OpenID Connect logins from the page to a real provider and back.

const PUBLIC_URL = "https://chat.example.org";
const PASSWORD = "correct horse";

let provider: IdentityProvider;
let mailbox: Mailbox;
let instance: Instance;
let admin: Person;
beforeAll(async () => {
  provider = await startIdentityProvider(`${PUBLIC_URL}/auth/oidc/callback`);
  mailbox = await startMailbox();
  instance = await startInstance({ ...provider.env, ...mailbox.env, PUBLIC_URL });
  admin = await createAccount(instance.url);
});
afterAll(async () => {
  await instance?.stop();
  await mailbox?.stop();
  await provider?.stop();
});

let people = 0;
const newPerson = (claims: Partial<Claims> = {}): Claims => {
  const name = `oidc${(people += 1)}`;
  return {
    sub: `subject-${name}`,
    preferred_username: name,
    email: `${name}@example.org`,
    email_verified: true,
    ...claims,
  };
};

const newBrowser = () => new Browser(PUBLIC_URL, instance.url);
const signIn = (person: Claims | null, browser = newBrowser()): Promise<Login> =>
  signInAtProvider(provider, browser, person);
const exchange = (login: Login, code?: string) =>
  post(instance.url, "user.exchangeOidcCode", { ...login, code });
const logIn = async (person: Claims) => must(instance.url, "user.exchangeOidcCode", await signIn(person));

/** Runs `work` under a policy, then reopens the instance. */
async function withPolicy(
  policy: Partial<InstancePolicy>,
  work: () => Promise<void>,
  accessToken = admin.accessToken,
): Promise<void> {
  await must(instance.url, "admin.setPolicy", policy, accessToken);
  try {
    await work();
  } finally {
    const open: Partial<InstancePolicy> = { registration: "open", mailDomains: [], oidcOnly: false };
    await must(instance.url, "admin.setPolicy", open, accessToken);
  }
}

async function register(email: string, isVerified: boolean) {
  people += 1;
  const username = `local${people}`;
  const tokens = await must(instance.url, "user.register", { username, password: PASSWORD, email });
  const { token } = await mailbox.next(email, /Verify/);
  if (isVerified) await must(instance.url, "user.verifyEmail", { token });
  return { ...tokens, username };
}

describe("instance policy", () => {
  test("with closed registration, only identities with an account can log in", async () => {
    const known = newPerson();
    await logIn(known);
    await withPolicy({ registration: "closed" }, async () => {
      expect(await exchange(await signIn(newPerson()))).toEqual(failed("REGISTRATION_CLOSED"));
      expect(await exchange(await signIn(known))).toMatchObject({ ok: true });
    });
  });

  test("with registration by invite, a first login needs an invite and joins its group", async () => {
    const { group } = await must(instance.url, "group.create", { name: "A group" }, admin.accessToken);
    const { invite } = await must(instance.url, "invite.create", { groupId: group.id }, admin.accessToken);
    await withPolicy({ registration: "invite" }, async () => {
      const person = newPerson();
      expect(await exchange(await signIn(person))).toEqual(failed("INVITE_REQUIRED"));
      const login = { ...(await signIn(person)), inviteCode: invite.code };
      const { accessToken } = await must(instance.url, "user.exchangeOidcCode", login);
      const { groups } = await must(instance.url, "group.listMine", {}, accessToken);
      expect(groups.map(({ id }) => id)).toEqual([group.id]);
      expect(await exchange(await signIn(person))).toMatchObject({ ok: true });
    });
  });

  test("a rejected login leaves another account's unverified address alone", async () => {
    const person = newPerson();
    const claimant = await register(person.email!, false);
    const refuse = async (policy: Partial<InstancePolicy>, error: ErrorCode) =>
      withPolicy(policy, async () => {
        expect(await exchange(await signIn(person))).toEqual(failed(error));
      });
    await refuse({ registration: "closed" }, "REGISTRATION_CLOSED");
    await refuse({ mailDomains: ["example.com"] }, "EMAIL_DOMAIN_NOT_ALLOWED");
    const { user } = await must(instance.url, "user.me", {}, claimant.accessToken);
    expect(user).toMatchObject({ email: person.email, emailVerified: false });
  });

  test("with email domains, a new account needs a verified address in one of them", async () => {
    await withPolicy({ mailDomains: ["example.org"] }, async () => {
      for (const claims of [{ email: "me@example.com" }, { email_verified: false }])
        expect(await exchange(await signIn(newPerson(claims)))).toEqual(failed("EMAIL_DOMAIN_NOT_ALLOWED"));
      expect(await exchange(await signIn(newPerson()))).toMatchObject({ ok: true });
    });
  });

  test("a required second factor exempts single sign-on sessions, but not the account's other sessions", async () => {
    const person = newPerson();
    const account = await register(person.email!, true);
    const oidcAdmin = await logIn(newPerson());
    await must(instance.url, "admin.setAdmin", { userId: oidcAdmin.user.id, admin: true }, admin.accessToken);
    const { accessToken } = await must(instance.url, "user.refresh", {
      refreshToken: oidcAdmin.refreshToken,
    });
    const policy = { requireSecondFactor: "accounts" } as const;
    await must(instance.url, "admin.setPolicy", policy, accessToken);
    try {
      const linked = await logIn(person);
      expect(linked.user.id).toBe(account.user.id);
      await must(instance.url, "group.listMine", {}, linked.accessToken);
      expect(await post(instance.url, "group.listMine", {}, account.accessToken)).toEqual(
        failed("SECOND_FACTOR_REQUIRED"),
      );
    } finally {
      await must(instance.url, "admin.setPolicy", { requireSecondFactor: "off" }, accessToken);
    }
  });

  test("single sign-on only: rejects every password, right or wrong", async () => {
    const account = await register(`person${(people += 1)}@example.org`, true);
    const oidcAdmin = await logIn(newPerson());
    await must(instance.url, "admin.setAdmin", { userId: oidcAdmin.user.id, admin: true }, admin.accessToken);
    // An admin without a linked login would lock themselves out.
    expect(await post(instance.url, "admin.setPolicy", { oidcOnly: true }, admin.accessToken)).toEqual(
      failed("VALIDATION_FAILED"),
    );
    const { accessToken } = await must(instance.url, "user.refresh", {
      refreshToken: oidcAdmin.refreshToken,
    });
    await withPolicy(
      { oidcOnly: true },
      async () => {
        for (const password of [PASSWORD, "wrong password"])
          expect(await post(instance.url, "user.login", { username: account.username, password })).toEqual(
            failed("OIDC_REQUIRED"),
          );
        const credentials = { username: "newcomer", password: PASSWORD };
        expect(await post(instance.url, "user.register", credentials)).toEqual(failed("OIDC_REQUIRED"));
        expect(await (await fetch(`${instance.url}/api/meta`)).json()).toMatchObject({
          oidcLogin: true,
          passwordLogin: false,
        });
        expect(await exchange(await signIn(newPerson()))).toMatchObject({ ok: true });
      },
      accessToken,
    );
  });
});

describe("a login", () => {
  test("creates an account the first time, and finds it again by issuer and subject", async () => {
    const person = newPerson({ name: "Ann Lee" });
    const first = await logIn(person);
    expect(first.user).toMatchObject({
      username: person.preferred_username,
      nickname: "Ann Lee",
      email: person.email,
      emailVerified: true,
      oidcLinked: true,
      hasPassword: false,
    });
    const moved = { ...person, email: "elsewhere@example.org", preferred_username: "another" };
    const second = await logIn(moved);
    expect(second.user).toEqual(first.user);
    expect(second.sessionId).not.toBe(first.sessionId);
    expect((await post(instance.url, "user.me", {}, second.accessToken)).ok).toBe(true);
  });

  test("needs no address, ignores an unverified one, and picks another name if one is taken", async () => {
    const person = newPerson();
    await logIn(person);
    const other = await logIn({ sub: "no-address", preferred_username: person.preferred_username! });
    expect(other.user.email).toBeNull();
    expect(other.user.username).toMatch(new RegExp(`^${person.preferred_username}\\d{5}$`));
    const unverified = await logIn(newPerson({ email_verified: false }));
    expect(unverified.user.email).toBeNull();
  });

  test("in two windows at once creates one account", async () => {
    const person = newPerson();
    const logins = [await signIn(person), await signIn(person), await signIn(person)];
    const answers = await Promise.all(logins.map((login) => exchange(login)));
    const ids = answers.map((answer) => (answer.ok ? answer.data.user.id : answer.error.type));
    expect(new Set(ids).size).toBe(1);
  });

  test("puts no token into a URL, and keeps its state in an HttpOnly cookie", async () => {
    const browser = newBrowser();
    const login = await signIn(newPerson(), browser);
    const tokens = await must(instance.url, "user.exchangeOidcCode", login);
    const addresses = browser.visited.join("\n");
    for (const secret of [tokens.accessToken, tokens.refreshToken, login.verifier])
      expect(addresses).not.toContain(secret);
    expect(browser.visited.find((url) => url.includes(login.oidcCode))).toMatch(/\/login#oidcCode=/);
    // The cookie is removed with the login.
    expect(browser.cookiesOf(PUBLIC_URL).size).toBe(0);
    const url = new URL(`/auth/oidc/start?challenge=${newProof().challenge}`, PUBLIC_URL);
    const { headers } = await browser.get(url);
    expect(headers.getSetCookie()[0]).toMatch(
      /^fanfare_oidc=[\w.-]+; Max-Age=600; Path=\/auth\/oidc; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(headers.get("cache-control")).toBe("no-store");
    const sent = new URL(headers.get("location")!);
    expect(sent.searchParams.get("code_challenge_method")).toBe("S256");
    for (const name of ["state", "nonce", "code_challenge"]) expect(sent.searchParams.get(name)).toBeTruthy();
  });
});

describe("the code of a completed login", () => {
  test("works once, and only for the page that started the login", async () => {
    const login = await signIn(newPerson());
    expect(await exchange({ ...login, verifier: newProof().verifier })).toEqual(failed("OIDC_FAILED"));
    const answers = await Promise.all([exchange(login), exchange(login), exchange(login)]);
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await exchange(login)).toEqual(failed("OIDC_FAILED"));
  });

  test("can't be guessed", async () => {
    expect(await exchange({ oidcCode: "made-up", verifier: "made-up" })).toEqual(failed("OIDC_FAILED"));
  });
});

describe("a callback rejects", () => {
  const openCallback = async (browser: Browser, query: string) =>
    (await browser.open(`/auth/oidc/callback?${query}`)).hash;
  /** Begins a login and returns where the provider redirects the browser to. */
  const beginLogin = async (browser: Browser): Promise<URL> => {
    provider.person = newPerson();
    let next = new URL(`/auth/oidc/start?challenge=${newProof().challenge}`, PUBLIC_URL);
    while (next.pathname !== "/auth/oidc/callback")
      next = new URL((await browser.get(next)).headers.get("location")!, next);
    return next;
  };

  test("an empty or made-up response", async () => {
    const browser = newBrowser();
    expect(await openCallback(browser, "")).toBe("#oidcError=OIDC_FAILED");
    browser.cookiesOf(PUBLIC_URL).set("fanfare_oidc", "e30.e30.e30");
    expect(await openCallback(browser, "code=x&state=y")).toBe("#oidcError=OIDC_FAILED");
    expect((await browser.open("/auth/oidc/start?challenge=short")).hash).toBe("#oidcError=OIDC_FAILED");
  });

  test("an attacker's response in a victim's browser, with and without the victim's own login", async () => {
    const stolen = await beginLogin(newBrowser());
    const victim = newBrowser();
    expect(await openCallback(victim, stolen.searchParams.toString())).toBe("#oidcError=OIDC_FAILED");
    await beginLogin(victim);
    expect(await openCallback(victim, stolen.searchParams.toString())).toBe("#oidcError=OIDC_FAILED");
  });

  test("the same response a second time", async () => {
    const browser = newBrowser();
    const back = await beginLogin(browser);
    const flow = browser.cookiesOf(PUBLIC_URL).get("fanfare_oidc")!;
    expect(await openCallback(browser, back.searchParams.toString())).toMatch(/^#oidcCode=/);
    browser.cookiesOf(PUBLIC_URL).set("fanfare_oidc", flow);
    expect(await openCallback(browser, back.searchParams.toString())).toBe("#oidcError=OIDC_FAILED");
  });

  test("a user who denies access at the provider", async () => {
    await expect(signIn(null)).rejects.toThrow("#oidcError=OIDC_FAILED");
  });
});

describe("existing accounts", () => {
  test("are matched by address only if both sides have verified it", async () => {
    const person = newPerson();
    const local = await register(person.email!, true);
    const { user } = await logIn(person);
    expect(user).toMatchObject({ id: local.user.id, oidcLinked: true, hasPassword: true });
  });

  test("lose an unverified address to its owner", async () => {
    const person = newPerson();
    const squatter = await register(person.email!, false);
    const { user } = await logIn(person);
    expect(user).toMatchObject({ email: person.email, emailVerified: true });
    expect(user.id).not.toBe(squatter.user.id);
    const left = await must(instance.url, "user.me", {}, squatter.accessToken);
    expect(left.user).toMatchObject({ email: null, oidcLinked: false });
  });

  test("are not matched by an address that the provider hasn't verified", async () => {
    const person = newPerson({ email_verified: false });
    const local = await register(person.email!, true);
    const { user } = await logIn(person);
    expect(user.id).not.toBe(local.user.id);
    expect(user.email).toBeNull();
  });

  test("are linked with the password, to one account only, and unlinked with it", async () => {
    const person = newPerson({ email_verified: false });
    const local = await register(`own-${person.email}`, false);
    const link = async (password: string, token: string) =>
      post(instance.url, "user.linkOidc", { ...(await signIn(person)), password }, token);
    expect(await link("wrong horse", local.accessToken)).toEqual(failed("WRONG_CREDENTIALS"));
    const linked = await link(PASSWORD, local.accessToken);
    expect(linked).toMatchObject({ ok: true, data: { user: { oidcLinked: true } } });
    expect((await logIn(person)).user.id).toBe(local.user.id);
    const other = await register(`other-${person.email}`, false);
    expect(await link(PASSWORD, other.accessToken)).toEqual(failed("OIDC_LINKED"));
    const unlink = (password: string) =>
      post(instance.url, "user.unlinkOidc", { password }, local.accessToken);
    expect(await unlink("wrong horse")).toEqual(failed("WRONG_CREDENTIALS"));
    expect(await unlink(PASSWORD)).toMatchObject({ ok: true, data: { user: { oidcLinked: false } } });
    expect((await logIn(person)).user.id).not.toBe(local.user.id);
  });

  test("without a password are deleted only after a new login by their owner", async () => {
    const [person, stranger] = [newPerson(), newPerson()];
    const { user, accessToken } = await logIn(person);
    await logIn(stranger);
    const freshLogin = (who: Claims) => signInAtProvider(provider, newBrowser(), who, "&fresh=1");
    const deleteWith = (proof: object) => post(instance.url, "user.deleteMe", proof, accessToken);
    expect(await deleteWith({})).toEqual(failed("WRONG_CREDENTIALS"));
    expect(await deleteWith({ password: PASSWORD })).toEqual(failed("WRONG_CREDENTIALS"));
    expect(await deleteWith(await freshLogin(stranger))).toEqual(failed("OIDC_FAILED"));
    expect((await must(instance.url, "user.me", {}, accessToken)).user.id).toBe(user.id);
    expect(await deleteWith(await freshLogin(person))).toMatchObject({ ok: true });
    expect(await post(instance.url, "user.me", {}, accessToken)).toEqual(failed("SESSION_REVOKED"));
    expect((await logIn(person)).user.id).not.toBe(user.id);
  });

  test.each(["user.disableTotp", "user.deleteMe"] as const)(
    "without a password can correct a code of theirs with the same login: %s",
    async (action) => {
      const person = newPerson();
      const { accessToken } = await logIn(person);
      const freshLogin = () => signInAtProvider(provider, newBrowser(), person, "&fresh=1");
      const { secret } = await must(instance.url, "user.setupTotp", await freshLogin(), accessToken);
      const code = new TOTP({ secret }).generate();
      const { recoveryCodes } = await must(instance.url, "user.enableTotp", { code }, accessToken);
      const proof = await freshLogin();
      const tryWith = (code: string) => post(instance.url, action, { ...proof, code }, accessToken);
      expect(await tryWith("000000")).toEqual(failed("WRONG_CODE"));
      // A code isn't used up without a login.
      const unproven = { oidcCode: "made-up", verifier: "made-up", code: recoveryCodes[0]! };
      expect(await post(instance.url, action, unproven, accessToken)).toEqual(failed("OIDC_FAILED"));
      expect(await tryWith(recoveryCodes[0]!)).toMatchObject({ ok: true });
    },
  );

  test("with a second factor are asked for a code here too before the login completes", async () => {
    const person = newPerson();
    const { accessToken } = await register(person.email!, true);
    const { secret } = await must(instance.url, "user.setupTotp", { password: PASSWORD }, accessToken);
    const { recoveryCodes } = await must(
      instance.url,
      "user.enableTotp",
      { code: new TOTP({ secret }).generate() },
      accessToken,
    );
    const login = await signIn(person);
    expect(await exchange(login)).toEqual(failed("TOTP_REQUIRED"));
    expect(await exchange(login, "000000")).toEqual(failed("WRONG_CODE"));
    expect((await exchange(login, recoveryCodes[0])).ok).toBe(true);
    expect(await exchange(login, recoveryCodes[1])).toEqual(failed("OIDC_FAILED"));
  });
});

describe("several providers", () => {
  let other: IdentityProvider;
  let several: Instance;
  beforeAll(async () => {
    other = await startIdentityProvider(`${PUBLIC_URL}/auth/oidc/callback/other`);
    const settings = [{ id: "other", name: "Other Inc.", ...other.settings }];
    several = await startInstance({
      ...provider.env,
      ...mailbox.env,
      OIDC_NAME: "Example",
      OIDC_PROVIDERS: JSON.stringify(settings),
      PUBLIC_URL,
    });
  });
  afterAll(async () => {
    await several?.stop();
    await other?.stop();
  });

  const newWindow = () => new Browser(PUBLIC_URL, several.url);
  const signInAt = (id: "default" | "other", person: Claims, more = "") =>
    signInAtProvider(id === "other" ? other : provider, newWindow(), person, `&provider=${id}${more}`);
  const exchangeHere = (login: Login) => post(several.url, "user.exchangeOidcCode", login);
  const logInAt = async (id: "default" | "other", person: Claims) =>
    must(several.url, "user.exchangeOidcCode", await signInAt(id, person));

  test("are listed with their names", async () => {
    const meta: unknown = await (await fetch(`${several.url}/api/meta`)).json();
    expect(meta).toMatchObject({
      oidcLogin: true,
      oidcProviders: [
        { id: "default", name: "Example" },
        { id: "other", name: "Other Inc." },
      ],
    });
  });

  test("have separate accounts for the same subject", async () => {
    const { sub } = newPerson();
    const first = await logInAt("default", { sub });
    const second = await logInAt("other", { sub });
    expect(second.user.id).not.toBe(first.user.id);
    expect([first.user.oidcProviders, second.user.oidcProviders]).toEqual([["default"], ["other"]]);
    for (const [id, { user }] of [["default", first] as const, ["other", second] as const])
      expect((await logInAt(id, { sub })).user.id).toBe(user.id);
  });

  test("share an account only if both have verified its address", async () => {
    const person = newPerson();
    const { user } = await logInAt("default", person);
    const stranger = await logInAt("other", { ...person, email_verified: false });
    expect(stranger.user.id).not.toBe(user.id);
    const owner = { ...person, sub: `${person.sub}-other` };
    const logins = await Promise.all([signInAt("other", owner), signInAt("other", owner)]);
    for (const login of logins) {
      const same = await must(several.url, "user.exchangeOidcCode", login);
      expect(same.user).toMatchObject({ id: user.id, oidcProviders: ["default", "other"] });
    }
    await mailbox.next(person.email!, /login was connected/);
    // Another subject with the same address.
    const third = await signInAt("other", { ...person, sub: `${person.sub}-third` });
    expect(await exchangeHere(third)).toEqual(failed("EMAIL_TAKEN"));
  });

  test("are linked and unlinked one by one, and one account at a time", async () => {
    const credentials = { username: `several${(people += 1)}`, password: PASSWORD };
    const { user, accessToken } = await must(several.url, "user.register", credentials);
    const [one, two] = [{ sub: "one" }, { sub: "two" }];
    const link = async (id: "default" | "other", person: Claims, token = accessToken) =>
      post(several.url, "user.linkOidc", { ...(await signInAt(id, person)), password: PASSWORD }, token);
    await link("default", one);
    await link("other", { sub: "replaced" });
    expect(await link("other", two)).toMatchObject({
      data: { user: { oidcProviders: ["default", "other"] } },
    });
    expect((await logInAt("default", one)).user.id).toBe(user.id);
    expect((await logInAt("other", two)).user.id).toBe(user.id);
    expect((await logInAt("other", { sub: "replaced" })).user.id).not.toBe(user.id);
    const credentialsElsewhere = { username: `several${(people += 1)}`, password: PASSWORD };
    const stranger = await must(several.url, "user.register", credentialsElsewhere);
    expect(await link("other", two, stranger.accessToken)).toEqual(failed("OIDC_LINKED"));
    const unlink = (provider?: string) =>
      must(several.url, "user.unlinkOidc", { password: PASSWORD, provider }, accessToken);
    expect((await unlink("default")).user.oidcProviders).toEqual(["other"]);
    expect((await unlink("made-up")).user.oidcProviders).toEqual(["other"]);
    expect((await unlink()).user).toMatchObject({ oidcLinked: false, oidcProviders: [] });
    expect((await logInAt("other", two)).user.id).not.toBe(user.id);
  });

  test("confirm an account without a password, each that is linked", async () => {
    const person = newPerson();
    const { accessToken } = await logInAt("other", person);
    const setUp = async (id: "default" | "other") =>
      post(several.url, "user.setupTotp", await signInAt(id, person, "&fresh=1"), accessToken);
    expect(await setUp("default")).toEqual(failed("OIDC_FAILED"));
    expect(await setUp("other")).toMatchObject({ ok: true });
  });

  test("don't take each other's answers", async () => {
    const window = newWindow();
    other.person = newPerson();
    let next = new URL(`/auth/oidc/start?provider=other&challenge=${newProof().challenge}`, PUBLIC_URL);
    while (next.pathname !== "/auth/oidc/callback/other")
      next = new URL((await window.get(next)).headers.get("location")!, next);
    const elsewhere = await window.open(`/auth/oidc/callback${next.search}`);
    expect(elsewhere.hash).toBe("#oidcError=OIDC_FAILED");
    for (const id of ["made-up", "constructor", ""]) {
      const start = `/auth/oidc/start?provider=${id}&challenge=${newProof().challenge}`;
      expect((await newWindow().open(start)).hash).toBe("#oidcError=OIDC_FAILED");
    }
  });
});

test("a provider that gets another id keeps its accounts", async () => {
  const callback = `${PUBLIC_URL}/auth/oidc/callback`;
  const moving = await startIdentityProvider(callback, `${callback}/moved`);
  const [PORT, OPS_PORT] = [String(await freePort()), String(await freePort())];
  const env: Record<string, string> = { ...moving.env, PUBLIC_URL, PORT, OPS_PORT };
  const own = await startInstance(env);
  const person = newPerson();
  const signInAt = (id: string) =>
    signInAtProvider(moving, new Browser(PUBLIC_URL, own.url), person, `&provider=${id}`);
  const before = await must(own.url, "user.exchangeOidcCode", await signInAt("default"));
  const credentials = { username: "stranger", password: PASSWORD };
  const stranger = await must(own.url, "user.register", credentials);
  for (const name of Object.keys(moving.env)) env[name] = "";
  env["OIDC_PROVIDERS"] = JSON.stringify([{ id: "moved", name: "Moved", ...moving.settings }]);
  await own.restart();
  // The login belongs to an account, although under another id.
  const link = { ...(await signInAt("moved")), password: PASSWORD };
  expect(await post(own.url, "user.linkOidc", link, stranger.accessToken)).toEqual(failed("OIDC_LINKED"));
  const restrict = (accessToken: string) => post(own.url, "admin.setPolicy", { oidcOnly: true }, accessToken);
  expect(await restrict(before.accessToken)).toEqual(failed("VALIDATION_FAILED"));
  const after = await must(own.url, "user.exchangeOidcCode", await signInAt("moved"));
  expect(after.user).toMatchObject({ id: before.user.id, oidcProviders: ["moved"] });
  expect(await restrict(after.accessToken)).toMatchObject({ ok: true });
  await own.stop();
  await moving.stop();
});

describe("groups of admins", () => {
  let grouped: Instance;
  const credentials = { username: "local-admin", password: PASSWORD };
  let local: SessionTokens;
  beforeAll(async () => {
    grouped = await startInstance({
      ...provider.env,
      OIDC_ADMIN_GROUPS: "staff, chat-admins",
      OIDC_SCOPES: "openid email profile groups",
      PUBLIC_URL,
      LOG_LEVEL: "silent",
    });
    // The first account of a development server is an admin.
    local = await must(grouped.url, "user.register", credentials);
  });
  afterAll(() => grouped?.stop());

  const logInHere = async (person: Claims) => {
    const login = await signInAtProvider(provider, new Browser(PUBLIC_URL, grouped.url), person);
    return must(grouped.url, "user.exchangeOidcCode", login);
  };
  const isAdmin = async (person: Claims) => (await logInHere(person)).user.admin;

  test("make their members admins, and no longer after they leave", async () => {
    const person = newPerson({ groups: ["everyone"] });
    expect(await isAdmin(person)).toBe(false);
    const joined = await logInHere({ ...person, groups: ["everyone", "chat-admins"] });
    expect(joined.user.admin).toBe(true);
    await must(grouped.url, "admin.stats", {}, joined.accessToken);
    const left = await logInHere({ ...person, groups: ["everyone"] });
    expect(left.user.admin).toBe(false);
    expect(await post(grouped.url, "admin.stats", {}, left.accessToken)).toEqual(failed("FORBIDDEN"));
    expect(await post(grouped.url, "admin.stats", {}, joined.accessToken)).toEqual(failed("SESSION_REVOKED"));
    const userId = left.user.id;
    const { entries } = await must(grouped.url, "admin.auditLog", { actorId: userId }, local.accessToken);
    expect(entries).toMatchObject(
      [false, true].map((admin) => ({
        action: "admin.setAdmin",
        params: { userId, admin, provider: "default" },
        address: "127.0.0.1",
        outcome: "done",
      })),
    );
  });

  test("include new accounts, and those that an admin has chosen are left out", async () => {
    expect(await isAdmin(newPerson({ groups: ["staff"] }))).toBe(true);
    const person = newPerson();
    const { user } = await logInHere(person);
    await must(grouped.url, "admin.setAdmin", { userId: user.id, admin: true }, local.accessToken);
    expect(await isAdmin(person)).toBe(false);
  });

  test("are read from a list of names or a single one, anything else grants nothing", async () => {
    const person = newPerson();
    expect(await isAdmin({ ...person, groups: "staff" })).toBe(true);
    for (const groups of [
      undefined,
      null,
      [],
      "staff,chat-admins",
      7,
      { staff: true },
      [["staff"]],
      ["STAFF"],
    ])
      expect([groups, await isAdmin({ ...person, groups })]).toEqual([groups, false]);
    expect(await isAdmin({ ...person, groups: [7, "staff"] })).toBe(true);
    expect(await isAdmin({ ...person, groups: [] })).toBe(false);
  });

  test("change nothing when the provider has them elsewhere because there are many", async () => {
    const person = newPerson({ groups: ["staff"] });
    expect(await isAdmin(person)).toBe(true);
    const elsewhere = {
      ...person,
      groups: undefined,
      _claim_names: { groups: "source" },
      _claim_sources: { source: { endpoint: "https://login.example.org/groups" } },
    };
    expect(await isAdmin(elsewhere)).toBe(true);
    expect(await isAdmin({ ...person, groups: [] })).toBe(false);
    expect(await isAdmin(elsewhere)).toBe(false);
  });

  test("don't take the role away from the last admin, and leave password logins alone", async () => {
    const person = newPerson({ groups: ["staff"] });
    const last = await logInHere(person);
    await must(grouped.url, "admin.setAdmin", { userId: local.user.id, admin: false }, last.accessToken);
    const { users } = await must(grouped.url, "admin.listUsers", {}, last.accessToken);
    for (const { id, admin: isOther } of users)
      if (isOther && id !== last.user.id)
        await must(grouped.url, "admin.setAdmin", { userId: id, admin: false }, last.accessToken);
    const kept = await logInHere({ ...person, groups: [] });
    expect(kept.user.admin).toBe(true);
    const own = { actorId: kept.user.id };
    const { entries } = await must(grouped.url, "admin.auditLog", own, kept.accessToken);
    expect(entries[0]).toMatchObject({ action: "admin.setAdmin", outcome: "LAST_ADMIN" });
    await must(grouped.url, "admin.setAdmin", { userId: local.user.id, admin: true }, kept.accessToken);
    expect(await isAdmin({ ...person, groups: [] })).toBe(false);
    expect((await must(grouped.url, "user.login", credentials)).user.admin).toBe(true);
  });

  test("only count at the provider that has the setting", async () => {
    expect((await logIn(newPerson({ groups: ["staff"] }))).user.admin).toBe(false);
  });
});

test("without a provider, the routes don't exist and meta says so", async () => {
  const plain = await startInstance();
  const meta = async ({ url }: Instance) => (await fetch(`${url}/api/meta`)).json();
  expect(await meta(plain)).toMatchObject({ oidcLogin: false, oidcProviders: [], sendsMail: false });
  expect(await meta(instance)).toMatchObject({ oidcLogin: true, sendsMail: true });
  const { challenge } = newProof();
  const response = await fetch(`${plain.url}/auth/oidc/start?challenge=${challenge}`, { redirect: "manual" });
  expect(response.status).toBe(404);
  await plain.stop();
});

test("an unreachable provider is reported, and retried at the next login", async () => {
  const offline = await startInstance({
    ...provider.env,
    OIDC_ISSUER: "http://127.0.0.1:1",
    PUBLIC_URL,
    LOG_LEVEL: "silent",
  });
  const response = await fetch(`${offline.url}/auth/oidc/start?challenge=${newProof().challenge}`, {
    redirect: "manual",
  });
  expect(response.headers.get("location")).toBe(`${PUBLIC_URL}/login#oidcError=OIDC_FAILED`);
  await offline.stop();
});
