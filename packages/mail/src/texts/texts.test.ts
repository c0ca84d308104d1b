import { type Locale, LOCALES } from "@fanfare/contract";
import { expect, test } from "vitest";
import { type MailName, textOf, type ValuesOf } from "./texts.ts";

/** Appear in no text by themselves. */
const [host, username, provider] = ["chat.example.org", "lovelace", "login.example.com"];
const [days, minutes, more] = [17, 61, 93];
const missed = { title: "Grace", place: null, at: "2000-01-01T00:00:00.000Z", text: "Hi" };

/** With these, each email has all of its texts. */
const VALUES: { [N in MailName]: readonly ValuesOf<N>[] } = {
  verifyEmail: [{ username }, { username: null }],
  confirmNewEmail: [{ username }, { username: null }],
  emailChanged: [{}],
  invitation: [
    { username, days },
    { username: null, days },
  ],
  groupInvite: [{ username, group: "Rocket builders", days }],
  resetPassword: [{ minutes, provider }],
  passwordChanged: [{}],
  passwordInDirectory: [{}],
  ldapLinked: [{}],
  oidcLinked: [{}],
  oidcUnlinked: [{}],
  totpEnabled: [{}],
  totpDisabled: [{}],
  passkeyAdded: [{}],
  passkeyRemoved: [{}],
  missed: [{ items: [missed], more }],
};

/** The sentences and labels of an email, without the parts of items that are not translated. */
function textsOf(locale: Locale, name: MailName): string[] {
  const variants: readonly object[] = VALUES[name];
  return variants.flatMap((values) => {
    const all = { host, ...values } as Parameters<typeof textOf<MailName>>[2];
    const { subject, paragraphs, items = [], action = "", footer = [] } = textOf(locale, name, all);
    const labels = items.map(({ title }) => title.split(" · ")[1] ?? title);
    const sentences = paragraphs.flatMap((paragraph) => paragraph.split(/(?<=[.?:]) /));
    return [subject, ...sentences, ...labels, action, ...footer].filter((text) => text !== "");
  });
}

test.each(LOCALES.filter((locale) => locale !== "en"))(
  "the emails in %s are not English, and have the same values",
  (locale) => {
    const faults: string[] = [];
    for (const name of Object.keys(VALUES) as MailName[]) {
      const [english, own] = [textsOf("en", name), textsOf(locale, name)];
      faults.push(...own.filter((text) => english.includes(text)));
      const lost = [host, username, provider, days, minutes, more].filter(
        (value) => english.join().includes(`${value}`) && !own.join().includes(`${value}`),
      );
      faults.push(...lost.map((value) => `${name}: ${value}`));
    }
    expect(faults).toEqual([]);
  },
);
