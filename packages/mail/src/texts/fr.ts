import { missedItems } from "./missed-items.ts";
import type { MailTexts } from "./texts.ts";

const notYou =
  "Si ce n’était pas vous, définissez immédiatement un nouveau mot de passe : quelqu’un d’autre peut se connecter à votre compte.";
const removeOthers =
  "Si ce n’était pas vous, définissez un nouveau mot de passe avec « Mot de passe oublié ? » et cochez « Retirer aussi les autres moyens de se connecter ».";
const wrongAccount =
  "Le lien est valable 24 heures. Si ce n’est pas votre compte, ne l’ouvrez pas : votre adresse serait associée au compte de quelqu’un d’autre.";

const accountOf = (username: string | null): string =>
  username === null ? "Un compte" : `Le compte « ${username} »`;

export const fr: MailTexts = {
  verifyEmail: ({ host, username }) => ({
    subject: `Confirmez votre adresse e-mail pour ${host}`,
    paragraphs: [
      `${accountOf(username)} a été créé sur ${host} avec cette adresse. Si c’était vous, ouvrez le lien pour confirmer l’adresse.`,
      wrongAccount,
    ],
    action: "Confirmer l’adresse",
  }),
  confirmNewEmail: ({ host, username }) => ({
    subject: `Votre nouvelle adresse e-mail pour ${host}`,
    paragraphs: [
      `${accountOf(username)} sur ${host} doit désormais utiliser cette adresse. Si c’est votre compte, ouvrez le lien pour confirmer.`,
      wrongAccount,
    ],
    action: "Utiliser cette adresse",
  }),
  emailChanged: ({ host }) => ({
    subject: `Votre adresse e-mail pour ${host} a changé`,
    paragraphs: [
      `L’adresse e-mail de votre compte sur ${host} a été modifiée. Plus aucun e-mail n’est envoyé à cette adresse.`,
      "Si ce n’était pas vous, contactez un admin du serveur.",
    ],
  }),
  invitation: ({ host, username, days }) => ({
    subject: `Invitation à rejoindre ${host}`,
    paragraphs: [
      username === null
        ? `Un admin de ${host} a créé un compte pour vous. Ouvrez le lien pour définir un mot de passe.`
        : `Un admin de ${host} a créé un compte pour vous. Votre nom d’utilisateur est « ${username} ». Ouvrez le lien pour définir un mot de passe.`,
      `Le lien ne fonctionne qu’une fois et reste valable ${days} jours. Si vous ne voulez pas de ce compte, ignorez cet e-mail.`,
    ],
    action: "Définir un mot de passe",
  }),
  groupInvite: ({ host, username, group, days }) => ({
    subject: `${username} vous invite sur ${host}`,
    paragraphs: [
      `${username} vous invite à rejoindre un groupe sur ${host}. Ouvrez le lien pour le voir.`,
      `Le lien ne fonctionne qu’une fois et reste valable ${days} jours. Si vous ne connaissez pas ${username} ou ne voulez pas rejoindre le groupe, ignorez cet e-mail. Vous n’en deviendrez pas membre.`,
    ],
    items: [{ title: "Groupe", text: group }],
    action: "Ouvrir l’invitation",
  }),
  resetPassword: ({ host, minutes, provider }) => ({
    subject: `Définissez un nouveau mot de passe pour ${host}`,
    paragraphs: [
      `Quelqu’un, sans doute vous, a demandé la réinitialisation du mot de passe de votre compte sur ${host}. Ouvrez le lien pour en définir un nouveau.`,
      `Le lien ne fonctionne qu’une fois et reste valable ${minutes} minutes. Si ce n’était pas vous, ignorez cet e-mail : votre mot de passe reste inchangé.`,
      ...(provider === null
        ? []
        : [
            `La connexion à ce compte est aussi possible avec ${provider}. Si vous ne l’avez pas associée vous-même, cochez « Retirer aussi les autres moyens de se connecter » sur la page.`,
          ]),
    ],
    action: "Définir un nouveau mot de passe",
  }),
  passwordChanged: ({ host }) => ({
    subject: `Votre mot de passe pour ${host} a changé`,
    paragraphs: [
      `Le mot de passe de votre compte sur ${host} a été modifié, et toutes les autres sessions ont été fermées.`,
      "Si ce n’était pas vous, définissez-en immédiatement un nouveau avec « Mot de passe oublié ? ».",
    ],
  }),
  passwordInDirectory: ({ host }) => ({
    subject: `Votre mot de passe pour ${host}`,
    paragraphs: [
      `Quelqu’un, sans doute vous, a demandé la réinitialisation du mot de passe de votre compte sur ${host}.`,
      "Ce compte utilise le mot de passe de l’annuaire de votre organisation. Vous ne pouvez le modifier que dans cet annuaire. Si vous ne savez pas comment faire, adressez-vous à votre service informatique.",
    ],
  }),
  ldapLinked: ({ host }) => ({
    subject: `Un moyen de connexion a été associé à votre compte sur ${host}`,
    paragraphs: [
      `Vous pouvez maintenant aussi vous connecter à votre compte sur ${host} avec le mot de passe de l’annuaire de votre organisation.`,
      removeOthers,
    ],
  }),
  oidcLinked: ({ host }) => ({
    subject: `Un moyen de connexion a été associé à votre compte sur ${host}`,
    paragraphs: [
      `Vous pouvez maintenant aussi vous connecter à votre compte sur ${host} avec un fournisseur d’identité.`,
      removeOthers,
    ],
  }),
  oidcUnlinked: ({ host }) => ({
    subject: `Un moyen de connexion a été dissocié de votre compte sur ${host}`,
    paragraphs: [
      `Vous ne pouvez plus vous connecter à votre compte sur ${host} avec le fournisseur d’identité.`,
      notYou,
    ],
  }),
  totpEnabled: ({ host }) => ({
    subject: `L’authentification à deux facteurs est activée pour ${host}`,
    paragraphs: [`L’authentification à deux facteurs a été activée pour votre compte sur ${host}.`, notYou],
  }),
  totpDisabled: ({ host }) => ({
    subject: `L’authentification à deux facteurs est désactivée pour ${host}`,
    paragraphs: [
      `L’authentification à deux facteurs a été désactivée pour votre compte sur ${host}.`,
      notYou,
    ],
  }),
  passkeyAdded: ({ host }) => ({
    subject: `Une clé d’accès a été ajoutée à votre compte sur ${host}`,
    paragraphs: [
      `Vous pouvez maintenant vous connecter à votre compte sur ${host} avec une clé d’accès, sans votre mot de passe.`,
      removeOthers,
    ],
  }),
  passkeyRemoved: ({ host }) => ({
    subject: `Une clé d’accès a été retirée de votre compte sur ${host}`,
    paragraphs: [
      `Vous ne pouvez plus vous en servir pour vous connecter à votre compte sur ${host}.`,
      notYou,
    ],
  }),
  missed: (values) => ({
    subject: `Messages non lus sur ${values.host}`,
    paragraphs: [`Vous n’étiez pas connecté à ${values.host} et n’avez pas encore lu ces messages.`],
    items: missedItems("fr", values, {
      direct: "Message direct",
      more: `Autres messages non lus : ${values.more}`,
    }),
    action: "Ouvrir le message le plus récent",
    footer: ["Choisir quand recevoir ces e-mails", "Ne plus recevoir ces e-mails"],
  }),
};
