// The terminal of a session, and the grid of all. It looks on until "Type here" is chosen.

const version = new URL(import.meta.url).search;

// The page's policy allows no inline styles. xterm.js makes sheets and style attributes by text; both are
// made through the object model here, which is not inline.
const make = document.createElement.bind(document);
document.createElement = (name, options) => {
  const style = String(name).toLowerCase() === "style";
  const element = make(style ? "span" : name, options); // a style element would be refused, even an empty one
  if (style) {
    const sheet = new CSSStyleSheet();
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    Object.defineProperty(element, "textContent", { set: (text) => sheet.replaceSync(text), get: () => "" });
  }
  return element;
};
const setAttribute = Element.prototype.setAttribute;
Element.prototype.setAttribute = function (name, value) {
  if (name === "style") this.style.cssText = value;
  else setAttribute.call(this, name, value);
};

// On screens that are touched the rows of the screen are text: scrolling, selecting and zooming are the browser's.
const touch = matchMedia("(pointer: coarse)").matches;
const { Rows } = touch ? await import("./rows.js" + version) : {};
const { Terminal } = touch ? {} : await import("./xterm/xterm.js" + version);
const { FitAddon } = touch ? {} : await import("./xterm/fit.js" + version);

const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = () => (dark.matches
  ? { background: "#11151b", foreground: "#e6e9ee", cursor: "#e6e9ee", selectionBackground: "#3a4a63" }
  : { background: "#ffffff", foreground: "#1b1f27", cursor: "#1b1f27", selectionBackground: "#bcd2f5",
      yellow: "#8a5a00", brightYellow: "#8a5a00", white: "#586173", brightWhite: "#1b1f27", green: "#14703a", brightGreen: "#14703a", cyan: "#0b6b7a", brightCyan: "#0b6b7a" });

function kept(key) {
  try { return localStorage.getItem(key) || ""; } catch { return ""; }
}

function keep(key, value) {
  try { localStorage.setItem(key, value); } catch { /* then it is for this page alone */ }
}

const secret = () => kept("ccdir-secret");

/** One attached terminal in a box with data-terminal, the session's id. */
class Attached {
  constructor(box) {
    this.box = box;
    this.screen = box.querySelector(".screen");
    this.note = box.querySelector(".note");
    this.typing = false;
    this.wait = 200;
    if (touch) this.rows();
    else this.xterm();
    new ResizeObserver(() => this.resize()).observe(this.screen);
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.socket?.close();
      else this.open();
    });
    this.open();
  }

  rows() {
    this.box.classList.add("touch");
    this.term = new Rows(this.screen, dark);
    this.fit = this.term;
  }

  xterm() {
    this.term = new Terminal({ fontSize: Number(this.box.dataset.size) || 14, theme: theme(), scrollback: 1000, disableStdin: true, cursorBlink: false, minimumContrastRatio: 4.5,
      fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace' });
    this.fit = new FitAddon();
    this.term.loadAddon(this.fit);
    this.term.open(this.screen);
    this.term.onData((data) => this.send({ type: "input", data }));
    dark.addEventListener("change", () => { this.term.options.theme = theme(); });
    // xterm.js makes a paste one piece of input; several lines stay one paste by the host's own.
    this.screen.addEventListener("paste", (e) => {
      e.preventDefault();
      e.stopPropagation();
      this.paste(e.clipboardData.getData("text"));
    }, true);
  }

  /** Draws by WebGL, or in the document; it reports whether that is done. What draws is loaded when it is chosen. */
  async webgl(on, lost) {
    this.drawer?.dispose(); // the document draws again
    this.drawer = null;
    if (!on) return true;
    const { WebglAddon } = await import("./xterm/webgl.js" + version);
    const drawer = new WebglAddon();
    try {
      this.term.loadAddon(drawer);
    } catch {
      return false; // the browser has none
    }
    this.drawer = drawer;
    drawer.onContextLoss(() => {
      this.webgl(false);
      lost();
    });
    return true;
  }

  /** Selects the next place, or the one before, that has a text; it reports whether there is one. */
  async find(text, before) {
    if (!this.finder) {
      const { SearchAddon } = await import("./xterm/search.js" + version);
      if (!this.finder) this.term.loadAddon(this.finder = new SearchAddon());
    }
    return before ? this.finder.findPrevious(text) : this.finder.findNext(text);
  }

  say(text) {
    this.note.textContent = text;
  }

  send(message) {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  paste(text) {
    return this.typing && this.send({ type: "paste", data: text.replaceAll("\r\n", "\n") });
  }

  open() {
    clearTimeout(this.again);
    if (this.over || document.hidden || this.socket && this.socket.readyState <= WebSocket.OPEN) return;
    const address = new URL(`/sessions/${this.box.dataset.terminal}/attach`, location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    const protocols = ["ccdir.attach.v1"];
    if (touch) address.searchParams.set("rows", "1");
    if (this.typing) {
      address.searchParams.set("type", "1");
      protocols.push("token." + document.body.dataset.token);
      if (secret()) protocols.push("secret." + secret());
    }
    const socket = new WebSocket(address, protocols);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.sent = ""; // another attachment knows nothing of it
    this.term.reset();
    socket.onmessage = (e) => {
      if (socket !== this.socket) return;
      this.wait = 200;
      if (typeof e.data !== "string") {
        // The daemon sends more only as fast as this draws.
        this.term.write(new Uint8Array(e.data));
        return;
      }
      this.told(JSON.parse(e.data));
    };
    socket.onclose = () => {
      if (socket !== this.socket) return;
      this.box.classList.remove("open");
      if (this.over || document.hidden) return;
      this.say("not connected");
      this.again = setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(this.wait * 2, 10000);
    };
  }

  told(event) {
    switch (event.type) {
      case "rows":
        this.term.show(event);
        break;
      case "attached":
      case "status":
        this.size = { cols: event.cols, rows: event.rows };
        this.box.classList.add("open");
        this.say(this.typing ? "you type here" : "only looking");
        this.resize();
        break;
      case "exit":
        this.over = true;
        this.say(`the process ended with code ${event.exit_code}`);
        break;
      case "error":
        this.say(event.error?.message || "refused");
    }
  }

  /** Who types has the size; who looks is shown the session's. */
  resize() {
    if (!this.size || !this.screen.clientWidth) return;
    if (!this.typing) {
      if (this.term.cols !== this.size.cols || this.term.rows !== this.size.rows) {
        this.term.resize(this.size.cols, this.size.rows);
        this.send({ type: "refresh" });
      }
      return;
    }
    const wanted = this.fit.proposeDimensions();
    if (!wanted || !(wanted.cols > 1) || !(wanted.rows > 1)) return;
    if (this.sent === `${wanted.cols}x${wanted.rows}` && this.term.cols === wanted.cols && this.term.rows === wanted.rows) return;
    this.term.resize(wanted.cols, wanted.rows);
    this.sent = this.send({ type: "resize", cols: wanted.cols, rows: wanted.rows }) ? `${wanted.cols}x${wanted.rows}` : "";
  }

  type(on) {
    this.typing = on;
    this.sent = "";
    this.box.classList.toggle("typing", on);
    this.term.options.disableStdin = !on;
    this.term.options.cursorBlink = on;
    const socket = this.socket;
    this.socket = null;
    socket?.close();
    this.open();
    if (on && !touch) this.term.focus(); // a phone's keyboard comes when a person wants it
  }
}

const webglKey = "ccdir-webgl";

/** What is for a terminal that xterm.js draws: search, and how it is drawn. */
function useTools(attached, tools) {
  tools.hidden = false;
  const told = tools.querySelector("[data-told]"), box = tools.querySelector("[data-webgl]");
  const draw = async () => {
    const off = (text) => {
      box.checked = false;
      told.textContent = text;
    };
    told.textContent = "";
    box.disabled = true;
    const done = await attached.webgl(box.checked, () => off("WebGL was lost: drawn without")).catch(() => false);
    box.disabled = false;
    if (!done) off("WebGL is not there: drawn without");
    keep(webglKey, box.checked ? "1" : "");
  };
  box.checked = kept(webglKey) === "1";
  if (box.checked) draw();
  box.addEventListener("change", draw);

  const form = tools.querySelector("[data-find]"), words = form.querySelector("input");
  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    if (!words.value) return;
    const found = await attached.find(words.value, e.submitter?.value === "previous").catch(() => false);
    told.textContent = found ? "" : "not found";
  });
}

for (const box of document.querySelectorAll("[data-terminal]")) {
  const attached = new Attached(box);
  box.querySelector("[data-type]")?.addEventListener("click", (e) => {
    const on = !attached.typing;
    attached.type(on);
    e.target.setAttribute("aria-pressed", String(on));
    e.target.textContent = on ? "Only look" : "Type here";
  });
  const tools = box.querySelector("[data-tools]");
  if (tools && !touch) useTools(attached, tools);
  for (const key of box.querySelectorAll("[data-key]")) {
    key.addEventListener("pointerdown", (e) => e.preventDefault()); // the keyboard of a phone stays as it is
    key.addEventListener("click", () => attached.send({ type: "keys", keys: [key.dataset.key] }));
  }
  // A real text field takes what input methods compose; it goes as one paste.
  box.querySelector("[data-compose]")?.addEventListener("submit", (e) => {
    e.preventDefault();
    const area = e.target.querySelector("textarea");
    const enter = e.submitter?.value === "enter";
    if (!area.value || !attached.paste(area.value)) return;
    area.value = "";
    if (enter) attached.send({ type: "keys", keys: ["Enter"] });
  });
}
