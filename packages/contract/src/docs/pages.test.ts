import { expect, test } from "vitest";
import { ACTIONS } from "../actions.ts";
import { apiPage } from "./pages.ts";

const page = apiPage();

test("lists exactly the actions that can be called by HTTP", () => {
  for (const [name, { transports }] of Object.entries(ACTIONS))
    expect([name, page.includes(`id="/api/${name}"`)]).toEqual([name, transports.includes("http")]);
});

test("marks optional query parameters of uploads", () => {
  const upload = page.slice(page.indexOf('id="/api/file.upload"'));
  for (const name of ["channelId", "name", "durationMs?", "peaks?"])
    expect(upload.slice(0, upload.indexOf("</details>"))).toContain(`<code>${name}</code>`);
});

test("has no scripts, inline styles or external resources", () => {
  expect(page).not.toMatch(/<script|<style|\sstyle=|\son\w+=|(?:src|href)="(?:https?:)?\/\//i);
});

test("all internal links have a target", () => {
  for (const [, id] of page.matchAll(/href="#([^"]+)"/g)) expect(page).toContain(`id="${id}"`);
});
