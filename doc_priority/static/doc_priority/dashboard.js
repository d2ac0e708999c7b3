"use strict";

// The dashboard's content follows the server's without losing focus, scroll or what is unfolded.
{
  const polling = document.querySelector(".dp-dashboard .dp-polling");
  const content = document.querySelector(".dp-dashboard-content");

  /** Where to find the focused link again when its row was drawn anew somewhere else. */
  const focused = () => {
    const element = document.activeElement;
    if (!content.contains(element) || !element.hasAttribute("href")) return null;
    const address = CSS.escape(element.getAttribute("href"));
    return { element, selector: `${element.localName}[href="${address}"]` };
  };

  const restoreFocus = (before) => {
    if (before === null || before.element.isConnected) return;
    const again = content.querySelector(before.selector);
    if (again !== null) again.focus({ preventScroll: true });
  };

  const show = ({ html, updated }) => {
    const before = focused();
    window.DocPriorityMatch(content, html);
    restoreFocus(before);
    window.DocPriorityCountdown(content);
    polling.querySelector(".dp-updated").textContent = updated;
  };

  window.DocPriorityPolling({
    url: polling.dataset.url,
    seconds: Number(polling.dataset.seconds),
    show,
    status: polling.querySelector(".dp-polling-status"),
    button: polling.querySelector(".dp-pause"),
    texts: polling.dataset,
  });
}
