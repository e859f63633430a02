// Three behaviours, named in attributes; every page works without them.
//
//   <form data-live="id">       after typing, ask for the same page and replace the element #id
//   <div data-events="/path">   show what the server sends; the event "next" names the next page
//   <form data-confirm="…?">    ask before sending

const parsed = (text) => new DOMParser().parseFromString(text, "text/html");

function live(form) {
  let timer = 0;
  let asked = null;
  const ask = async () => {
    const target = document.getElementById(form.dataset.live);
    asked?.abort();
    asked = new AbortController();
    target.setAttribute("aria-busy", "true");
    try {
      const query = new URLSearchParams(new FormData(form));
      const reply = await fetch(`${form.dataset.ask ?? location.pathname}?${query}`, { signal: asked.signal });
      const found = parsed(await reply.text()).getElementById(form.dataset.live);
      if (found) target.replaceChildren(...found.childNodes);
      target.removeAttribute("aria-busy");
    } catch (fault) {
      if (fault.name !== "AbortError") target.removeAttribute("aria-busy");
    }
  };
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, 300);
  });
}

function events(element) {
  const source = new EventSource(element.dataset.events);
  source.onmessage = (message) => element.replaceChildren(...parsed(message.data).body.childNodes);
  source.addEventListener("next", (message) => {
    source.close();
    const next = new URL(message.data, location.href);
    if (next.origin === location.origin) location.assign(next);
  });
  addEventListener("pagehide", () => source.close());
}

function confirmed(form) {
  form.addEventListener("submit", (event) => {
    if (!confirm(form.dataset.confirm)) event.preventDefault();
  });
}

document.querySelectorAll("form[data-live]").forEach(live);
document.querySelectorAll("[data-events]").forEach(events);
document.querySelectorAll("form[data-confirm]").forEach(confirmed);
