// Runs in the frame of a plug-in (src/plugins/plugin-frame.ts), before its program, which it loads. The gateway serves the frame with an origin
// of its own: it can only talk to the page, over a port.
(function () {
  /** For what plug-ins draw: the page's colors, as it sends them. */
  var STYLES =
    ":root { color-scheme: var(--scheme); font: 15px/1.45 system-ui, sans-serif; }" +
    "body { margin: 0; padding: 16px; color: var(--text); background: var(--canvas); overflow-wrap: anywhere; }" +
    "h2 { margin: 16px 0 8px; font-size: 15px; }" +
    "button, input, select, textarea { box-sizing: border-box; width: 100%; margin: 0 0 8px; padding: 7px 10px; font: inherit; color: inherit; text-align: start;" +
    " background: var(--field); border: 1px solid var(--line-strong); border-radius: 6px; }" +
    "button { cursor: pointer; } button:hover { background: var(--hover); }" +
    "button[aria-pressed=true] { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }" +
    ":focus-visible { outline: 2px solid var(--focus); outline-offset: 1px; }" +
    "a { color: var(--accent-text); } [role=alert] { color: var(--danger-text); } [role=alert]:empty { display: none; }";

  // The frame's policy doesn't cover these connections, and browsers don't know `webrtc 'block'` yet.
  delete globalThis.RTCPeerConnection;
  delete globalThis.webkitRTCPeerConnection;

  var port = null;
  var plugin = null;
  var close = null;
  var lastId = 0;
  var waiting = new Map();
  var subscribers = new Set();

  function ask(message) {
    return new Promise(function (resolve, reject) {
      message.id = ++lastId;
      waiting.set(message.id, { resolve: resolve, reject: reject });
      port.postMessage(message);
    });
  }

  var api = {
    call: (action, params) =>
      ask({ type: "call", action: action, params: params === undefined ? {} : params }),
    subscribe: function (listener) {
      subscribers.add(listener);
      return () => subscribers.delete(listener);
    },
    openPanel: (id) => port.postMessage({ type: "openPanel", panel: id }),
    insertText: (text) => port.postMessage({ type: "insertText", text: text }),
    openLink: (url) => port.postMessage({ type: "openLink", url: url }),
  };

  globalThis.definePagePlugin = function (defined) {
    if (plugin !== null) throw new Error("definePagePlugin was called twice.");
    plugin = defined;
    port.postMessage({ type: "defined" });
  };

  /** Answers what the page asks for. */
  var handlers = {
    card: (message) => plugin.messageCard(message.link, api),
    composerAction: (message) => plugin.composerActions[message.action](message.context, api),
    panel: function (message) {
      if (close !== null) close();
      subscribers.clear();
      document.body.replaceChildren();
      close = plugin.panels[message.panel](document.body, message.context, api) || null;
    },
  };

  async function receive(event) {
    var message = event.data;
    if (message.type === "answer") {
      var asked = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.ok) asked.resolve(message.data);
      else asked.reject(new Error(message.message));
      return;
    }
    if (message.type === "published") {
      for (var listener of subscribers) listener(message.published);
      return;
    }
    try {
      var data = await handlers[message.type](message);
      port.postMessage({
        type: "result",
        id: message.id,
        ok: true,
        data: message.type === "card" ? data : null,
      });
    } catch (error) {
      port.postMessage({ type: "result", id: message.id, ok: false });
      throw error;
    }
  }

  addEventListener("message", function (event) {
    if (port !== null || event.source !== parent || event.data.type !== "start") return;
    port = event.ports[0];
    port.addEventListener("message", (received) => void receive(received));
    port.start();
    var colors = Object.entries(event.data.colors).map((entry) => "--" + entry[0] + ": " + entry[1] + ";");
    var sheet = new CSSStyleSheet();
    sheet.replaceSync(":root { " + colors.join(" ") + " }" + STYLES);
    document.adoptedStyleSheets = [sheet];
    document.documentElement.lang = event.data.language;
    document.documentElement.dir = event.data.direction;
    var script = document.createElement("script");
    script.type = "module";
    script.crossOrigin = "anonymous";
    script.integrity = event.data.integrity;
    script.src = event.data.path;
    script.addEventListener("error", () => port.postMessage({ type: "failed" }));
    document.head.append(script);
  });
})();
