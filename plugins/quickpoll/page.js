const REFRESH_MS = 5000;

definePagePlugin({
  composerActions: {
    open: (_context, { openPanel }) => openPanel("polls"),
  },
  panels: {
    polls(container, { channelId }, { call }) {
      const form = newPollForm((question, options) =>
        call("create", { channelId, question, options }).then(show),
      );
      const list = element("div", { className: "list" });
      const problem = element("p", { role: "alert" });
      container.append(form, problem, list);
      let shown = "";

      async function show() {
        const { polls } = await call("list", { channelId });
        const now = JSON.stringify(polls);
        // Otherwise the buttons would lose the focus.
        if (now === shown) return;
        shown = now;
        list.replaceChildren(...polls.map((poll) => pollBox(poll, vote)));
      }
      const vote = (pollId, option) => attempt(() => call("vote", { channelId, pollId, option }).then(show));
      async function attempt(work) {
        problem.textContent = "";
        try {
          await work();
        } catch (error) {
          problem.textContent = error.message;
        }
      }
      form.addEventListener("failed", ({ detail }) => (problem.textContent = detail));
      void attempt(show);
      const timer = setInterval(() => void attempt(show), REFRESH_MS);
      return () => clearInterval(timer);
    },
  },
});

function newPollForm(create) {
  const question = element("input", { placeholder: "Question", ariaLabel: "Question", maxLength: 200 });
  const options = element("textarea", {
    placeholder: "One option per line",
    ariaLabel: "Options, one per line",
    rows: 3,
  });
  const form = element("form", {}, question, options, element("button", { textContent: "Start poll" }));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const lines = options.value.split("\n").map((line) => line.trim());
    try {
      await create(
        question.value,
        lines.filter((line) => line !== ""),
      );
      form.reset();
    } catch (error) {
      form.dispatchEvent(new CustomEvent("failed", { detail: error.message }));
    }
  });
  return form;
}

function pollBox({ id, question, options, own }, vote) {
  const total = options.reduce((sum, { votes }) => sum + votes, 0);
  const buttons = options.map(({ text, votes }, index) => {
    const button = element("button", { type: "button", textContent: `${text}: ${votes} of ${total}` });
    button.ariaPressed = String(own === index);
    button.addEventListener("click", () => vote(id, index));
    return button;
  });
  return element("section", {}, element("h2", { textContent: question }), ...buttons);
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
