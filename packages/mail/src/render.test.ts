import { type Locale, LOCALES } from "@fanfare/contract";
import { expect, test } from "vitest";
import { render } from "./render.ts";
import { textOf } from "./texts/texts.ts";

test("escapes HTML in all values", () => {
  const link = `https://chat.example.org/#token=a"><script>alert('1')</script>&b`;
  const { html, text } = render({ subject: "<b>", paragraphs: ["<i>&</i>"], action: "Go <on>" }, "en", link);
  expect(html).not.toMatch(/<script|<i>|<b>|<on>/);
  expect(html).toContain("&lt;i&gt;&amp;&lt;/i&gt;");
  expect(html).toContain('<a href="https://chat.example.org/#token=a&quot;&gt;');
  expect(text).toContain(link);
});

test("each line of what others wrote is quoted", () => {
  const items = [{ title: "Ann\rsays", text: "a\rb\r\nc\u2028d\u2029e\nf" }];
  const { html, text } = render({ subject: "s", paragraphs: ["first"], items }, "en");
  expect(text).toBe("first\n\nAnn says\n> a\n> b\n> c\n> d\n> e\n> f\n");
  expect(html).toContain('<blockquote dir="auto">a<br>b<br>c<br>d<br>e<br>f</blockquote>');
});

test("renders an email without a link", () => {
  const mail = render(textOf("en", "emailChanged", { host: "chat.example.org" }), "en");
  expect(mail.html).not.toContain("<a ");
  expect(mail.text).toContain("chat.example.org");
});

test("renders each language in its direction", () => {
  const values = { host: "chat.example.org", minutes: 60, provider: null };
  const mails = LOCALES.map((locale) =>
    render(textOf(locale, "resetPassword", values), locale, "https://chat.example.org/x"),
  );
  expect(new Set(mails.map(({ subject }) => subject)).size).toBe(LOCALES.length);
  for (const { subject, text } of mails) {
    expect(subject).toContain("chat.example.org");
    expect(text).toContain("60");
  }
  const html = (locale: Locale) => mails[LOCALES.indexOf(locale)]!.html;
  expect(html("zh")).toContain('lang="zh-Hans" dir="ltr"');
  expect(html("ar")).toContain('lang="ar" dir="rtl"');
});

test("the password reset email names the linked login", () => {
  const values = { host: "chat.example.org", minutes: 60, provider: "login.example.com" };
  for (const locale of LOCALES) {
    expect(textOf(locale, "resetPassword", values).paragraphs.join()).toContain("login.example.com");
    const none = textOf(locale, "resetPassword", { ...values, provider: null });
    expect(none.paragraphs).toHaveLength(2);
  }
});
