import {
  DEFAULT_PROVIDER,
  duplicateKeyIndex,
  type Handlers,
  orThrow,
  serviceError,
  type Config,
  type Logger,
} from "@fanfare/kernel";
import { createSigner, createVerifier } from "fast-jwt";
import { publishAccount, presentOwnUser } from "../user.presenter.ts";
import type { UserDependencies } from "../user.dependencies.ts";
import { oidcLinks } from "../external-logins.ts";
import { OIDC_INDEXES } from "../user.model.ts";
import { type OidcFlow, createOidcProvider } from "./oidc-provider.ts";
import { createSamlProvider } from "./saml-provider.ts";

/** Maximum duration of a login at the provider. */
const LIFETIME_MS = 10 * 60 * 1000;

interface SignOn {
  provider: string;
  /** SHA-256 of the verifier, which only the page that started the login has. */
  challenge: string;
}

/** Logins at the providers of single sign-on. In the API, `oidc` stands for both protocols. */
export function signOnActions(dependencies: UserDependencies): Handlers {
  const {
    providers,
    oidcCodes,
    usedAssertions,
    externalAccounts,
    secondFactor,
    logIn,
    node,
    users,
    confirmPassword,
    accountMails,
  } = dependencies;
  /** `provider` is absent in those of versions with only one. */
  const cookies = createSealedState<OidcFlow & Partial<SignOn> & Pick<SignOn, "challenge">>(
    node.keyFor("oidc flow"),
  );
  /** The ids of SAML requests, which answers repeat. */
  const requestIds = createSealedState<SignOn>(node.keyFor("saml request"));
  const find = <P extends Provider["protocol"]>(id: string, protocol: P) => {
    const provider = providers.get(id);
    if (provider?.protocol !== protocol) throw serviceError("OIDC_FAILED");
    return provider as Extract<Provider, { protocol: P }>;
  };
  return {
    "user.startOidc": async ({ params: { provider: id, challenge, isFresh } }) => {
      const provider = orThrow(providers.get(id) ?? null, "OIDC_FAILED");
      const state = { provider: id, challenge };
      if (provider.protocol === "saml") {
        const requestId = `_${requestIds.seal(state)}`;
        const authorizationUrl = orThrow(await provider.start(requestId, isFresh), "OIDC_FAILED");
        return { authorizationUrl, flow: null };
      }
      const { authorizationUrl, flow } = orThrow(await provider.start(isFresh), "OIDC_FAILED");
      return { authorizationUrl, flow: cookies.seal({ ...flow, ...state }) };
    },

    "user.finishOidc": async ({ params: { provider, query, flow } }) => {
      const kept = orThrow(cookies.open(flow), "OIDC_FAILED");
      if ((kept.provider ?? DEFAULT_PROVIDER) !== provider) throw serviceError("OIDC_FAILED");
      const identity = orThrow(await find(provider, "oidc").finish(query, kept), "OIDC_FAILED");
      return { oidcCode: await oidcCodes.make(identity, kept.challenge) };
    },

    "user.finishSaml": async ({ params: { provider: id, response } }) => {
      const provider = find(id, "saml");
      const open = (requestId: string): SignOn | null => {
        const state = requestIds.open(requestId.slice(1));
        return state?.provider === id ? state : null;
      };
      const login = orThrow(
        await provider.finish(response, (requestId) => open(requestId) !== null),
        "OIDC_FAILED",
      );
      // The page starts a login of its own, so that no one can be logged in to another's account.
      if (login.requestId === undefined && provider.idpInitiated) return { oidcCode: null };
      const { challenge } = orThrow(open(login.requestId ?? ""), "OIDC_FAILED");
      if (!(await usedAssertions.add(login.assertionId, LIFETIME_MS))) {
        node.logger.warn({ provider: id }, "SAML assertion used before");
        throw serviceError("OIDC_FAILED");
      }
      return { oidcCode: await oidcCodes.make(login.identity, challenge) };
    },

    "user.samlMetadata": async ({ params: { provider } }) => ({
      xml: await find(provider, "saml").metadata(),
    }),

    "user.exchangeOidcCode": async ({ params, client, services }) => {
      const identity = orThrow(await oidcCodes.find(params), "OIDC_FAILED");
      const found = await externalAccounts.find(identity);
      // Before the login is consumed, so that the call can be repeated with a code.
      if (found !== null) await secondFactor.check(found, params.code);
      if ((await oidcCodes.take(params)) === null) throw serviceError("OIDC_FAILED");
      const user = await externalAccounts.settle(identity, found, {
        services,
        inviteCode: params.inviteCode,
      });
      return logIn(user, client, { byOidc: true });
    },

    "user.linkOidc": async ({ params, actor }) => {
      // A stolen session or an unlocked phone must not be enough to add a way to log in.
      const user = await confirmPassword(actor.userId, params.password);
      const { provider, key } = orThrow(await oidcCodes.take(params), "OIDC_FAILED");
      // The index doesn't find it if the provider had another id then.
      const owner = await users.findByIdentity({ provider, key });
      if (owner !== null && owner._id !== user._id) throw serviceError("OIDC_LINKED");
      const others = oidcLinks(user).filter((link) => link.provider !== provider && link.key !== key);
      const linked = await users
        .setOidcLinks(user, [...others, { provider, key }])
        .catch((error: unknown) => {
          if (OIDC_INDEXES.includes(duplicateKeyIndex(error))) throw serviceError("OIDC_LINKED");
          throw error;
        });
      if (linked === null) throw serviceError("WRONG_CREDENTIALS");
      publishAccount(node, linked);
      await accountMails.notify(linked, "oidcLinked");
      return { user: presentOwnUser(linked) };
    },

    "user.unlinkOidc": async ({ params, actor }) => {
      const user = await confirmPassword(actor.userId, params.password);
      const { provider } = params;
      const rest = oidcLinks(user).filter((link) => provider !== undefined && link.provider !== provider);
      const unlinked = orThrow(await users.setOidcLinks(user, rest), "WRONG_CREDENTIALS");
      publishAccount(node, unlinked);
      await accountMails.notify(unlinked, "oidcUnlinked");
      return { user: presentOwnUser(unlinked) };
    },
  };
}

/** Signs the state of a login, which leaves the server, so that abandoned logins leave nothing here. */
function createSealedState<T extends object>(key: Buffer) {
  const sign = createSigner({ key, algorithm: "HS256", expiresIn: LIFETIME_MS, noTimestamp: true });
  const verify = createVerifier({ key, algorithms: ["HS256"], requiredClaims: ["exp"], cache: false });
  return {
    seal: (state: T): string => sign({ ...state }),

    /** @returns null when the signature is wrong or the time is over */
    open(sealed: string): T | null {
      try {
        return verify(sealed) as T;
      } catch {
        return null;
      }
    },
  };
}

type Provider = ReturnType<typeof createOidcProvider> | ReturnType<typeof createSamlProvider>;
type Providers = ReadonlyMap<string, Provider>;

/** The providers of single sign-on, by id. */
export function createProviders(
  { providers, publicUrl, scimOidcProvider }: Pick<Config, "providers" | "publicUrl" | "scimOidcProvider">,
  logger: Logger,
): Providers {
  return new Map(
    providers.map((settings) => {
      const context = { publicUrl, logger, sendsIds: settings.id === scimOidcProvider };
      return [
        settings.id,
        settings.protocol === "oidc"
          ? createOidcProvider(settings, context)
          : createSamlProvider(settings, context),
      ];
    }),
  );
}
