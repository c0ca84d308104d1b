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

test("renders an email without a link", () => {
  const mail = render(textOf("en", "emailChanged", { host: "chat.example.org" }), "en");
  expect(mail.html).not.toContain("<a ");
  expect(mail.text).toContain("chat.example.org");
});

test("renders each language", () => {
  const values = { host: "chat.example.org", minutes: 60, provider: null };
  const [en, zh] = (["en", "zh"] as const).map((locale) =>
    render(textOf(locale, "resetPassword", values), locale, "https://chat.example.org/x"),
  );
  expect(en?.subject).toBe("Set a new password for chat.example.org");
  expect(zh?.subject).toBe("设置您在 chat.example.org 的新密码");
  expect(zh?.html).toContain('lang="zh-Hans"');
});

test("the password reset email names the linked login", () => {
  const values = { host: "chat.example.org", minutes: 60, provider: "login.example.com" };
  for (const locale of ["en", "zh"] as const) {
    expect(textOf(locale, "resetPassword", values).paragraphs.join()).toContain("login.example.com");
    const none = textOf(locale, "resetPassword", { ...values, provider: null });
    expect(none.paragraphs).toHaveLength(2);
  }
});
