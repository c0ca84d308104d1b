import { createWorld, isInstalled, must, type ServerProcess, TcpProxy, type World } from "@fanfare/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RULES_FILE } from "../../docker/test/monitoring/rules-file.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { alertingOf, startAlertmanager } from "./monitoring/alertmanager.ts";
import { Prometheus } from "./monitoring/prometheus.ts";

const hasServers = ["prometheus", "prometheus-alertmanager"].every(isInstalled);

/** Alerts have to last a minute before they are sent. */
const SENT = { timeout: 180_000, interval: 500 };

describe.skipIf(!hasServers)("alerts of the project's rules", () => {
  let instance: Instance;
  let world: World;
  let ops: TcpProxy;
  let alertmanager: ServerProcess;
  let prometheus: Prometheus;

  beforeAll(async () => {
    instance = await startInstance();
    world = await createWorld(instance.url);
    const params = { channelId: world.channel.id, name: "Alerts" };
    const { path } = await must(instance.url, "webhook.create", params, world.owner.accessToken);
    ops = await TcpProxy.start(Number(new URL(instance.opsUrl).port));
    alertmanager = await startAlertmanager(instance.url + path);
    const alerting = await alertingOf(alertmanager);
    prometheus = await Prometheus.start([`127.0.0.1:${ops.port}`], RULES_FILE, alerting);
  });
  afterAll(async () => {
    await prometheus?.stop();
    await alertmanager?.stop();
    await ops?.stop();
    await instance?.stop();
  });

  /** The texts of the webhook's messages, without their links. */
  async function alerts(): Promise<string[]> {
    const { channel, member } = world;
    const page = await must(instance.url, "message.list", { channelId: channel.id }, member.accessToken);
    return page.messages.filter(({ as }) => as?.name === "Alerts").map(({ content }) => content);
  }

  test(
    "are posted by a real Alertmanager when they fire and when they are resolved",
    { tags: "long" },
    async () => {
      await expect.poll(() => prometheus.query("fanfare_build_info"), SENT).toHaveLength(1);
      await ops.cut();
      const firing = expect.stringMatching(
        /^🔴 \*\*A Fanfare process is down\*\* \(FanfareDown, critical\)\nPrometheus has not reached 127\.0\.0\.1:\d+ for a minute\./,
      );
      await expect.poll(alerts, SENT).toContainEqual(firing);
      await ops.restore();
      const resolved = expect.stringMatching(
        /^🟢 Resolved: \*\*A Fanfare process is down\*\* \(FanfareDown, critical\)\n[^]*Runbook: docs\/run\/runbooks\.md#fanfaredown$/,
      );
      await expect.poll(alerts, SENT).toContainEqual(resolved);
      // Each state is posted once.
      const ofAlert = (await alerts()).filter((text) => text.includes("FanfareDown"));
      expect(ofAlert).toEqual([firing, resolved]);
    },
  );
});
