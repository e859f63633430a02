// Four behaviours, named in attributes, and one of all forms; every page works without them.
//
//   <form data-live="id id">    after typing, ask for the same page and replace what has these ids;
//                               while there is a [data-again] in it, ask again
//   <input data-stops data-fills="id">  a slider that writes its stop into a field, and follows it
//   <div data-events="/path">   show what the server sends, in what has the same ids; the event
//                               "next" names the next page
//   <form data-confirm="…?">    ask before sending

const parsed = (text) => new DOMParser().parseFromString(text, "text/html");

function live(form) {
  const shown = () => form.dataset.live.split(" ").map((id) => document.getElementById(id)).filter(Boolean);
  let timer = 0;
  let asked = null;
  const ask = async () => {
    asked?.abort();
    asked = new AbortController();
    shown().forEach((part) => part.setAttribute("aria-busy", "true"));
    try {
      const query = new URLSearchParams(new FormData(form));
      const reply = await fetch(`${form.dataset.ask ?? location.pathname}?${query}`, { signal: asked.signal });
      const page = parsed(await reply.text());
      for (const part of shown()) replace(part, page.getElementById(part.id));
      for (const field of form.elements) if (field.id) mark(field, page.getElementById(field.id));
    } catch (fault) {
      if (fault.name === "AbortError") return;
    }
    shown().forEach((part) => part.removeAttribute("aria-busy"));
    again();
  };
  const later = (milliseconds) => {
    clearTimeout(timer);
    timer = setTimeout(ask, milliseconds);
  };
  const again = () => form.querySelector("[data-again]") && later(400);
  form.addEventListener("input", () => later(200));
  again();
}

// What did not change stays as it is: it is not read out again, and keeps the focus.
function replace(part, found) {
  if (!found || found.innerHTML === part.innerHTML) return;
  const held = part.contains(document.activeElement) ? document.activeElement.id : "";
  part.replaceChildren(...found.childNodes);
  if (held) document.getElementById(held)?.focus();
}

// A field itself stays, for somebody types in it; whether it is wrong is said anew.
function mark(field, found) {
  if (found?.hasAttribute("aria-invalid")) field.setAttribute("aria-invalid", "true");
  else field.removeAttribute("aria-invalid");
}

// A slider that stops at round figures, and the field beside it that takes any.
function slides(slider) {
  const stops = slider.dataset.stops.split(" ");
  const field = document.getElementById(slider.dataset.fills);
  const say = () => slider.setAttribute("aria-valuetext", `epsilon ${stops[slider.value]}`);
  slider.addEventListener("input", () => {
    field.value = stops[slider.value];
    slider.form.elements["stop-before"].value = slider.value;
    say();
  });
  field.addEventListener("input", () => {
    const far = (stop) => Math.abs(Math.log(stop / Number(field.value.replace(",", "."))));
    const near = stops.reduce((best, stop, k) => (far(stop) < far(stops[best]) ? k : best), 0);
    if (Number.isFinite(far(stops[near]))) slider.value = near;
    slider.form.elements["stop-before"].value = slider.value;
    say();
  });
}

function events(element) {
  const source = new EventSource(element.dataset.events);
  source.onmessage = (message) => {
    const sent = parsed(message.data);
    for (const part of element.querySelectorAll("[id]")) replace(part, sent.getElementById(part.id));
  };
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

// A form that is too long would be refused, and what was typed would be gone with its page.
function bounded(form) {
  form.addEventListener("submit", (event) => {
    const sent = new URLSearchParams(new FormData(form)).toString().length;
    if (sent < 2 ** 20 - 100) return; // the button that was pressed is sent as well
    event.preventDefault();
    alert("This is more than 1 MiB, and was not sent: paste less at once, or put it into a file of the project's folder.");
  });
}

document.querySelectorAll("form[method=post]").forEach(bounded);
document.querySelectorAll("form[data-live]").forEach(live);
document.querySelectorAll("[data-stops]").forEach(slides);
document.querySelectorAll("[data-events]").forEach(events);
document.querySelectorAll("form[data-confirm]").forEach(confirmed);
