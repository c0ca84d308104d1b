import { X509Certificate } from "node:crypto";
import { z } from "zod";
import { httpUrl } from "../values.ts";

// The identity providers of single sign-on: OpenID Connect and SAML.

/** The id of the provider in OIDC_ISSUER. */
export const DEFAULT_PROVIDER = "default";
const MAX_PROVIDERS = 10;

const id = z
  .string()
  .regex(/^[a-z0-9-]{1,32}$/, "must have 1 to 32 lower-case letters, digits and hyphens")
  .refine((given) => given !== DEFAULT_PROVIDER, `must not be ${DEFAULT_PROVIDER}`);
export const providerName = z.string().min(1).max(40, "must have at most 40 characters");
export const scopes = z
  .string()
  .refine((text) => text.split(" ").includes("openid"), "must contain openid")
  .default("openid email profile");
export const groupsClaim = z.string().min(1).default("groups");
const adminGroups = z.array(z.string()).optional();

/** Parses a JSON list of providers. An error says what is wrong, without the values. */
function providers<T extends { id: string }>(provider: z.ZodType<T>, required: string) {
  const list = z
    .array(provider, `must be a JSON list of providers with ${required}`)
    .min(1, "must have a provider")
    .max(MAX_PROVIDERS, `must have at most ${MAX_PROVIDERS} providers`)
    .refine((all) => new Set(all.map((one) => one.id)).size === all.length, "must not use an id twice");
  return z.string().transform((text, context) => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      // Reported as any other value that isn't a list.
    }
    const { data, error } = list.safeParse(value);
    if (error === undefined) return data;
    const [{ path, message }] = error.issues as [z.core.$ZodIssue];
    context.addIssue(path.length === 0 ? message : `${path.join(".")}: ${message}`);
    return z.NEVER;
  });
}

export const oidcProviders = providers(
  z.strictObject({
    id,
    name: providerName,
    issuer: httpUrl,
    clientId: z.string().min(1),
    clientSecret: z.string().min(1),
    scopes,
    groupsClaim,
    adminGroups,
  }),
  "id, name, issuer, clientId and clientSecret",
);

const PEM = /^-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----$/;

/** PEM, or only what is between its first and last line. */
const certificate = z.string().transform((text, context) => {
  const trimmed = text.trim();
  const pem = PEM.test(trimmed)
    ? trimmed
    : `-----BEGIN CERTIFICATE-----\n${trimmed}\n-----END CERTIFICATE-----`;
  try {
    return new X509Certificate(pem).toString();
  } catch {
    context.addIssue("must be a certificate in PEM format");
    return z.NEVER;
  }
});

const attribute = (byDefault: string) => z.string().min(1).default(byDefault);

export const samlProviders = providers(
  z
    .strictObject({
      id,
      name: providerName,
      metadata: z
        .union(
          [httpUrl, z.string().regex(/^\s*<[^]*EntityDescriptor/)],
          "must be a URL, or the XML of an EntityDescriptor",
        )
        .optional(),
      entityId: z.string().min(1).optional(),
      ssoUrl: httpUrl.optional(),
      certificates: z.array(certificate).min(1, "must have a certificate").optional(),
      idAttribute: z.string().min(1).optional(),
      emailAttribute: attribute("email"),
      usernameAttribute: attribute("username"),
      nicknameAttribute: attribute("displayName"),
      groupsAttribute: attribute("groups"),
      adminGroups,
      idpInitiated: z.boolean().default(false),
    })
    .transform(({ metadata, entityId, ssoUrl, certificates, ...others }, context) => {
      if (metadata !== undefined && (entityId ?? ssoUrl ?? certificates) === undefined)
        return { ...others, idp: metadata };
      if (
        metadata === undefined &&
        entityId !== undefined &&
        ssoUrl !== undefined &&
        certificates !== undefined
      )
        return { ...others, idp: { entityId, ssoUrl, certificates } };
      context.addIssue("must have either metadata, or entityId, ssoUrl and certificates");
      return z.NEVER;
    }),
  "id, name, and metadata or entityId, ssoUrl and certificates",
);
