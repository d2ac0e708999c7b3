"use strict";

/*
 * Keeps a page's content fresh: one request at a time, and only while somebody can see the page.
 *
 *   DocPriorityPolling({
 *     url: "/admin/…/live/",        // or a function that returns the address to ask now
 *     seconds: 5,                   // from an answer to the next request
 *     show(answer) { … },           // puts the JSON of an answer into the page
 *     status: element,              // role="status"; says when the connection is lost, is back, …
 *     button: element,              // <button hidden>; shown once this runs, pauses and resumes
 *     texts: root.dataset,          // data-pause, data-resume, data-lost, data-back, data-signed-out,
 *                                   // data-sign-in, data-refused, data-gone, data-changed
 *     gone() { … },                 // may be left out; what else to do when there is nothing more to show
 *   });
 *
 * The address answers JSON. The first request goes out after `seconds`, as the page came with its
 * content. Each failure doubles the pause, up to a minute. An answer that is a redirect or no JSON
 * comes from the login page, 403 means that a permission was withdrawn, 404 that what the page is
 * about is gone, and 400 that what it asks for does not exist any more: each ends it with a word
 * about what to do. A hidden tab asks nothing, and asks at once when it is seen again. An error thrown
 * by `show` is not caught: it is a fault of the page, not of the connection.
 *
 * The markup for all of it: {% include "doc_priority/admin/_polling.html" %}, given live_url,
 * live_refresh_seconds and updated (text); countdown.js counts down between two answers.
 */
window.DocPriorityPolling = ({ url, seconds, show, status, button, texts, gone = () => {} }) => {
  const PATIENCE = 10;
  const LONGEST_PAUSE = 60;

  let timer = null;
  let asking = false;
  let paused = false;
  let ended = false;
  let failures = 0;

  const resting = () => paused || ended || document.hidden;

  const say = (text) => {
    if (status.textContent !== text) status.textContent = text;
  };

  const wait = () => {
    clearTimeout(timer);
    if (resting()) return;
    const backedOff = Math.min(seconds * 2 ** failures, LONGEST_PAUSE);
    timer = setTimeout(refresh, Math.max(seconds, backedOff) * 1000);
  };

  const end = (text) => {
    ended = true;
    button.remove();
    say(text);
  };

  const offerToReload = (text) => {
    const link = document.createElement("a");
    // With a fragment the browser would only scroll.
    [link.href] = window.location.href.split("#");
    link.textContent = text;
    status.append(link);
  };

  const offerToSignIn = () => {
    end(`${texts.signedOut} – `);
    offerToReload(texts.signIn);
  };

  const offerToRefresh = () => {
    end("");
    offerToReload(texts.changed);
  };

  const fail = () => {
    failures += 1;
    if (!paused) say(texts.lost);
  };

  const isJson = (response) =>
    (response.headers.get("Content-Type") || "").startsWith("application/json");

  const isSignedOut = (response) =>
    response.type === "opaqueredirect" ||
    response.status === 401 ||
    (response.ok && !isJson(response));

  /** The JSON of the answer; null where there was none to show. */
  const take = async (response) => {
    if (isSignedOut(response)) {
      offerToSignIn();
    } else if (response.status === 403) {
      end(texts.refused);
    } else if (response.status === 404) {
      end(texts.gone);
      gone();
    } else if (response.status === 400) {
      offerToRefresh();
    } else if (response.ok) {
      return response.json();
    } else {
      fail();
    }
    return null;
  };

  const ask = async () => {
    const controller = new AbortController();
    const patience = setTimeout(() => controller.abort(), PATIENCE * 1000);
    try {
      return await take(
        await fetch(typeof url === "function" ? url() : url, {
          credentials: "same-origin",
          headers: { Accept: "application/json" },
          // A portal may sign people in at another address, which a script could not follow.
          redirect: "manual",
          signal: controller.signal,
        }),
      );
    } catch {
      fail();
      return null;
    } finally {
      clearTimeout(patience);
    }
  };

  const refresh = async () => {
    if (asking || ended) return;
    clearTimeout(timer);
    asking = true;
    try {
      const answer = await ask();
      if (answer === null || paused) return;
      say(failures ? texts.back : "");
      failures = 0;
      show(answer);
    } finally {
      asking = false;
      wait();
    }
  };

  button.textContent = texts.pause;
  button.hidden = false;
  button.addEventListener("click", () => {
    paused = !paused;
    button.textContent = paused ? texts.resume : texts.pause;
    if (paused) {
      clearTimeout(timer);
      say("");
    } else {
      refresh();
    }
  });
  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    if (!resting()) refresh();
  });
  wait();
};
