import { missedItems } from "./missed-items.ts";
import type { MailTexts } from "./texts.ts";

const notYou = "If this wasn't you, set a new password right away: someone else can log in to your account.";
const removeOthers =
  "If this wasn't you, set a new password with “Forgot your password?” and select “Also remove other ways to log in”.";

const accountOf = (username: string | null): string =>
  username === null ? "An account" : `The account “${username}”`;

export const en: MailTexts = {
  verifyEmail: ({ host, username }) => ({
    subject: `Verify your email address for ${host}`,
    paragraphs: [
      `${accountOf(username)} at ${host} was registered with this address. If you registered it, open the link to verify the address.`,
      "The link works for 24 hours. If this isn't your account, don't open it: your address would be added to someone else's account.",
    ],
    action: "Verify address",
  }),
  confirmNewEmail: ({ host, username }) => ({
    subject: `Your new email address for ${host}`,
    paragraphs: [
      `${accountOf(username)} at ${host} is about to use this address. If it's your account, open the link to confirm.`,
      "The link works for 24 hours. If this isn't your account, don't open it: your address would be added to someone else's account.",
    ],
    action: "Use this address",
  }),
  emailChanged: ({ host }) => ({
    subject: `Your email address for ${host} has changed`,
    paragraphs: [
      `The email address of your account at ${host} was changed. Emails are no longer sent to this address.`,
      "If this wasn't you, contact an admin of the server.",
    ],
  }),
  invitation: ({ host, username, days }) => ({
    subject: `You're invited to ${host}`,
    paragraphs: [
      username === null
        ? `An admin of ${host} has created an account for you. Open the link to set a password.`
        : `An admin of ${host} has created an account for you. Your username is “${username}”. Open the link to set a password.`,
      `The link works once, for ${days} days. If you don't want the account, ignore this email.`,
    ],
    action: "Set a password",
  }),
  groupInvite: ({ host, username, group, days }) => ({
    subject: `${username} invited you to ${host}`,
    paragraphs: [
      `${username} invites you to join a group on ${host}. Open the link to see it.`,
      `The link works once, for ${days} days. If you don't know ${username} or don't want to join, ignore this email. You won't become a member.`,
    ],
    items: [{ title: "Group", text: group }],
    action: "Open the invite",
  }),
  resetPassword: ({ host, minutes, provider }) => ({
    subject: `Set a new password for ${host}`,
    paragraphs: [
      `Someone, probably you, asked to reset the password of your account at ${host}. Open the link to set a new one.`,
      `The link works once, for ${minutes} minutes. If this wasn't you, ignore this email: your password doesn't change.`,
      ...(provider === null
        ? []
        : [
            `You can also log in to this account through ${provider}. If you didn't connect it, select “Also remove other ways to log in” on the page.`,
          ]),
    ],
    action: "Set a new password",
  }),
  passwordChanged: ({ host }) => ({
    subject: `Your password for ${host} has changed`,
    paragraphs: [
      `The password of your account at ${host} was changed, and all other sessions were logged out.`,
      "If this wasn't you, set a new one with “Forgot your password?” right away.",
    ],
  }),
  passwordInDirectory: ({ host }) => ({
    subject: `Your password for ${host}`,
    paragraphs: [
      `Someone, probably you, asked to reset the password of your account at ${host}.`,
      "This account uses the password of your organization's directory. You can only change it there. If you don't know how, ask the people who run it.",
    ],
  }),
  ldapLinked: ({ host }) => ({
    subject: `A login was connected to your account at ${host}`,
    paragraphs: [
      `You can now also log in to your account at ${host} with the password of your organization's directory.`,
      removeOthers,
    ],
  }),
  oidcLinked: ({ host }) => ({
    subject: `A login was connected to your account at ${host}`,
    paragraphs: [
      `You can now also log in to your account at ${host} through an identity provider.`,
      removeOthers,
    ],
  }),
  oidcUnlinked: ({ host }) => ({
    subject: `A login was disconnected from your account at ${host}`,
    paragraphs: [
      `You can no longer log in to your account at ${host} through the identity provider.`,
      notYou,
    ],
  }),
  totpEnabled: ({ host }) => ({
    subject: `Two-step verification is on for ${host}`,
    paragraphs: [`Two-step verification was turned on for your account at ${host}.`, notYou],
  }),
  totpDisabled: ({ host }) => ({
    subject: `Two-step verification is off for ${host}`,
    paragraphs: [`Two-step verification was turned off for your account at ${host}.`, notYou],
  }),
  passkeyAdded: ({ host }) => ({
    subject: `A passkey was added to your account at ${host}`,
    paragraphs: [
      `You can now log in to your account at ${host} with a passkey, without your password.`,
      removeOthers,
    ],
  }),
  passkeyRemoved: ({ host }) => ({
    subject: `A passkey was removed from your account at ${host}`,
    paragraphs: [`You can no longer log in to your account at ${host} with it.`, notYou],
  }),
  missed: (values) => ({
    subject: `Unread messages on ${values.host}`,
    paragraphs: [`You haven't been connected to ${values.host}, and haven't read these messages yet.`],
    items: missedItems("en", values, {
      direct: "Direct message",
      more: `More unread messages: ${values.more}`,
    }),
    action: "Open the newest message",
    footer: ["Choose when you get these emails", "Turn off these emails"],
  }),
};
