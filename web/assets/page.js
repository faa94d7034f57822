// The script of all pages. Pages work without it: it keeps their blocks new, sends forms without
// leaving the page, and says how long ago things were.

const secretKey = "ccdir-secret";
const body = document.body;
const main = document.getElementById("main");
const status = document.getElementById("status");

let statusTimer;

/** Says something to the person, a screen reader too. A note is said beside what is being said. */
function say(text, bad = false, note = false) {
  if (note && status.classList.contains("shown")) {
    text = `${status.textContent}\n${text}`;
    bad ||= status.classList.contains("bad");
  }
  status.textContent = text;
  status.classList.toggle("bad", bad);
  status.classList.add("shown");
  clearTimeout(statusTimer);
  statusTimer = setTimeout(() => status.classList.remove("shown"), bad ? 15000 : 6000);
}

/** The secret that this page keeps, beside the cookie that it cannot read; "" without one. */
function secret() {
  try {
    return localStorage.getItem(secretKey) || "";
  } catch {
    return "";
  }
}

/** Sends a form and returns {ok, status, data}; data has message, and next where to go. */
async function send(form, submitter) {
  let fields = new FormData(form, submitter);
  if (form.enctype !== "multipart/form-data") fields = new URLSearchParams([...fields].filter(([, value]) => typeof value === "string"));
  const answer = await fetch(form.action, {
    method: "POST",
    body: fields,
    headers: { Accept: "application/json", "Ccdir-Secret": secret() },
    redirect: "error",
  });
  const data = await answer.json().catch(() => ({ message: "the answer cannot be read" }));
  return { ok: answer.ok, status: answer.status, data };
}

// Words under way are kept until they have arrived.
const drafts = {
  key: (area) => `ccdir-draft ${location.pathname} ${area.name}`,
  keep(area) {
    try {
      if (area.value) localStorage.setItem(this.key(area), area.value);
      else localStorage.removeItem(this.key(area));
    } catch { /* private windows may have no storage */ }
  },
  restore(area) {
    try {
      if (!area.value) area.value = localStorage.getItem(this.key(area)) || "";
    } catch { /* as above */ }
  },
};

document.addEventListener("input", (e) => {
  if (e.target.matches?.("textarea[data-draft]")) drafts.keep(e.target);
});

// An earlier prompt is taken into the field that its button names.
document.addEventListener("click", (e) => {
  const button = e.target.closest?.("[data-fill]");
  if (!button) return;
  const area = document.getElementById(button.dataset.fill);
  area.value = button.nextElementSibling.textContent;
  drafts.keep(area);
  area.focus();
});

/** What follows a form that was taken, by its data-quiet. */
const after = {
  answer(form, data) {
    say(data.message);
    form.closest(".block")?.remove();
    // The live stream says what is there instead; a page of its own shows what became of it.
    if (!main.dataset.live) location.assign(data.next);
  },
  prompt(form, data) {
    say(data.message);
    const area = form.querySelector("textarea"), file = form.querySelector("input[type=file]");
    if (file) file.value = "";
    area.value = "";
    drafts.keep(area);
    const id = form.querySelector("input[name=id]");
    if (id) id.value = crypto.getRandomValues(new Uint32Array(4)).join("-");
  },
  say(form, data) {
    say(data.message); // the live stream shows what follows
  },
  go(form, data) {
    location.assign(data.next);
  },
  leave(form, data) {
    try { localStorage.removeItem(secretKey); } catch { /* as above */ }
    location.assign(data.next);
  },
};

document.addEventListener("submit", async (e) => {
  const form = e.target;
  const how = after[form.dataset.quiet];
  if (!how || e.defaultPrevented) return;
  e.preventDefault();
  if (form.dataset.busy) return;
  form.dataset.busy = "1";
  const buttons = [...form.querySelectorAll("button:not([disabled])")];
  // FormData needs the pressed button enabled.
  const sent = send(form, e.submitter);
  for (const b of buttons) b.disabled = true;
  try {
    const { ok, data, status: code } = await sent;
    const block = form.closest(".block");
    if (ok) how(form, data);
    else say(data.message, true);
    if (!ok && block && !keys.has(block.dataset.key)) over(block);
    if (code === 401) location.assign("/pair");
  } catch {
    say("ccdir cannot be reached. What you wrote is still here: try again.", true);
  } finally {
    delete form.dataset.busy;
    if (!form.closest(".over")) for (const b of buttons) b.disabled = false;
  }
});

// A prompt is sent by Ctrl or Cmd with Enter; Enter alone begins a line.
document.addEventListener("keydown", (e) => {
  if (e.key === "Enter" && (e.ctrlKey || e.metaKey) && !e.isComposing && e.target.matches?.("textarea[data-send]")) {
    e.preventDefault();
    e.target.form.requestSubmit(e.target.form.querySelector("button.primary"));
  }
});

// --- how long ago

const steps = [[60, "s"], [3600, "min", 60], [86400, "h", 3600], [Infinity, "d", 86400]];

function ago(at) {
  const seconds = Math.max(0, (Date.now() - at) / 1000);
  if (seconds < 10) return "now";
  for (const [most, unit, by = 1] of steps) {
    if (seconds < most) return `${Math.floor(seconds / by)} ${unit}`;
  }
}

function tellTimes(root = document) {
  for (const t of root.querySelectorAll("time[data-ago]")) {
    const at = new Date(t.dateTime);
    if (!t.title) t.title = at.toLocaleString();
    const text = ago(at);
    if (t.textContent !== text) t.textContent = text;
  }
}

// --- blocks

/** Whether a person is writing in a block: it is left as it is then. */
function inUse(block) {
  if ([...block.querySelectorAll("textarea")].some((a) => a.value !== a.defaultValue)) return true;
  return [...block.querySelectorAll("input[type=radio], input[type=checkbox]")].some((i) => i.checked !== i.defaultChecked);
}

/** Opens the details that were open in the block before. */
function keepOpen(before, now) {
  const open = new Set([...before.querySelectorAll("details[open][id]")].map((d) => d.id));
  for (const d of now.querySelectorAll("details[id]")) if (open.has(d.id)) d.open = true;
}

function put(box, key, content) {
  let block = box.querySelector(`:scope > [data-key="${CSS.escape(key)}"]`);
  if (!block) {
    block = document.createElement("div");
    block.className = "block";
    block.setAttribute("role", "listitem");
    block.dataset.key = key;
  }
  if (content && block.dataset.v !== content.v && !(block.isConnected && inUse(block))) {
    const before = block.cloneNode(true);
    const focus = block.contains(document.activeElement) ? document.activeElement.getAttribute("href") || document.activeElement.id : "";
    block.innerHTML = content.html; // made by the server's templates: what agents wrote is text in it
    block.dataset.v = content.v;
    keepOpen(before, block);
    if (focus) (block.querySelector(`[href="${CSS.escape(focus)}"]`) || block.querySelector(`#${CSS.escape(focus)}`))?.focus();
  }
  return block;
}

/** Says in a block that a person has begun to answer that it is over. */
function over(block) {
  if (block.classList.contains("over")) return;
  block.classList.add("over");
  for (const b of block.querySelectorAll("button, input")) b.disabled = true;
  const note = document.createElement("p");
  note.className = "error";
  note.textContent = "This is not open any more: it was answered elsewhere, or its agent went on. Your words were not sent.";
  block.prepend(note);
}

// keys are those of the blocks that there are, as the server last said.
let keys = new Set([...document.querySelectorAll("[data-key]")].map((b) => b.dataset.key));

function show(message) {
  const box = main.querySelector("[data-blocks]");
  if (!box) return;
  const atEnd = window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 60;
  let place = null;
  for (const key of message.order) {
    const block = put(box, key, message.blocks[key]);
    const next = place ? place.nextElementSibling : box.firstElementChild;
    if (next !== block && !(block.isConnected && block.contains(document.activeElement))) {
      box.insertBefore(block, next);
    }
    place = block;
  }
  keys = new Set(message.order);
  for (const block of [...box.children]) {
    if (keys.has(block.dataset.key)) continue;
    if (block.querySelector("form[data-busy]")) continue; // its own answer is under way, and says what becomes of it
    if (inUse(block)) over(block);
    else block.remove();
  }
  const badge = document.getElementById("asks");
  if (badge) {
    badge.textContent = message.asks;
    badge.hidden = !message.asks;
  }
  document.title = `${message.asks ? `(${message.asks}) ` : ""}${body.dataset.title} · ccdir`;
  if (message.notes?.length) say(message.notes.join("\n"), false, true);
  tellTimes(box);
  if (atEnd && box.dataset.blocks === "follow") window.scrollTo(0, document.documentElement.scrollHeight);
}

// --- the live stream: closed while nobody looks, opened again with longer and longer waits

let stream = null, wait = 200, again, opening = false, release = null;

// seen is the number of the last event that this page knows of: what came after it is told by the next stream.
let seen = main.dataset.seen || "";

function linkState(text) {
  const link = document.getElementById("link");
  link.hidden = !text;
  link.textContent = text;
}

// A browser opens six connections to a host, for all its windows together: streams take three of them, or calls
// would wait for ever. Windows beyond these ask every few seconds.
const streams = 3, askEvery = 3000;

/** A place for a stream: the function that gives it back; null if there is none. */
async function place() {
  if (!navigator.locks) return () => {};
  for (let n = 0; n < streams; n++) {
    const free = await new Promise((got) => {
      navigator.locks.request(`ccdir-live-${n}`, { ifAvailable: true }, (lock) => {
        if (!lock) return got(null);
        return new Promise((leave) => got(leave));
      });
    });
    if (free) return free;
  }
  return null;
}

function closeStream() {
  stream?.close();
  stream = null;
  release?.();
  release = null;
}

async function listen() {
  clearTimeout(again);
  if (stream || opening || document.hidden || !main.dataset.live) return;
  opening = true;
  release = await place();
  opening = false;
  if (document.hidden) return closeStream();
  const stays = release !== null;
  const address = new URL(main.dataset.live, location.href);
  if (seen) address.searchParams.set("seen", seen);
  stream = new EventSource(address);
  stream.onmessage = (e) => {
    wait = 200;
    seen = e.lastEventId || seen;
    linkState("");
    show(JSON.parse(e.data));
    if (stays) return;
    closeStream(); // the first message has everything
    again = setTimeout(listen, askEvery);
  };
  stream.onerror = () => {
    closeStream();
    linkState("not connected");
    again = setTimeout(check, wait);
    wait = Math.min(wait * 2, 10000);
  };
}

/** Tells a device that was revoked from a daemon that is away. */
async function check() {
  try {
    const answer = await fetch("/approvals", { method: "HEAD" });
    if (answer.status === 401) {
      linkState("not paired");
      say("This browser is not paired any more.", true);
      return;
    }
  } catch { /* away */ }
  listen();
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    closeStream();
    clearTimeout(again);
  } else {
    wait = 200;
    listen();
  }
});
window.addEventListener("pageshow", listen);
window.addEventListener("pagehide", closeStream);
window.addEventListener("online", listen);

// --- pairing: the code is in the fragment, which browsers do not send

async function pair() {
  const form = document.getElementById("pair");
  if (!form) return;
  const code = form.querySelector("#code");
  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    const { ok, data } = await send(form).catch(() => ({ ok: false, data: { message: "ccdir cannot be reached" } }));
    if (!ok) {
      document.getElementById("pairerror").textContent = data.message;
      return;
    }
    try { localStorage.setItem(secretKey, data.secret); } catch { /* then every form is refused, and says so */ }
    location.replace(data.next);
  });
  const given = decodeURIComponent(location.hash.slice(1));
  if (given) {
    history.replaceState(null, "", location.pathname);
    code.value = given;
    form.querySelector("button").focus();
  } else if (location.pathname === "/pair") {
    code.focus();
  }
}

// --- notifications

function notifications() {
  const form = document.getElementById("subscribe");
  if (!form || !("serviceWorker" in navigator) || !("PushManager" in window)) return;
  const button = form.querySelector("button");
  button.hidden = false;
  document.getElementById("pushnote").hidden = true;
  button.addEventListener("click", async () => {
    try {
      if (await Notification.requestPermission() !== "granted") {
        say("The browser does not allow notifications of this page.", true);
        return;
      }
      await navigator.serviceWorker.register("/worker.js");
      const worker = await navigator.serviceWorker.ready;
      const old = await worker.pushManager.getSubscription();
      await old?.unsubscribe(); // it may be of another key
      const made = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: form.dataset.key });
      form.querySelector("[name=subscription]").value = JSON.stringify(made);
      form.requestSubmit();
    } catch (err) {
      say(`The browser does not take notifications: ${err.message}`, true);
    }
  });
}
notifications();

for (const area of document.querySelectorAll("textarea[data-draft]")) drafts.restore(area);
tellTimes();
setInterval(tellTimes, 10000);
pair();
// A form that was sent before this script had come.
if (secret()) document.querySelector("form[data-early]")?.requestSubmit();
listen();
