import { createAccount, must, post, type Person } from "@fanfare/testing";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { failed } from "../support/answers.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { startMailbox, type Mailbox } from "./mailbox.ts";
import { Browser, newProof, type Login } from "./oidc-browser.ts";
import {
  answerOf,
  type Attributes,
  type Form,
  hasSamlProvider,
  type SamlProvider,
  signInWithSaml,
  startSamlProvider,
} from "./saml-provider.ts";

// SAML logins from the page to SimpleSAMLphp and back.

const PUBLIC_URL = "https://chat.example.org";
const PASSWORD = "correct horse";
const FAILED = `${PUBLIC_URL}/login#oidcError=OIDC_FAILED`;
const SUCCEEDED = /^https:\/\/chat\.example\.org\/login#oidcCode=[\w-]+$/;

describe.skipIf(!hasSamlProvider())("SAML", () => {
  let provider: SamlProvider;
  let mailbox: Mailbox;
  let instance: Instance;
  let admin: Person;
  beforeAll(async () => {
    provider = await startSamlProvider();
    mailbox = await startMailbox();
    const { metadataUrl: metadata, entityId, url } = provider;
    const xml = await (await fetch(metadata)).text();
    const [, certificate = ""] = /<ds:X509Certificate>([^<]+)</.exec(xml) ?? [];
    const ssoUrl = `${url}/saml2/idp/SSOService.php`;
    instance = await startInstance({
      ...mailbox.env,
      PUBLIC_URL,
      LOG_LEVEL: "silent",
      SAML_PROVIDERS: JSON.stringify([
        { id: "work", name: "Example Inc.", metadata, adminGroups: ["staff"] },
        { id: "values", name: "Values", entityId, ssoUrl, certificates: [certificate], idpInitiated: true },
        { id: "xml", name: "XML", metadata: xml, idAttribute: "employee", usernameAttribute: "uid" },
      ]),
    });
    admin = await createAccount(instance.url);
    for (const id of ["work", "values", "xml"])
      provider.register(await (await fetch(`${instance.url}/auth/saml/metadata/${id}`)).text());
  });
  afterAll(async () => {
    await instance?.stop();
    await mailbox?.stop();
    await provider?.stop();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  let people = 0;
  /** Someone at the provider. */
  const newPerson = (attributes: Attributes = {}): string => {
    const name = `saml${(people += 1)}`;
    provider.set(name, {
      username: [name],
      displayName: [`Person ${people}`],
      email: [`${name}@example.org`],
      ...attributes,
    });
    return name;
  };
  const newBrowser = () => new Browser(PUBLIC_URL, instance.url);
  const signIn = (username: string, more = ""): Promise<Login> =>
    signInWithSaml(provider, newBrowser(), username, more);
  const exchange = (login: Login) => post(instance.url, "user.exchangeOidcCode", login);
  const logIn = async (username: string) =>
    must(instance.url, "user.exchangeOidcCode", await signIn(username));
  /** The form that the provider would post. */
  const answer = (username: string, id = "work"): Promise<Form> =>
    answerOf(
      provider,
      newBrowser(),
      username,
      `/auth/oidc/start?provider=${id}&challenge=${newProof().challenge}`,
    );
  /** Where the browser is sent after the form was posted. */
  const send = async ({ action, fields }: Form, more: Record<string, string> = {}): Promise<string> =>
    (await newBrowser().post(action, { ...fields, ...more })).headers.get("location")!;
  const xmlOf = ({ fields }: Form): string => Buffer.from(fields["SAMLResponse"]!, "base64").toString();
  const sendXml = (form: Form, xml: string): Promise<string> =>
    send(form, { SAMLResponse: Buffer.from(xml).toString("base64") });

  describe("a login", () => {
    test("is offered like those of other providers, and describes this server to them", async () => {
      const meta: unknown = await (await fetch(`${instance.url}/api/meta`)).json();
      expect(meta).toMatchObject({
        oidcLogin: true,
        oidcProviders: [{ id: "work", name: "Example Inc." }, { id: "values" }, { id: "xml" }],
      });
      const metadata = await fetch(`${instance.url}/auth/saml/metadata/work`);
      expect(metadata.headers.get("content-type")).toBe("application/samlmetadata+xml");
      expect(await metadata.text()).toMatch(
        /entityID="https:\/\/chat\.example\.org\/auth\/saml\/metadata\/work"[^]*WantAssertionsSigned="true"[^]*Location="https:\/\/chat\.example\.org\/auth\/saml\/acs\/work"/,
      );
      expect((await fetch(`${instance.url}/auth/saml/metadata/made-up`)).status).toBe(404);
    });

    test("creates an account the first time, and finds it again", async () => {
      const name = newPerson();
      const { user, accessToken } = await logIn(name);
      expect(user).toMatchObject({
        username: name,
        nickname: `Person ${people}`,
        email: `${name}@example.org`,
        emailVerified: true,
        hasPassword: false,
        oidcProviders: ["work"],
        admin: false,
      });
      expect((await logIn(name)).user.id).toBe(user.id);
      await must(instance.url, "user.me", {}, accessToken);
    });

    test("works with single values, and with XML and an attribute as the user's id", async () => {
      const name = newPerson({ employee: ["4711"] });
      for (const [id, username] of [
        ["values", name],
        ["xml", name],
      ] as const) {
        const { verifier, challenge } = newProof();
        const start = `/auth/oidc/start?provider=${id}&challenge=${challenge}`;
        const end = await send(await answerOf(provider, newBrowser(), username, start));
        const login = { oidcCode: new URL(end).hash.slice("#oidcCode=".length), verifier };
        const { user } = await must(instance.url, "user.exchangeOidcCode", login);
        expect(user).toMatchObject({ oidcProviders: expect.arrayContaining([id]) as string[] });
      }
      provider.set(name, {});
      expect(await send(await answer(name, "xml"))).toBe(FAILED);
    });

    test("follows the groups of admins", async () => {
      const name = newPerson({ groups: ["everyone", "staff"] });
      expect((await logIn(name)).user.admin).toBe(true);
      provider.set(name, { groups: ["everyone"] });
      expect((await logIn(name)).user.admin).toBe(false);
      provider.set(name, { groups: ["staff"] });
      expect((await logIn(name)).user.admin).toBe(true);
      provider.set(name, {});
      expect((await logIn(name)).user.admin).toBe(false);
    });

    test("is linked to an account with its password, and unlinked", async () => {
      const credentials = { username: `linked${(people += 1)}`, password: PASSWORD };
      const { user, accessToken } = await must(instance.url, "user.register", credentials);
      const name = newPerson();
      const link = { ...(await signIn(name)), password: PASSWORD };
      expect((await must(instance.url, "user.linkOidc", link, accessToken)).user.oidcProviders).toEqual([
        "work",
      ]);
      expect((await logIn(name)).user.id).toBe(user.id);
      const unlink = { password: PASSWORD, provider: "work" };
      expect((await must(instance.url, "user.unlinkOidc", unlink, accessToken)).user.oidcLinked).toBe(false);
    });

    test("obeys the policy of the instance, and is exempt from a second factor", async () => {
      await must(instance.url, "admin.setPolicy", { registration: "closed" }, admin.accessToken);
      expect(await exchange(await signIn(newPerson()))).toEqual(failed("REGISTRATION_CLOSED"));
      await must(instance.url, "admin.setPolicy", { registration: "open" }, admin.accessToken);
      const { accessToken } = await logIn(newPerson({ groups: ["staff"] }));
      await must(instance.url, "admin.setPolicy", { requireSecondFactor: "accounts" }, accessToken);
      await must(instance.url, "group.listMine", {}, accessToken);
      await must(instance.url, "admin.setPolicy", { requireSecondFactor: "off" }, accessToken);
    });

    test("confirms an account without a password if the provider has asked for the password again", async () => {
      const name = newPerson();
      const browser = newBrowser();
      const signInHere = (more = "") => signInWithSaml(provider, browser, name, more);
      const { accessToken } = await must(instance.url, "user.exchangeOidcCode", await signInHere());
      const setUp = async (more: string) =>
        post(instance.url, "user.setupTotp", await signInHere(more), accessToken);
      const asked = () => browser.visited.filter((url) => url.includes("loginuserpass")).length;
      const before = asked();
      await signInHere();
      expect(asked()).toBe(before);
      expect(await setUp("&fresh=1")).toMatchObject({ ok: true });
      expect(asked()).toBeGreaterThan(before);
    });
  });

  describe("an answer is refused", () => {
    test("a second time", async () => {
      const form = await answer(newPerson());
      expect(await send(form)).toMatch(SUCCEEDED);
      expect(await send(form)).toBe(FAILED);
    });

    test("for another server, and at another provider's address", async () => {
      const form = await answer(newPerson());
      const elsewhere = new URL(form.action.href.replace("/work", "/values"));
      expect(await send({ ...form, action: elsewhere })).toBe(FAILED);
      for (const id of ["made-up", "default", "constructor"])
        expect(await send({ ...form, action: new URL(form.action.href.replace("/work", `/${id}`)) })).toBe(
          FAILED,
        );
    });

    test("to a request that another server or no one has sent, or one that is over", async () => {
      const form = await answer(newPerson());
      const xml = xmlOf(form);
      const [, requestId = ""] = /InResponseTo="([^"]+)"/.exec(xml) ?? [];
      expect(
        await sendXml(form, xml.replace(`InResponseTo="${requestId}"`, 'InResponseTo="_made.up.id"')),
      ).toBe(FAILED);
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 11 * 60 * 1000 });
      expect(await send(form)).toBe(FAILED);
    });

    test("after its time, but not because clocks differ a little", async () => {
      const now = Date.now();
      const [one, two] = [await answer(newPerson()), await answer(newPerson())];
      // The provider's answers are valid for five minutes.
      vi.useFakeTimers({ toFake: ["Date"], now: now + 5.5 * 60 * 1000 });
      expect(await send(one)).toMatch(SUCCEEDED);
      vi.setSystemTime(now + 6.5 * 60 * 1000);
      expect(await send(two)).toBe(FAILED);
    });

    test("with the code for another page", async () => {
      const login = await signIn(newPerson());
      const stolen = { ...login, verifier: newProof().verifier };
      expect(await exchange(stolen)).toEqual(failed("OIDC_FAILED"));
      expect(await exchange(login)).toMatchObject({ ok: true });
    });

    test("that isn't one", async () => {
      const form = await answer(newPerson());
      const entities = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;">]>';
      for (const xml of [
        "",
        "<",
        "<a/>",
        "{}",
        `${entities}${xmlOf(form).replace("</saml:NameID>", "&b;$&")}`,
      ])
        expect([xml.slice(0, 20), await sendXml(form, xml)]).toEqual([xml.slice(0, 20), FAILED]);
      expect(await send({ action: form.action, fields: {} })).toBe(FAILED);
      expect((await newBrowser().post(form.action, { SAMLResponse: "x".repeat(300_000) })).status).toBe(413);
      expect(await send(form)).toMatch(SUCCEEDED);
    });
  });

  describe("a login that was started at the provider", () => {
    const unsolicited = (username: string, id: string): Promise<Form> => {
      const spEntityId = encodeURIComponent(`${PUBLIC_URL}/auth/saml/metadata/${id}`);
      const start = `${provider.url}/saml2/idp/SSOService.php?spentityid=${spEntityId}&RelayState=x`;
      return answerOf(provider, newBrowser(), username, start);
    };

    test("is refused, also as the answer to another request", async () => {
      const form = await unsolicited(newPerson(), "work");
      expect(await send(form)).toBe(FAILED);
      const [, requestId = ""] = /InResponseTo="([^"]+)"/.exec(xmlOf(await answer(newPerson()))) ?? [];
      const claimed = withoutResponseSignature(xmlOf(form)).replace(
        "<samlp:Response ",
        `<samlp:Response InResponseTo="${requestId}" `,
      );
      expect(claimed).not.toBe(xmlOf(form));
      expect(await sendXml(form, claimed)).toBe(FAILED);
    });

    test("is started again by the page if that is configured", async () => {
      const form = await unsolicited(newPerson(), "values");
      expect(await send(form)).toBe(`${PUBLIC_URL}/login#oidcStart=values`);
      const changed = xmlOf(form).replace(/(<saml:NameID[^>]*>)[^<]+/, "$1someone");
      expect(await sendXml(form, changed)).toBe(FAILED);
    });
  });

  test("the relay state leads nowhere else", async () => {
    for (const RelayState of ["https://evil.example", "//evil.example", "/\\evil.example", "\r\nx: y"])
      expect(await send(await answer(newPerson()), { RelayState })).toMatch(SUCCEEDED);
  });

  describe("signatures", () => {
    test("cover who has signed in: an unsigned or changed assertion is refused", async () => {
      const form = await answer(newPerson());
      const xml = xmlOf(form);
      const unsigned = xml.replaceAll(/<ds:Signature[^]*?<\/ds:Signature>/g, "");
      const onlyResponse = xml.replace(/(<saml:Assertion[^]*?)<ds:Signature[^]*?<\/ds:Signature>/, "$1");
      const changed = xml.replace(/(<saml:NameID[^>]*>)[^<]+/, "$1someone");
      for (const wrong of [unsigned, onlyResponse, changed]) {
        expect(wrong).not.toBe(xml);
        expect(await sendXml(form, wrong)).toBe(FAILED);
      }
      expect(await sendXml(form, withoutResponseSignature(xml))).toMatch(SUCCEEDED);
    });

    test("can't be wrapped around another assertion", async () => {
      const form = await answer(newPerson());
      const xml = xmlOf(form);
      for (const [name, wrapped] of wrappings(xml)) {
        expect([name, wrapped.includes("evil")]).toEqual([name, true]);
        expect([name, await sendXml(form, wrapped)]).toEqual([name, FAILED]);
      }
      expect(await sendXml(form, xml)).toMatch(SUCCEEDED);
    });

    test("don't cover comments, which don't cut a name short", async () => {
      const victim = newPerson();
      const { user } = await logIn(victim);
      const longer = `${victim}.evil`;
      provider.set(longer, { username: [longer] });
      const { verifier, challenge } = newProof();
      const start = `/auth/oidc/start?provider=work&challenge=${challenge}`;
      const form = await answerOf(provider, newBrowser(), longer, start);
      const cut = xmlOf(form).replace(`>${longer}</saml:NameID>`, `>${victim}<!-- -->.evil</saml:NameID>`);
      expect(cut).not.toBe(xmlOf(form));
      const end = await sendXml(form, cut);
      if (end === FAILED) return;
      const oidcCode = new URL(end).hash.slice("#oidcCode=".length);
      const other = await must(instance.url, "user.exchangeOidcCode", { oidcCode, verifier });
      expect(other.user.id).not.toBe(user.id);
    });
  });

  test("metadata that can't be used is reported at the start", async () => {
    const metadata = '<EntityDescriptor entityID="a"><SPSSODescriptor/></EntityDescriptor>';
    const SAML_PROVIDERS = JSON.stringify([{ id: "work", name: "Work", metadata }]);
    await expect(startInstance({ SAML_PROVIDERS })).rejects.toThrow(
      "SAML_PROVIDERS: the metadata of work has no IDPSSODescriptor",
    );
  });
});

const SIGNATURE = /<ds:Signature[^]*?<\/ds:Signature>/;

/** Only the assertion remains signed. */
const withoutResponseSignature = (xml: string): string =>
  xml.replace(/(<samlp:Response[^>]*>[^]*?)<ds:Signature[^]*?<\/ds:Signature>(?=[^]*<saml:Assertion)/, "$1");

/** Responses with the signed assertion, and another one about `evil`. */
function wrappings(signed: string): [name: string, xml: string][] {
  const xml = withoutResponseSignature(signed);
  const [assertion = ""] = /<saml:Assertion[^]*<\/saml:Assertion>/.exec(xml) ?? [];
  const [signature = ""] = SIGNATURE.exec(assertion) ?? [];
  const bare = assertion.replace(SIGNATURE, "");
  const evil = bare.replace(/(<saml:NameID[^>]*>)[^<]+/, "$1evil").replace(/ ID="[^"]+"/, ' ID="_evil"');
  const sameId = bare.replace(/(<saml:NameID[^>]*>)[^<]+/, "$1evil");
  const inside = (outer: string, inner: string) =>
    outer.replace("</saml:Assertion>", `${inner}</saml:Assertion>`);
  const withSignature = (one: string) => one.replace("</saml:Issuer>", `</saml:Issuer>${signature}`);
  const inObject = (one: string, inner: string) =>
    one.replace("</ds:Signature>", `<ds:Object>${inner}</ds:Object></ds:Signature>`);
  const extensions = (inner: string) => `<samlp:Extensions>${inner}</samlp:Extensions>`;
  const original = signed.replace(/^<\?xml[^>]*\?>\s*/, "");
  const around = xml
    .replace(assertion, evil)
    .replace(/(<samlp:Response[^>]* )ID="[^"]+"/, '$1ID="_evilResponse"');
  return [
    ["another assertion before it", xml.replace(assertion, evil + assertion)],
    ["another assertion after it", xml.replace(assertion, assertion + evil)],
    ["inside another assertion", xml.replace(assertion, inside(evil, assertion))],
    [
      "inside another assertion that has its signature",
      xml.replace(assertion, inside(withSignature(evil), bare)),
    ],
    [
      "inside the signature of another assertion",
      xml.replace(assertion, inObject(withSignature(evil), bare)),
    ],
    ["in extensions", xml.replace(assertion, extensions(assertion) + evil)],
    [
      "in extensions, with its signature on another",
      xml.replace(assertion, extensions(bare) + withSignature(evil)),
    ],
    [
      "with another assertion of the same ID",
      xml.replace(assertion, extensions(assertion) + withSignature(sameId)),
    ],
    ["the response in extensions of another", around.replace(evil, extensions(original) + evil)],
    ["the response inside another assertion", around.replace(evil, inside(evil, original))],
  ];
}
