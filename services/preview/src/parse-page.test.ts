import { expect, test } from "vitest";
import { parsePage } from "./parse-page.ts";

const URL = "https://example.com/dir/page";

test("reads Open Graph tags", () => {
  const html = `<html><head><title>Plain</title>
    <meta property="og:title" content="A &amp; B"><meta property="og:description" content="Some
    lines"><meta property="og:site_name" content="Site"><meta property="og:image" content="/a.png"></head>`;
  expect(parsePage(html, URL)).toEqual({
    url: URL,
    title: "A & B",
    description: "Some lines",
    siteName: "Site",
    imageUrl: "https://example.com/a.png",
  });
});

test("falls back to title and description; without a title there is no preview", () => {
  expect(parsePage(`<title> T </title><meta name="description" content="D">`, URL)).toMatchObject({
    title: "T",
    description: "D",
    siteName: "",
    imageUrl: null,
  });
  expect(parsePage("<p>text", URL)).toBeNull();
  expect(parsePage("", URL)).toBeNull();
});

test("sanitizes titles and URLs", () => {
  const image = (content: string) =>
    parsePage(`<title>T</title><meta property="og:image" content="${content}">`, URL);
  for (const bad of [
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "https://a:b@example.com/",
  ])
    expect(image(bad)!.imageUrl).toBeNull();
  const html = `<title>${"x".repeat(10_000)}\u202e\u0000y</title><body><meta property="og:title" content="from the body">`;
  expect(parsePage(html, URL)!.title).toBe("x".repeat(256));
  expect(parsePage(`<title>a\u202eb</title>`, URL)!.title).toBe("a b");
});
