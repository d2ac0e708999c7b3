"use strict";

// The page's address ends with docs/, so the description is beside it, whatever the prefix.
const page = document.getElementById("docs");

const dark = window.matchMedia("(prefers-color-scheme: dark)");
const followTheSystem = () => {
  document.documentElement.classList.toggle("dark-mode", dark.matches);
};
dark.addEventListener("change", followTheSystem);
followTheSystem();

SwaggerUIBundle({
  domNode: page,
  url: new URL("../schema/", window.location.href).pathname,
  deepLinking: true,
  validatorUrl: null,
  // The token of a session stays out of commands that people copy.
  showMutatedRequest: false,
  requestInterceptor(request) {
    // Whoever is signed in by session needs the token to change anything.
    if (!["GET", "HEAD"].includes(request.method)) {
      request.headers[page.dataset.csrfHeader] = page.dataset.csrfToken;
    }
    return request;
  },
});
