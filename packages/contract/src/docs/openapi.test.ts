import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { ACTIONS } from "../actions.ts";
import { errorsPage } from "./pages.ts";
import { openApiDocument } from "./openapi.ts";

test("is a valid OpenAPI 3.1 document", async () => {
  const validator = new Validator();
  const result = await validator.validate(structuredClone(openApiDocument()));
  expect(result).toEqual({ valid: true });
  expect(validator.version).toBe("3.1");
});

test("all references resolve", () => {
  const document = openApiDocument() as { components: { schemas: object } };
  const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
  for (const [, name] of references) expect(Object.keys(document.components.schemas)).toContain(name);
});

test("has exactly the actions reachable by HTTP", () => {
  const { paths } = openApiDocument() as { paths: object };
  const expected = Object.entries(ACTIONS).filter(([, { transports }]) => transports.includes("http"));
  const uploads = ["/api/file.upload", "/api/file.uploadPicture"];
  expect(Object.keys(paths).sort()).toEqual([...expected.map(([name]) => `/api/${name}`), ...uploads].sort());
  expect(paths).not.toHaveProperty(["/api/group.access"]);
});

test("an upload has the raw file as body and the other params in the query", () => {
  const { paths } = openApiDocument() as { paths: Record<string, { post: Record<string, unknown> }> };
  const { parameters, requestBody, responses } = paths["/api/file.upload"]!.post;
  expect(parameters).toMatchObject([
    { name: "channelId", in: "query", required: true },
    { name: "name", required: true },
    { name: "durationMs", required: false },
    { name: "peaks", required: false },
    { in: "header", required: true },
  ]);
  expect(requestBody).toHaveProperty(["content", "application/octet-stream"]);
  expect(JSON.stringify(responses)).toContain("StoredFile");
});

test("the error page lists every code once", () => {
  expect(errorsPage().match(/\| `RATE_LIMITED` \| 429 \| retry \| `retryAfterMs`: integer \|/g)).toHaveLength(
    1,
  );
});
