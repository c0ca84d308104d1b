import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createLogger } from "@fanfare/kernel";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createIdpSource } from "./saml-metadata.ts";

const logger = createLogger("silent");
const source = (idp: string) => createIdpSource({ id: "work", idp }, logger);

const metadataOf = (entityId: string, parts = "") => `<?xml version="1.0"?>
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}">
  <md:IDPSSODescriptor xmlns:ds="http://www.w3.org/2000/09/xmldsig#">
    <md:KeyDescriptor use="encryption"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>no</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
    <md:KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>
      b
      25l
    </ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
    <md:KeyDescriptor><ds:KeyInfo><ds:X509Data><ds:X509Certificate>dHdv</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
    <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://idp.example/post"/>
    <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.example/sso"/>
    ${parts}
  </md:IDPSSODescriptor>
</md:EntityDescriptor>`;

test("reads the address for logins and all certificates for signatures", async () => {
  expect(await source(metadataOf("https://idp.example")).find()).toEqual({
    entityId: "https://idp.example",
    ssoUrl: "https://idp.example/sso",
    certificates: ["b25l", "dHdv"],
  });
});

const REDIRECT = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";
const idpWith = (parts: string) =>
  `<EntityDescriptor entityID="a"><IDPSSODescriptor>${parts}</IDPSSODescriptor></EntityDescriptor>`;

test.each([
  ["<EntityDescriptor", /metadata of work isn't XML/],
  ["<EntityDescriptor/>", /work has no EntityDescriptor with an entityID/],
  ['<EntityDescriptor entityID="a"><SPSSODescriptor/></EntityDescriptor>', /work has no IDPSSODescriptor/],
  [idpWith(""), /work has no SingleSignOnService with the binding HTTP-Redirect/],
  [idpWith(`<SingleSignOnService Binding="${REDIRECT}" Location="javascript:1"/>`), /and a URL/],
  [
    idpWith(`<SingleSignOnService Binding="${REDIRECT}" Location="https://a"/>`),
    /no certificate for signatures/,
  ],
])("reports what is wrong with %s at the start", async (xml, message) => {
  await expect(source(xml).check()).rejects.toThrow(message);
});

let server: Server;
let url: string;
let served: string | null;
beforeEach(async () => {
  server = createServer((_request, response) => {
    response.statusCode = served === null ? 500 : 200;
    response.end(served ?? "");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});
afterEach(() => {
  vi.useRealTimers();
  server.close();
  server.closeAllConnections();
});

test("reads a URL at the first login, again after an hour, and keeps what it has if that fails", async () => {
  const idp = source(url);
  served = null;
  await idp.check();
  await expect(idp.find()).rejects.toThrow("responded with 500");
  served = metadataOf("one");
  expect((await idp.find()).entityId).toBe("one");
  served = metadataOf("two");
  expect((await idp.find()).entityId).toBe("one");
  vi.setSystemTime(Date.now() + 61 * 60 * 1000);
  served = null;
  expect((await idp.find()).entityId).toBe("one");
  served = metadataOf("two");
  expect((await idp.find()).entityId).toBe("two");
});
