import { DEFAULT_PROVIDER, duplicateKeyIndex, type Handlers, orThrow, serviceError } from "@fanfare/kernel";
import { createSigner, createVerifier } from "fast-jwt";
import { publishAccount } from "../publish.ts";
import type { UserDependencies } from "../user.dependencies.ts";
import { oidcLinks } from "../external-logins.ts";
import { OIDC_INDEXES } from "../user.model.ts";
import { presentOwnUser } from "../user.presenter.ts";
import type { OidcFlow } from "./oidc-provider.ts";

/** Maximum duration of a login at the provider. */
const LIFETIME_MS = 10 * 60 * 1000;

interface StoredFlow extends OidcFlow {
  provider: string;
  /** SHA-256 of the verifier, which only the page that started the login has. */
  challenge: string;
}

const flowCookieOf = ({ node }: UserDependencies) => createFlowCookie(node.keyFor("oidc flow"));

export function oidcActions(dependencies: UserDependencies): Handlers {
  const {
    oidcProviders,
    oidcCodes,
    externalAccounts,
    secondFactor,
    logIn,
    node,
    users,
    confirmPassword,
    accountMails,
  } = dependencies;
  const cookie = flowCookieOf(dependencies);
  return {
    "user.startOidc": async ({ params: { provider, challenge, isFresh } }) => {
      const started = orThrow((await oidcProviders.get(provider)?.start(isFresh)) ?? null, "OIDC_FAILED");
      return {
        authorizationUrl: started.authorizationUrl,
        flow: cookie.seal({ ...started.flow, provider, challenge }),
      };
    },

    "user.finishOidc": async ({ params: { provider, query, flow } }) => {
      const kept = cookie.open(flow);
      if (kept?.provider !== provider) throw serviceError("OIDC_FAILED");
      const identity = (await oidcProviders.get(provider)?.finish(query, kept)) ?? null;
      if (identity === null) throw serviceError("OIDC_FAILED");
      return { oidcCode: await oidcCodes.make(identity, kept.challenge) };
    },

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

/** Stores the state of a login in a signed cookie, so that abandoned logins leave nothing on the server. */
function createFlowCookie(key: Buffer) {
  const sign = createSigner({ key, algorithm: "HS256", expiresIn: LIFETIME_MS });
  const verify = createVerifier({ key, algorithms: ["HS256"], requiredClaims: ["exp"], cache: false });
  return {
    seal: (flow: StoredFlow): string => sign({ ...flow }),

    /** @returns null when the signature is wrong or the cookie has expired */
    open(cookie: string): StoredFlow | null {
      try {
        const flow = verify(cookie) as Omit<StoredFlow, "provider"> & { provider?: string };
        // Absent if it was stored by a version with only one provider.
        return { provider: DEFAULT_PROVIDER, ...flow };
      } catch {
        return null;
      }
    },
  };
}
