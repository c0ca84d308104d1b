import { missedItems } from "./missed-items.ts";
import type { MailTexts } from "./texts.ts";

const notYou =
  "Wenn du das nicht warst, lege sofort ein neues Passwort fest: Jemand anderes kann sich in deinem Konto anmelden.";
const removeOthers =
  "Wenn du das nicht warst, lege über „Passwort vergessen?“ ein neues Passwort fest und wähle „Auch andere Anmeldewege entfernen“.";
const wrongAccount =
  "Der Link gilt 24 Stunden. Wenn das nicht dein Konto ist, öffne ihn nicht: Sonst wird deine Adresse mit einem fremden Konto verknüpft.";

const accountOf = (username: string | null): string =>
  username === null ? "Ein Konto" : `Das Konto „${username}“`;

export const de: MailTexts = {
  verifyEmail: ({ host, username }) => ({
    subject: `Bestätige deine E-Mail-Adresse für ${host}`,
    paragraphs: [
      `${accountOf(username)} bei ${host} wurde mit dieser Adresse registriert. Wenn du das warst, öffne den Link, um die Adresse zu bestätigen.`,
      wrongAccount,
    ],
    action: "Adresse bestätigen",
  }),
  confirmNewEmail: ({ host, username }) => ({
    subject: `Deine neue E-Mail-Adresse für ${host}`,
    paragraphs: [
      `${accountOf(username)} bei ${host} soll künftig diese Adresse verwenden. Wenn es dein Konto ist, öffne den Link, um das zu bestätigen.`,
      wrongAccount,
    ],
    action: "Diese Adresse verwenden",
  }),
  emailChanged: ({ host }) => ({
    subject: `Deine E-Mail-Adresse für ${host} wurde geändert`,
    paragraphs: [
      `Die E-Mail-Adresse deines Kontos bei ${host} wurde geändert. An diese Adresse werden keine E-Mails mehr gesendet.`,
      "Wenn du das nicht warst, wende dich an einen Admin des Servers.",
    ],
  }),
  invitation: ({ host, username, days }) => ({
    subject: `Einladung zu ${host}`,
    paragraphs: [
      username === null
        ? `Ein Admin von ${host} hat ein Konto für dich erstellt. Öffne den Link, um ein Passwort festzulegen.`
        : `Ein Admin von ${host} hat ein Konto für dich erstellt. Dein Benutzername ist „${username}“. Öffne den Link, um ein Passwort festzulegen.`,
      `Der Link funktioniert einmal und gilt ${days} Tage. Wenn du das Konto nicht möchtest, ignoriere diese E-Mail.`,
    ],
    action: "Passwort festlegen",
  }),
  groupInvite: ({ host, username, group, days }) => ({
    subject: `${username} hat dich zu ${host} eingeladen`,
    paragraphs: [
      `${username} lädt dich in eine Gruppe bei ${host} ein. Öffne den Link, um sie anzusehen.`,
      `Der Link funktioniert einmal und gilt ${days} Tage. Wenn du ${username} nicht kennst oder nicht beitreten möchtest, ignoriere diese E-Mail. Du wirst dann kein Mitglied.`,
    ],
    items: [{ title: "Gruppe", text: group }],
    action: "Einladung öffnen",
  }),
  resetPassword: ({ host, minutes, provider }) => ({
    subject: `Neues Passwort für ${host} festlegen`,
    paragraphs: [
      `Jemand, wahrscheinlich du, möchte das Passwort deines Kontos bei ${host} zurücksetzen. Öffne den Link, um ein neues festzulegen.`,
      `Der Link funktioniert einmal und gilt ${minutes} Minuten. Wenn du das nicht warst, ignoriere diese E-Mail: Dein Passwort bleibt unverändert.`,
      ...(provider === null
        ? []
        : [
            `Die Anmeldung bei diesem Konto ist auch über ${provider} möglich. Wenn du diese Anmeldung nicht selbst verbunden hast, wähle auf der Seite „Auch andere Anmeldewege entfernen“.`,
          ]),
    ],
    action: "Neues Passwort festlegen",
  }),
  passwordChanged: ({ host }) => ({
    subject: `Dein Passwort für ${host} wurde geändert`,
    paragraphs: [
      `Das Passwort deines Kontos bei ${host} wurde geändert, und alle anderen Sitzungen wurden beendet.`,
      "Wenn du das nicht warst, lege sofort über „Passwort vergessen?“ ein neues fest.",
    ],
  }),
  passwordInDirectory: ({ host }) => ({
    subject: `Dein Passwort für ${host}`,
    paragraphs: [
      `Jemand, wahrscheinlich du, möchte das Passwort deines Kontos bei ${host} zurücksetzen.`,
      "Dieses Konto verwendet das Passwort aus dem Verzeichnisdienst deiner Organisation. Du kannst es nur dort ändern. Wenn du nicht weißt, wie, wende dich an deine IT-Abteilung.",
    ],
  }),
  ldapLinked: ({ host }) => ({
    subject: `Ein Anmeldeweg wurde mit deinem Konto bei ${host} verbunden`,
    paragraphs: [
      `Du kannst dich bei ${host} jetzt auch mit dem Passwort aus dem Verzeichnisdienst deiner Organisation anmelden.`,
      removeOthers,
    ],
  }),
  oidcLinked: ({ host }) => ({
    subject: `Ein Anmeldeweg wurde mit deinem Konto bei ${host} verbunden`,
    paragraphs: [
      `Du kannst dich bei ${host} jetzt auch über einen Identitätsanbieter anmelden.`,
      removeOthers,
    ],
  }),
  oidcUnlinked: ({ host }) => ({
    subject: `Ein Anmeldeweg wurde von deinem Konto bei ${host} getrennt`,
    paragraphs: [`Du kannst dich bei ${host} nicht mehr über den Identitätsanbieter anmelden.`, notYou],
  }),
  totpEnabled: ({ host }) => ({
    subject: `Die Zwei-Faktor-Authentifizierung ist für ${host} eingeschaltet`,
    paragraphs: [`Für dein Konto bei ${host} wurde die Zwei-Faktor-Authentifizierung eingeschaltet.`, notYou],
  }),
  totpDisabled: ({ host }) => ({
    subject: `Die Zwei-Faktor-Authentifizierung ist für ${host} ausgeschaltet`,
    paragraphs: [`Für dein Konto bei ${host} wurde die Zwei-Faktor-Authentifizierung ausgeschaltet.`, notYou],
  }),
  passkeyAdded: ({ host }) => ({
    subject: `Deinem Konto bei ${host} wurde ein Passkey hinzugefügt`,
    paragraphs: [
      `Du kannst dich bei ${host} jetzt auch mit einem Passkey anmelden, ohne dein Passwort.`,
      removeOthers,
    ],
  }),
  passkeyRemoved: ({ host }) => ({
    subject: `Ein Passkey wurde aus deinem Konto bei ${host} entfernt`,
    paragraphs: [`Du kannst dich damit nicht mehr bei ${host} anmelden.`, notYou],
  }),
  missed: (values) => ({
    subject: `Ungelesene Nachrichten bei ${values.host}`,
    paragraphs: [
      `Du warst nicht mit ${values.host} verbunden und hast diese Nachrichten noch nicht gelesen.`,
    ],
    items: missedItems("de", values, {
      direct: "Direktnachricht",
      more: `Weitere ungelesene Nachrichten: ${values.more}`,
    }),
    action: "Neueste Nachricht öffnen",
    footer: ["Festlegen, wann du solche E-Mails erhältst", "Diese E-Mails abbestellen"],
  }),
};
