import { startInstance, type Instance } from "../../../test/support/instance.ts";
import { afterAll, beforeAll, expect, test } from "vitest";

let instance: Instance;
beforeAll(async () => {
  instance = await startInstance();
});
afterAll(() => instance.stop());

test("serves the documents of the contract", async () => {
  for (const [name, version] of [
    ["openapi", "3.1.0"],
    ["asyncapi", "3.0.0"],
  ]) {
    const response = await fetch(`${instance.url}/api/${name}.json`);
    expect(response.headers.get("content-type")).toContain("application/json");
    expect(await response.json()).toMatchObject({ [name!]: version });
  }
});

test("the page lists actions under a policy that doesn't allow inline scripts", async () => {
  const response = await fetch(`${instance.url}/api/docs`);
  expect(response.headers.get("content-type")).toContain("text/html");
  expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(response.headers.get("content-security-policy")).not.toContain("unsafe");
  expect(await response.text()).toContain("/api/message.send");
  const style = await fetch(`${instance.url}/api/docs.css`);
  expect(style.headers.get("content-type")).toContain("text/css");
  await style.arrayBuffer();
});
