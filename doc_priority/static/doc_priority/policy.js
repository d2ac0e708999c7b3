"use strict";

/*
 * Shows what a policy means while it is typed. The server computes, this only shows: some time after
 * the last key, and one request at a time, so that an answer is never older than the one before.
 */
(() => {
  const PAUSE = 400;
  const PATIENCE = 10000;
  const NAMES = /^(reset_interval|recovery|threshold_\d)$/;

  const preview = document.querySelector(".dp-preview");
  const form = preview && preview.closest("form");
  if (!form) return;
  const levels = preview.querySelector(".dp-preview-levels");
  const moves = preview.querySelector(".dp-preview-moves");
  const fields = [...form.elements].filter((field) => NAMES.test(field.name));

  let timer = null;
  let asking = false;
  let changed = false;

  const say = (text) => {
    if (moves.textContent !== text) moves.textContent = text;
  };

  const address = () => {
    const typed = new URLSearchParams({ policy: preview.dataset.policy });
    for (const field of fields) typed.set(field.name, field.value);
    return `${preview.dataset.url}?${typed}`;
  };

  const answer = async () => {
    const controller = new AbortController();
    const patience = setTimeout(() => controller.abort(), PATIENCE);
    try {
      const response = await fetch(address(), {
        credentials: "same-origin",
        headers: { Accept: "application/json" },
        redirect: "manual",
        signal: controller.signal,
      });
      return response.ok ? await response.json() : null;
    } catch {
      return null;
    } finally {
      clearTimeout(patience);
    }
  };

  const show = (shown) => {
    preview.classList.toggle("dp-preview-lost", shown === null);
    if (shown === null) {
      say(preview.dataset.lost);
      return;
    }
    levels.innerHTML = shown.levels;
    say(shown.moves);
  };

  const ask = async () => {
    if (asking) return;
    asking = true;
    changed = false;
    const shown = await answer();
    asking = false;
    if (changed) {
      ask();
    } else {
      show(shown);
    }
  };

  const typed = () => {
    changed = true;
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE);
  };

  const isDefault = (field) =>
    field.options
      ? [...field.options].every((option) => option.selected === option.defaultSelected)
      : field.value === field.defaultValue;

  for (const field of fields) field.addEventListener("input", typed);
  // A browser that comes back to the page may have kept what was typed.
  window.addEventListener("pageshow", () => {
    if (!fields.every(isDefault)) typed();
  });
})();
