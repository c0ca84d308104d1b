import type { Config } from "@fanfare/kernel";
import type { SamlConfig } from "@node-saml/node-saml";
import { identityKey, isAdminOf, type ProviderContext, type ProviderIdentity } from "./provider.ts";
import { createIdpSource } from "./saml-metadata.ts";

/** How far the clocks of the provider and this server can differ. */
const CLOCK_SKEW_MS = 60_000;
const BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer";
const PERSISTENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";
const TRANSIENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";
/** What Entra ID sends instead of the groups of users with many. */
const GROUPS_LINK = "http://schemas.microsoft.com/claims/groups.link";

type Settings = Extract<Config["providers"][number], { protocol: "saml" }>;

/** The parts of a signed assertion that are read here, without prefixes. */
interface Assertion {
  $?: { ID?: string };
  Issuer?: { _?: string }[];
  Subject?: {
    NameID?: { _?: string; $?: { Format?: string } }[];
    SubjectConfirmation?: {
      $?: { Method?: string };
      SubjectConfirmationData?: { $?: { Recipient?: string; InResponseTo?: string } }[];
    }[];
  }[];
  AuthnStatement?: { $?: { AuthnInstant?: string } }[];
}

/** A login that the provider has signed. */
interface SamlLogin {
  identity: ProviderIdentity;
  /** Each can be used once. */
  assertionId: string;
  /** The request that it answers; absent if the login was started at the provider. */
  requestId: string | undefined;
}

/** A SAML 2.0 provider. The first login loads the library. */
export function createSamlProvider(settings: Settings, { publicUrl, logger, sendsIds }: ProviderContext) {
  const { id, idpInitiated } = settings;
  // A URL for each, so that no provider can pass off its answer as another one's.
  const acsUrl = `${publicUrl}/auth/saml/acs/${id}`;
  const ownEntityId = `${publicUrl}/auth/saml/metadata/${id}`;
  const source = createIdpSource(settings, logger);
  const connect = async (more: Partial<SamlConfig>) => {
    const { entityId, ssoUrl, certificates } = await source.find();
    const { SAML } = await import("@node-saml/node-saml");
    const saml = new SAML({
      issuer: ownEntityId,
      callbackUrl: acsUrl,
      entryPoint: ssoUrl,
      idpCert: certificates,
      // Providers choose them: many reject a request for those that they don't have.
      identifierFormat: null,
      disableRequestedAuthnContext: true,
      wantAssertionsSigned: true,
      wantAuthnResponseSigned: false,
      acceptedClockSkewMs: CLOCK_SKEW_MS,
      ...more,
    });
    return { saml, entityId };
  };

  return {
    protocol: "saml" as const,
    idpInitiated,
    check: () => source.check(),

    /** What the provider needs to know of this server. */
    async metadata(): Promise<string> {
      const { generateServiceProviderMetadata } = await import("@node-saml/node-saml");
      return generateServiceProviderMetadata({
        issuer: ownEntityId,
        callbackUrl: acsUrl,
        identifierFormat: PERSISTENT,
        wantAssertionsSigned: true,
      });
    },

    /**
     * @param requestId which the answer must name
     * @param isFresh the user must authenticate again at the provider
     * @returns where to send the user; null when the metadata can't be read, which is logged
     */
    async start(requestId: string, isFresh: boolean): Promise<string | null> {
      try {
        const { saml } = await connect({ generateUniqueId: () => requestId, forceAuthn: isFresh });
        return await saml.getAuthorizeUrlAsync("", undefined, {});
      } catch (error) {
        logger.warn({ err: error, provider: id }, "SAML login not started");
        return null;
      }
    },

    /**
     * @param response as posted, in base64
     * @param isOwn whether this server has sent a request with this id
     * @returns null when it isn't a valid login or the provider reports an error, which is logged
     */
    async finish(response: string, isOwn: (requestId: string) => boolean): Promise<SamlLogin | null> {
      try {
        const { ValidateInResponseTo } = await import("@node-saml/node-saml");
        const { saml, entityId } = await connect({
          validateInResponseTo: ValidateInResponseTo.ifPresent,
          cacheProvider: {
            saveAsync: () => Promise.resolve(null),
            getAsync: (requestId) => Promise.resolve(isOwn(requestId) ? new Date().toISOString() : null),
            removeAsync: () => Promise.resolve(null),
          },
        });
        const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: response });
        const { Assertion: assertion } = (profile?.getAssertion?.() ?? {}) as { Assertion?: Assertion };
        if (profile === null || assertion === undefined) throw new Error("The response has no assertion.");
        const requestId = requestIdOf(assertion, acsUrl);
        // The library takes it from the response, which isn't necessarily signed.
        if (requestId !== profile["inResponseTo"]) throw new Error("The assertion answers another request.");
        const issuer = assertion.Issuer?.[0]?._;
        if (issuer !== entityId) throw new Error(`The issuer is ${issuer}, not ${entityId}.`);
        const assertionId = assertion.$?.ID;
        if (assertionId === undefined) throw new Error("The assertion has no ID.");
        const attributes = (profile["attributes"] ?? {}) as Attributes;
        const identity = identityOf(settings, entityId, assertion, attributes);
        const groups = {
          name: settings.groupsAttribute,
          value: attributeOf(attributes, settings.groupsAttribute),
          isElsewhere: Object.hasOwn(attributes, GROUPS_LINK),
        };
        const { userId, ...known } = identity;
        return {
          identity: {
            ...known,
            externalIds: sendsIds ? [userId] : [],
            isAdmin: isAdminOf(settings, groups, logger),
          },
          assertionId: identityKey(entityId, assertionId),
          requestId,
        };
      } catch (error) {
        logger.warn({ err: error, provider: id }, "SAML login failed");
        return null;
      }
    },
  };
}

/**
 * @returns undefined when the login was started at the provider
 * @throws {Error} when the assertion isn't for this server
 */
function requestIdOf({ Subject: [subject] = [] }: Assertion, acsUrl: string): string | undefined {
  const [confirmation, ...others] = subject?.SubjectConfirmation ?? [];
  const data = confirmation?.SubjectConfirmationData?.[0]?.$;
  if (confirmation?.$?.Method !== BEARER || data === undefined || others.length > 0)
    throw new Error("The assertion needs one SubjectConfirmation, with the method bearer.");
  if (data.Recipient !== acsUrl) throw new Error(`The recipient is ${data.Recipient}, not ${acsUrl}.`);
  return data.InResponseTo;
}

type Attributes = Record<string, unknown>;

const attributeOf = (attributes: Attributes, name: string): unknown =>
  Object.hasOwn(attributes, name) ? attributes[name] : undefined;

function identityOf(
  settings: Settings,
  entityId: string,
  { Subject: [subject] = [], AuthnStatement: [authentication] = [] }: Assertion,
  attributes: Attributes,
) {
  const text = (name: string): string | undefined => {
    const [first] = [attributeOf(attributes, name)].flat();
    return typeof first === "string" ? first : undefined;
  };
  const email = text(settings.emailAttribute) ?? null;
  const authenticatedAt = new Date(authentication?.$?.AuthnInstant ?? Number.NaN);
  const userId =
    settings.idAttribute === undefined ? nameIdOf(subject?.NameID?.[0]) : text(settings.idAttribute);
  if (userId === undefined)
    throw new Error(`The user has no attribute ${settings.idAttribute} (idAttribute).`);
  return {
    userId,
    provider: settings.id,
    key: identityKey(entityId, userId),
    email,
    ...(!Number.isNaN(authenticatedAt.getTime()) && { authenticatedAt }),
    names: {
      username: text(settings.usernameAttribute) ?? email?.split("@")[0],
      nickname: text(settings.nicknameAttribute),
    },
  };
}

function nameIdOf(nameId: { _?: string; $?: { Format?: string } } | undefined): string {
  if (nameId?._ === undefined) throw new Error("The assertion has no NameID.");
  // Every login would create another account.
  if (nameId.$?.Format === TRANSIENT)
    throw new Error("The NameID is transient: let the provider send a persistent one, or set idAttribute.");
  return nameId._;
}
