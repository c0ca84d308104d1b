import type { MailTexts } from "./texts.ts";

const notYou = "If this was not you, set a new password at once: whoever did it can log in to your account.";

const accountOf = (username: string | null): string =>
  username === null ? "An account" : `The account “${username}”`;

export const en: MailTexts = {
  verifyEmail: ({ host, username }) => ({
    subject: `Verify your e-mail address for ${host}`,
    paragraphs: [
      `${accountOf(username)} at ${host} was registered with this address. If you registered it, open the link to verify the address.`,
      "The link works for 24 hours. If this is not your account, do not open it: your address would be added to another person's account.",
    ],
    action: "Verify address",
  }),
  confirmNewEmail: ({ host, username }) => ({
    subject: `Your new e-mail address for ${host}`,
    paragraphs: [
      `${accountOf(username)} at ${host} wants to use this address from now on. If it is your account, open the link to confirm.`,
      "The link works for 24 hours. If this is not your account, do not open it: your address would be added to another person's account.",
    ],
    action: "Use this address",
  }),
  emailChanged: ({ host }) => ({
    subject: `Your e-mail address for ${host} has changed`,
    paragraphs: [
      `Your account at ${host} has another e-mail address now, and mails no longer come here.`,
      "If this was not you, tell whoever runs the server.",
    ],
  }),
  invitation: ({ host, username, days }) => ({
    subject: `You are invited to ${host}`,
    paragraphs: [
      username === null
        ? `An admin of ${host} has created an account for you. Open the link to set a password.`
        : `An admin of ${host} has created an account for you. Your username is “${username}”. Open the link to set a password.`,
      `The link works once, for ${days} days. If you don't want the account, ignore this mail.`,
    ],
    action: "Set a password",
  }),
  resetPassword: ({ host, minutes, provider }) => ({
    subject: `Set a new password for ${host}`,
    paragraphs: [
      `Somebody, probably you, has forgotten the password of your account at ${host}. Open the link to set a new one.`,
      `The link is good for ${minutes} minutes and for one time. If it was not you, do nothing: the old password stays.`,
      ...(provider === null
        ? []
        : [
            `This account can also be signed in to through ${provider}. If you did not link it, select “Also remove other ways to sign in” on the page.`,
          ]),
    ],
    action: "Set a new password",
  }),
  passwordChanged: ({ host }) => ({
    subject: `Your password for ${host} has changed`,
    paragraphs: [
      `The password of your account at ${host} has been changed, and everybody else was logged out.`,
      "If this was not you, set a new one by “Forgot password?” at once.",
    ],
  }),
  oidcLinked: ({ host }) => ({
    subject: `A login was linked to your account at ${host}`,
    paragraphs: [
      `Your account at ${host} can now be signed in to through an identity provider as well.`,
      "If this was not you, set a new password by “Forgot password?” and select “Also remove other ways to sign in”.",
    ],
  }),
  oidcUnlinked: ({ host }) => ({
    subject: `A login was unlinked from your account at ${host}`,
    paragraphs: [
      `Your account at ${host} can no longer be signed in to through the identity provider.`,
      notYou,
    ],
  }),
  totpEnabled: ({ host }) => ({
    subject: `Logging in to ${host} asks for a code now`,
    paragraphs: [`The second factor of your account at ${host} has been turned on.`, notYou],
  }),
  totpDisabled: ({ host }) => ({
    subject: `Logging in to ${host} asks for no code any more`,
    paragraphs: [`The second factor of your account at ${host} has been turned off.`, notYou],
  }),
};
