"use strict";

/* Keeps a client's page saying where the client stands and what waits; the form is left alone. */
(() => {
  const polling = document.querySelector(".dp-polling");
  // What was sent with a mistake in it is shown as it was.
  if (!polling) return;
  const parts = document.querySelectorAll("[data-live]");

  const show = ({ updated, html }) => {
    for (const part of parts) DocPriorityMatch(part, html[part.dataset.live]);
    polling.querySelector(".dp-updated").textContent = updated;
  };

  DocPriorityPolling({
    url: polling.dataset.url,
    seconds: Number(polling.dataset.seconds),
    show,
    status: polling.querySelector(".dp-polling-status"),
    button: polling.querySelector(".dp-pause"),
    texts: polling.dataset,
  });
})();
