import { expect, test } from "vitest";
import { ACTIONS } from "../actions.ts";
import { apiPage } from "./api-page.ts";

const page = apiPage();

test("shows every action that can be called by HTTP, and no other", () => {
  for (const [name, { transports }] of Object.entries(ACTIONS))
    expect([name, page.includes(`id="/api/${name}"`)]).toEqual([name, transports.includes("http")]);
});

test("has no script, nothing inline, and nothing of other servers", () => {
  expect(page).not.toMatch(/<script|<style|\sstyle=|\son\w+=|(?:src|href)="(?:https?:)?\/\//i);
});

test("every link within it leads somewhere", () => {
  for (const [, id] of page.matchAll(/href="#([^"]+)"/g)) expect(page).toContain(`id="${id}"`);
});
