"use strict";

const dark = window.matchMedia("(prefers-color-scheme: dark)");
const followTheSystem = () => {
  document.documentElement.classList.toggle("dark-mode", dark.matches);
};
dark.addEventListener("change", followTheSystem);
followTheSystem();
