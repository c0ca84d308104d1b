import { isInstalled } from "@fanfare/testing";
import { afterAll, beforeAll, describe } from "vitest";
import { type Cluster, startCluster } from "../../support/cluster.ts";
import { testAdministration } from "./administration.ts";
import { testDirectChannels } from "./direct-channels.ts";
import { testPresence } from "./presence.ts";
import { testPrivateChannels } from "./private-channels.ts";

// One cluster for everything that disturbs no later test: starting seven processes takes as long as these
// tests.
describe.skipIf(!isInstalled("nats-server") || !isInstalled("redis-server"))(
  "two gateways, two workers",
  () => {
    let cluster: Cluster;
    beforeAll(async () => {
      cluster = await startCluster({ gateways: 2, workers: 2 });
    });
    afterAll(() => cluster?.stop());

    const shared = () => cluster;
    describe("administration", () => {
      testAdministration(shared);
    });
    describe("private channels", () => {
      testPrivateChannels(shared);
    });
    describe("group DMs", () => {
      testDirectChannels(shared);
    });
    describe("presence", () => {
      testPresence(shared);
    });
  },
);
