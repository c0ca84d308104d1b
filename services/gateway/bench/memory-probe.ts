// Preloaded into the servers that are measured: answers with the memory of its process.
process.on("message", () => {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({ rss, heapUsed, cpuMs: (process.cpuUsage().user + process.cpuUsage().system) / 1000 });
});
process.channel?.unref();
