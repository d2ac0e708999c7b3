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

  /** Nothing can be done to a customer that was deleted: only the way to the others is left. */
  const gone = () => {
    root.querySelector(".dp-gone").hidden = false;
    for (const one of root.querySelectorAll(".dp-live-part, .dp-polling, .dp-buttons")) one.remove();
    for (const one of root.closest("form").elements) one.disabled = true;
    for (const one of document.querySelectorAll('a[href$="/delete/"]')) one.remove();
  };

  DocPriorityPolling({
    url: polling.dataset.url,
    seconds: Number(polling.dataset.seconds),
    show,
    status: root.querySelector(".dp-polling-status"),
    button: root.querySelector(".dp-pause"),
    texts: polling.dataset,
    gone,
  });
})();
