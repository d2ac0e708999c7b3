"use strict";

/*
 * Counts down every <time class="dp-countdown" data-seconds="…"> from the span the server gave.
 *
 *   DocPriorityCountdown(root);     // start those in here again, after the server gave new spans
 *
 * Those of the page as it came are started by themselves.
 */
window.DocPriorityCountdown = (() => {
  const ends = new WeakMap();

  const padded = (number) => String(number).padStart(2, "0");

  const clock = (span) => {
    const seconds = span % 60;
    const minutes = Math.floor(span / 60) % 60;
    const hours = Math.floor(span / 3600);
    return hours ? `${hours}:${padded(minutes)}:${padded(seconds)}` : `${minutes}:${padded(seconds)}`;
  };

  const found = (root) => root.querySelectorAll(".dp-countdown[data-seconds]");

  const start = (root) => {
    for (const one of found(root)) ends.set(one, Date.now() + Number(one.dataset.seconds) * 1000);
  };

  const tick = () => {
    for (const one of found(document)) {
      if (!ends.has(one)) start(one.parentNode);
      one.textContent = clock(Math.max(0, Math.ceil((ends.get(one) - Date.now()) / 1000)));
    }
  };

  const begin = () => {
    start(document);
    setInterval(tick, 1000);
  };

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
  return start;
})();
