import { LIMITS } from "@fanfare/contract";
import type { Mailer } from "@fanfare/mail";
import type { MailedTokenRepository } from "./mailed-token.repository.ts";
import type { MailedPurpose } from "./mailed-token.model.ts";
import { hashSecret, newSecret } from "./refresh-token.ts";
import type { UserDocument } from "./user.model.ts";
import { localeOf } from "./user.presenter.ts";

const LIFETIME_MS: Record<MailedPurpose, number> = {
  resetPassword: LIMITS.passwordResetLifetimeMs,
  verifyEmail: LIMITS.emailVerificationLifetimeMs,
};
const MINUTE_MS = 60_000;

export type AccountMails = ReturnType<typeof createAccountMails>;

/** The mails about an account, in its language, and the tokens of the links in them. */
export function createAccountMails(mailer: Mailer, tokens: MailedTokenRepository) {
  const makeToken = async (user: UserDocument, purpose: MailedPurpose, email: string): Promise<string> => {
    const token = newSecret();
    const expiresAt = new Date(Date.now() + LIFETIME_MS[purpose]);
    await tokens.insert({ _id: hashSecret(token), userId: user._id, purpose, email, expiresAt });
    return token;
  };

  return {
    /** Sends nothing where the account has no address. */
    async sendReset(user: UserDocument): Promise<void> {
      if (user.email === undefined) return;
      const token = await makeToken(user, "resetPassword", user.email);
      const minutes = LIMITS.passwordResetLifetimeMs / MINUTE_MS;
      const to = { email: user.email, locale: localeOf(user) };
      mailer.send(to, "resetPassword", { minutes }, `/reset-password#token=${token}`);
    },

    /** The link that says that an address is the user's; a new one takes the old one's place with it. Links sent before are void. */
    async sendVerification(user: UserDocument, email: string): Promise<void> {
      await tokens.removeAll(user._id.toHexString(), ["verifyEmail"]);
      const token = await makeToken(user, "verifyEmail", email);
      const name = email === user.email ? "verifyEmail" : "confirmNewEmail";
      mailer.send({ email, locale: localeOf(user) }, name, {}, `/verify-email#token=${token}`);
    },

    /** @param email where the user can be told; nobody is where there is none */
    notify(
      user: UserDocument,
      name: "emailChanged" | "passwordChanged" | "totpEnabled" | "totpDisabled",
      email = user.email,
    ): void {
      if (email !== undefined) mailer.send({ email, locale: localeOf(user) }, name, {});
    },
  };
}
