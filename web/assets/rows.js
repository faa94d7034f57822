// The screen of a session as rows of text. It has what the terminal uses of xterm.js.

const inverse = 16, hidden = 32, bold = 1, dim = 2, italic = 4, strike = 64, overline = 128; // cells.Attr
const base = ["#2e3436", "#cc0000", "#4e9a06", "#c4a000", "#3465a4", "#75507b", "#06989a", "#d3d7cf",
  "#555753", "#ef2929", "#8ae234", "#fce94f", "#729fcf", "#ad7fa8", "#34e2e2", "#eeeeec"].map(parts);
const grounds = { light: { front: "#1b1f27", back: "#ffffff" }, dark: { front: "#e6e9ee", back: "#11151b" } };

function parts(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

/** The parts of a colour as cells.Color numbers it; nothing is the one given. */
function colour(n, none) {
  if (!n) return none;
  if (n >= 2 << 24) return [n >> 16 & 255, n >> 8 & 255, n & 255];
  n &= 255;
  if (n < 16) return base[n];
  if (n > 231) return Array(3).fill(8 + (n - 232) * 10);
  return [36, 6, 1].map((by) => { const v = Math.floor((n - 16) / by) % 6; return v && v * 40 + 55; });
}

function light(c) {
  const [r, g, b] = c.map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** A colour that can be read on another one: made darker or lighter until it can. */
function readable(front, back) {
  const below = light(back), to = below > 0.18 ? 0 : 255;
  for (let n = 0; n < 10; n++) {
    const above = light(front);
    if ((Math.max(above, below) + 0.05) / (Math.min(above, below) + 0.05) >= 4.5) break;
    front = front.map((v) => Math.round(v + (to - v) * 0.2));
  }
  return front;
}

const css = (c) => `rgb(${c.join()})`;

export class Rows {
  constructor(screen, dark) {
    this.screen = screen;
    this.dark = dark;
    this.options = {}; // of xterm.js: nothing of them is for text
    this.box = document.createElement("div");
    this.box.className = "textrows";
    this.cursor = document.createElement("i");
    this.cursor.className = "cursor";
    screen.tabIndex = 0;
    screen.setAttribute("role", "group");
    screen.setAttribute("aria-label", "Screen");
    screen.append(this.box);
    this.lines = [];
    this.waiting = [];
    dark.addEventListener("change", () => this.all());
    // What is being selected stays as it is.
    document.addEventListener("selectionchange", () => this.paint());
  }

  reset() {
    this.lines = [];
    this.waiting = [];
  }

  resize(cols, rows) {
    this.cols = cols;
    this.rows = rows;
  }

  selecting() {
    const chosen = getSelection();
    return chosen && !chosen.isCollapsed && this.screen.contains(chosen.anchorNode);
  }

  show(event) {
    if (event.all) this.waiting = [];
    this.waiting.push(event);
    this.paint();
  }

  paint() {
    if (!this.waiting.length || this.selecting()) return;
    const atEnd = this.screen.scrollTop + this.screen.clientHeight >= this.screen.scrollHeight - 8;
    for (const event of this.waiting) {
      if (event.all) {
        this.lines = Array(event.rows).fill([]);
        this.box.replaceChildren(...this.lines.map(() => document.createElement("div")), this.cursor);
      }
      for (const [y, spans] of Object.entries(event.set || {})) {
        this.lines[y] = spans;
        this.line(y);
      }
      this.cursor.hidden = !event.cursor;
      if (event.cursor) {
        this.cursor.style.left = `${event.cursor[0]}ch`;
        this.cursor.style.top = `${event.cursor[1] * 1.2}em`;
      }
    }
    this.waiting = [];
    if (atEnd) this.screen.scrollTop = this.screen.scrollHeight;
  }

  all() {
    for (const y of this.lines.keys()) this.line(y);
  }

  line(y) {
    this.box.children[y].replaceChildren(...this.lines[y].map((span) => this.span(span)));
  }

  /** A text in its style; what an agent wrote is text. */
  span({ t, f = 0, b = 0, a = 0, u }) {
    if (!f && !b && !a && !u) return t;
    const ground = grounds[this.dark.matches ? "dark" : "light"];
    let front = colour(f, parts(ground.front)), back = colour(b, parts(ground.back));
    if (a & inverse) [front, back] = [back, front];
    const element = document.createElement("span"), style = element.style;
    element.textContent = a & hidden ? " ".repeat(t.length) : t;
    style.color = css(readable(front, back));
    if (b || a & inverse) style.backgroundColor = css(back);
    if (a & bold) style.fontWeight = "bold";
    if (a & italic) style.fontStyle = "italic";
    if (a & dim) element.className = "dim";
    const lines = [u && "underline", a & strike && "line-through", a & overline && "overline"].filter(Boolean);
    if (lines.length) style.textDecoration = lines.join(" ");
    return element;
  }

  /** The size that fits: as wide as the screen is, and as high as it was then. A keyboard that comes and goes is no other size. */
  proposeDimensions() {
    const width = this.screen.clientWidth;
    if (this.proposed?.width !== width) {
      const probe = document.createElement("span");
      probe.textContent = "0".repeat(50);
      probe.className = "probe";
      this.box.append(probe);
      const size = probe.getBoundingClientRect();
      probe.remove();
      this.proposed = { width, cols: Math.floor((width - 12) / (size.width / 50)), rows: Math.max(8, Math.floor((window.innerHeight * 0.55) / (size.height || 16))) };
    }
    return this.proposed;
  }
}
