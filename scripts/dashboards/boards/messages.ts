import type { Board } from "../dashboard.ts";
import { heatmap, plot } from "../panel.ts";
import { buckets, mean, quantiles, rate, rateBy } from "../queries.ts";

export const messages: Board = {
  name: "messages",
  title: "Messages and fan-out",
  description: "The way of a message: it is queued, stored in a batch, published, and written to sockets.",
  sections: {
    Storing: [
      plot("Messages stored", "By worker, per second.", rateBy("fanfare_messages_stored_total", "instance"), {
        unit: "mps",
        stacked: true,
      }),
      plot(
        "Commit duration",
        "From reading the channel heads until everything is on disk.",
        quantiles("fanfare_message_commit_seconds"),
        { unit: "s", steps: { red: 0.5 }, runbooks: ["FanfareMessagesSlow"] },
      ),
      plot("Messages per commit", "Under load, messages are committed in batches.", [
        mean("fanfare_message_batch_size_sum", "fanfare_message_batch_size_count"),
        ...quantiles("fanfare_message_batch_size", [0.95]),
      ]),
      plot(
        "Messages waiting",
        "Messages and changes in each worker's queues. If a queue is full, senders get OVERLOADED.",
        "fanfare_messages_waiting{S}",
        { runbooks: ["FanfareOverloaded"] },
      ),
      plot(
        "Duration of message.send",
        "How long a sender waits, including the way between processes.",
        quantiles("fanfare_request_seconds", undefined, 'action="message.send"'),
        { unit: "s" },
      ),
      plot("message.send errors", "By code, per second.", [
        rate("fanfare_requests_total", "all", 'action="message.send",outcome!="ok"'),
        rateBy("fanfare_requests_total", "outcome", 'action="message.send",outcome!="ok"'),
      ]),
    ],
    "Fan-out": [
      plot(
        "Fan-out time",
        "From an event to the write to its last socket. p100 is measured: the slowest event of the last minute on any gateway.",
        [
          ...quantiles("fanfare_fanout_seconds", [0.5, 0.99, 0.999]),
          { expr: "max(fanfare_fanout_max_seconds{S})", legend: "p100" },
        ],
        { unit: "s", width: 12, steps: { red: 1 }, runbooks: ["FanfareFanoutSlow"] },
      ),
      heatmap(
        "Fan-out time, distribution",
        "Number of events by fan-out time.",
        buckets("fanfare_fanout_seconds"),
        { width: 12 },
      ),
      plot(
        "Slowest fan-out by gateway",
        "If one gateway is slow, it is that gateway. If all are, it is NATS or a worker.",
        "fanfare_fanout_max_seconds{S}",
        { unit: "s", steps: { red: 1 }, runbooks: ["FanfareFanoutSlow"] },
      ),
      plot(
        "Events and deliveries",
        "Events that gateways had sockets for, and writes to sockets, per second.",
        [
          rate("fanfare_fanout_publications_total", "publications"),
          rate("fanfare_fanout_deliveries_total", "deliveries"),
        ],
        { unit: "ops" },
      ),
      plot(
        "Sockets per event",
        "The main cost of an event.",
        mean("fanfare_fanout_deliveries_total", "fanfare_fanout_publications_total"),
      ),
    ],
    "Between processes": [
      plot(
        "Bus",
        "Events between processes. Each gateway with a socket in the room receives a copy.",
        [
          rate("fanfare_bus_published_total", "published"),
          rate("fanfare_bus_received_total", "received"),
          rate("fanfare_bus_dropped_total", "dropped"),
        ],
        { unit: "ops", runbooks: ["FanfareBusDropping"] },
      ),
      plot(
        "Events received, by use",
        "'members' were written to sockets. Many 'stray' or 'elsewhere' events are wasted work.",
        rateBy("fanfare_bus_received_total", "reception"),
        { unit: "ops", stacked: true },
      ),
      plot("Rooms", "Rooms that each gateway is subscribed to.", "fanfare_bus_rooms{S}"),
      plot("Presence", "Presence changes, per second.", rate("fanfare_presence_published_total", "changes"), {
        unit: "ops",
      }),
      plot(
        "Push notifications, emails and callbacks",
        "By outcome, per second.",
        [
          { ...rateBy("fanfare_pushes_total", "outcome"), legend: "push {{outcome}}" },
          { ...rateBy("fanfare_mails_total", "outcome"), legend: "email {{outcome}}" },
          { ...rateBy("fanfare_bot_callbacks_total", "outcome"), legend: "callback {{outcome}}" },
        ],
        { runbooks: ["FanfareMailFailing", "FanfareJobsFailing", "FanfarePushesDropped"] },
      ),
      plot(
        "Push notifications waiting, and failed jobs",
        "Failed jobs are those that failed on every try.",
        [
          { expr: "max by (kind) (fanfare_jobs_dead{S})", legend: "failed {{kind}}" },
          { expr: 'max(fanfare_jobs_waiting{S,kind="inbox.push"})', legend: "pushes" },
        ],
        { runbooks: ["FanfareMailFailing", "FanfarePushesDropped"] },
      ),
    ],
  },
};
