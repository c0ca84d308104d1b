import type { Board } from "../dashboard.ts";
import { heatmap, plot } from "../panel.ts";
import { buckets, mean, quantiles, rate, rateBy } from "../queries.ts";

export const messages: Board = {
  name: "messages",
  title: "Messages and fan-out",
  description:
    "A message on its way: it waits, is stored in a batch, published, and written to every socket.",
  sections: {
    Storing: [
      plot(
        "Messages stored",
        "By worker, in a second. What is acknowledged is on disk.",
        rateBy("fanfare_messages_stored_total", "instance"),
        { unit: "mps", stacked: true },
      ),
      plot(
        "Time of a write",
        "Duration of a commit in seconds, from reading the channel heads until everything is on disk.",
        quantiles("fanfare_message_commit_seconds"),
        { unit: "s", steps: { red: 0.5 }, runbooks: ["FanfareMessagesSlow"] },
      ),
      plot(
        "Messages in one write",
        "Under load messages of a channel are written together: that is how it keeps up.",
        [
          mean("fanfare_message_batch_size_sum", "fanfare_message_batch_size_count"),
          ...quantiles("fanfare_message_batch_size", [0.95]),
        ],
      ),
      plot(
        "Waiting to be written",
        "Messages and changes in the queues of each worker. A full queue answers OVERLOADED.",
        "fanfare_messages_waiting{S}",
        { runbooks: ["FanfareOverloaded"] },
      ),
      plot(
        "Time to answer message.send",
        "What a sender waits: everything here, and the way between the processes.",
        quantiles("fanfare_request_seconds", undefined, 'action="message.send"'),
        { unit: "s" },
      ),
      plot("message.send refused", "By code, in a second.", [
        rate("fanfare_requests_total", "all", 'action="message.send",outcome!="ok"'),
        rateBy("fanfare_requests_total", "outcome", 'action="message.send",outcome!="ok"'),
      ]),
    ],
    "Fan-out": [
      plot(
        "From a publication to its last socket",
        "p100 is the slowest publication of the last minute and of all gateways, measured, not estimated. The bounds of a histogram's quantiles are its buckets.",
        [
          ...quantiles("fanfare_fanout_seconds", [0.5, 0.99, 0.999]),
          { expr: "max(fanfare_fanout_max_seconds{S})", legend: "p100" },
        ],
        { unit: "s", width: 12, steps: { red: 1 }, runbooks: ["FanfareFanoutSlow"] },
      ),
      heatmap(
        "Publications by time to their last socket",
        "How many took how long.",
        buckets("fanfare_fanout_seconds"),
        { width: 12 },
      ),
      plot(
        "p100 by gateway",
        "One slow gateway is a gateway's trouble; all of them at once, that of the bus or of a worker.",
        "fanfare_fanout_max_seconds{S}",
        { unit: "s", steps: { red: 1 }, runbooks: ["FanfareFanoutSlow"] },
      ),
      plot(
        "Publications and deliveries",
        "Publications that gateways had sockets for, and events written to sockets by them.",
        [
          rate("fanfare_fanout_publications_total", "publications"),
          rate("fanfare_fanout_deliveries_total", "deliveries"),
        ],
        { unit: "ops" },
      ),
      plot(
        "Sockets per publication",
        "What one publication costs is mostly this.",
        mean("fanfare_fanout_deliveries_total", "fanfare_fanout_publications_total"),
      ),
    ],
    "Between processes": [
      plot(
        "Bus",
        "Messages for sockets of any gateway: one copy goes to each gateway that has a socket in the room.",
        [
          rate("fanfare_bus_published_total", "published"),
          rate("fanfare_bus_received_total", "received"),
          rate("fanfare_bus_dropped_total", "dropped"),
        ],
        { unit: "ops", runbooks: ["FanfareBusDropping"] },
      ),
      plot(
        "What came of them",
        "'members' went to sockets; much of 'stray' or 'elsewhere' is work for nothing.",
        rateBy("fanfare_bus_received_total", "reception"),
        { unit: "ops", stacked: true },
      ),
      plot("Rooms", "That each gateway listens to.", "fanfare_bus_rooms{S}"),
      plot(
        "Presence",
        "Published presence changes, each sent to the watchers of the user.",
        rate("fanfare_presence_published_total", "changes"),
        { unit: "ops" },
      ),
      plot(
        "Pushes, mails and callbacks",
        "By what became of them, in a second.",
        [
          { ...rateBy("fanfare_pushes_total", "outcome"), legend: "push {{outcome}}" },
          { ...rateBy("fanfare_mails_total", "outcome"), legend: "mail {{outcome}}" },
          { ...rateBy("fanfare_bot_callbacks_total", "outcome"), legend: "callback {{outcome}}" },
        ],
        { runbooks: ["FanfareMailFailing", "FanfareJobsFailing", "FanfarePushesDropped"] },
      ),
      plot(
        "Pushes waiting and dead jobs",
        "At most 2,000 pushes wait in one process, further ones are dropped. Dead jobs failed for good.",
        [
          { expr: "max by (kind) (fanfare_jobs_dead{S})", legend: "dead {{kind}}" },
          { expr: 'max(fanfare_jobs_waiting{S,kind="inbox.push"})', legend: "pushes" },
        ],
        { runbooks: ["FanfareMailFailing", "FanfarePushesDropped"] },
      ),
    ],
  },
};
