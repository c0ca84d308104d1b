import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { ACTIONS } from "../actions.ts";
import { errorsPage } from "./errors-page.ts";
import { openApiDocument } from "./openapi.ts";

test("is a valid OpenAPI 3.1 document", async () => {
  const validator = new Validator();
  const result = await validator.validate(structuredClone(openApiDocument()));
  expect(result).toEqual({ valid: true });
  expect(validator.version).toBe("3.1");
});

test("every reference leads somewhere", () => {
  const document = openApiDocument() as { components: { schemas: object } };
  const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
  for (const [, name] of references) expect(Object.keys(document.components.schemas)).toContain(name);
});

test("has what is reachable by HTTP and nothing internal", () => {
  const { paths } = openApiDocument() as { paths: object };
  const expected = Object.entries(ACTIONS).filter(([, { transports }]) => transports.includes("http"));
  expect(Object.keys(paths).sort()).toEqual(expected.map(([name]) => `/api/${name}`).sort());
  expect(paths).not.toHaveProperty(["/api/group.access"]);
});

test("the error page names every code once", () => {
  expect(errorsPage().match(/\| `RATE_LIMITED` \| 429 \| retry \| `retryAfterMs`: integer \|/g)).toHaveLength(
    1,
  );
});
