"use strict";

/*
 * Keeps the rows of the live list as they stand now. Only the cells that change by themselves are
 * written: ticks, what is being typed and the order of the rows stay, and a link says when a reload
 * would show another order.
 */
(() => {
  const root = document.querySelector(".dp-live-list");
  if (!root) return;

  const polling = root.querySelector(".dp-polling");
  const reload = root.querySelector(".dp-order-changed");
  const cells = new Map();
  for (const cell of document.querySelectorAll(".dp-live")) {
    const { customer, cell: name } = cell.dataset;
    if (!cells.has(customer)) cells.set(customer, {});
    cells.get(customer)[name] = cell;
  }
  const customers = [...cells.keys()];

  const address = () => {
    const asked = new URLSearchParams(window.location.search);
    asked.set("live", customers.join(","));
    return `${polling.dataset.url}?${asked}`;
  };

  const write = (customer, contents) => {
    for (const [name, content] of Object.entries(contents)) {
      const cell = cells.get(customer)?.[name];
      // A portal's own list may leave columns out.
      if (!cell) continue;
      DocPriorityMatch(cell, content);
      DocPriorityCountdown(cell);
    }
  };

  const show = ({ updated, order, rows }) => {
    for (const [customer, contents] of Object.entries(rows)) write(customer, contents);
    root.querySelector(".dp-updated").textContent = updated;
    reload.hidden = order.join(",") === customers.join(",");
  };

  DocPriorityPolling({
    url: address,
    seconds: Number(polling.dataset.seconds),
    show,
    status: root.querySelector(".dp-polling-status"),
    button: root.querySelector(".dp-pause"),
    texts: polling.dataset,
  });
})();
