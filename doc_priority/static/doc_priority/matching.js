"use strict";

/*
 * Makes what is in an element the same as this HTML, and touches only the nodes that differ: focus,
 * scroll, selected text and what is unfolded stay.
 *
 *   DocPriorityMatch(element, html);
 *
 * Elements with a `data-key` are only ever made into the one with the same key.
 */
window.DocPriorityMatch = (() => {
  const keyOf = (node) => (node.getAttribute ? node.getAttribute("data-key") : null);

  const isSame = (old, fresh) => old.nodeName === fresh.nodeName && keyOf(old) === keyOf(fresh);

  const matchAttributes = (old, fresh) => {
    for (const { name } of [...old.attributes]) {
      // Whether details are unfolded is the reader's choice.
      if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
    }
    for (const { name, value } of fresh.attributes) {
      if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
  };

  const match = (old, fresh) => {
    if (old.nodeType === Node.ELEMENT_NODE) {
      matchAttributes(old, fresh);
      matchChildren(old, fresh);
    } else if (old.data !== fresh.data) {
      old.data = fresh.data;
    }
  };

  const matchChildren = (old, fresh) => {
    const wanted = [...fresh.childNodes];
    wanted.forEach((one, place) => {
      const there = old.childNodes[place];
      if (there === undefined) old.append(one);
      else if (isSame(there, one)) match(there, one);
      else there.replaceWith(one);
    });
    while (old.childNodes.length > wanted.length) old.lastChild.remove();
  };

  return (element, html) => {
    const fresh = document.createElement("template");
    fresh.innerHTML = html;
    matchChildren(element, fresh.content);
  };
})();
