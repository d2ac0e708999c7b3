"use strict";

/* Keeps a customer's page saying where the customer stands now; its form is left alone. */
(() => {
  const root = document.querySelector(".dp-standing-live");
  if (!root) return;

  const polling = root.querySelector(".dp-polling");
  const part = root.querySelector(".dp-live-part");

  const show = ({ updated, html }) => {
    DocPriorityMatch(part, html);
    root.querySelector(".dp-updated").textContent = updated;
    DocPriorityCountdown(part);
  };

  DocPriorityPolling({
    url: polling.dataset.url,
    seconds: Number(polling.dataset.seconds),
    show,
    status: root.querySelector(".dp-polling-status"),
    button: root.querySelector(".dp-pause"),
    texts: polling.dataset,
  });
})();
