// Plays cases in Ghostty's terminal core (libghostty-vt), as oracle.js does in
// xterm.js. It needs bun, and libghostty-vt in NODE_PATH.
import {createInterface} from 'node:readline';
import {dlopen, ptr} from 'bun:ffi';
import {Terminal} from 'libghostty-vt';

// An erased cell's background is not in its style; the package has no name for it.
const lib = process.env.NODE_PATH + '/libghostty-vt/prebuilds/linux-x64-glibc/libghostty-vt';
const refs = dlopen(lib + '-shim.so', {ghostty_terminal_grid_ref_p: {args: ['ptr', 'ptr', 'ptr'], returns: 'i32'}}).symbols;
const raw = dlopen(lib + '.so', {
  ghostty_grid_ref_cell: {args: ['ptr', 'ptr'], returns: 'i32'},
  ghostty_cell_get: {args: ['u64', 'i32', 'ptr'], returns: 'i32'},
}).symbols;
const contentTag = 2, palette = 10, rgb = 11; // of GhosttyCellData

function erased(t, x, y) {
  const point = new Uint8Array(24), ref = new BigUint64Array([24n, 0n, 0n]), cell = new BigUint64Array(1), out = new Uint8Array(4);
  new DataView(point.buffer).setUint16(8, x, true);
  new DataView(point.buffer).setUint32(12, y, true);
  if (refs.ghostty_terminal_grid_ref_p(t._handle, ptr(point), ptr(ref)) !== 0) throw new Error('no such cell');
  raw.ghostty_grid_ref_cell(ptr(ref), ptr(cell));
  raw.ghostty_cell_get(cell[0], contentTag, ptr(out));
  const tag = out[0];
  if (tag === 2 && raw.ghostty_cell_get(cell[0], palette, ptr(out)) === 0) return String(out[0]);
  if (tag === 3 && raw.ghostty_cell_get(cell[0], rgb, ptr(out)) === 0) return color(Array.from(out.subarray(0, 3)));
  return '';
}

const attributes = ['bold', 'faint', 'italic', 'underline', 'blink', 'inverse', 'invisible', 'strikethrough'];
const names = {faint: 'dim', invisible: 'hidden', strikethrough: 'strike'};

function color(c) {
  if (c === undefined) return '';
  if ('palette' in c) return String(c.palette);
  return '#' + c.map(v => v.toString(16).padStart(2, '0')).join('');
}

function flags(s) {
  return attributes.filter(a => a === 'underline' ? s.underline !== 'none' : s[a]).map(a => names[a] || a).join(',');
}

function write(t, base64, chunk) {
  const data = Buffer.from(base64, 'base64');
  const n = chunk > 0 ? chunk : data.length || 1;
  for (let i = 0; i < data.length; i += n) t.vtWrite(data.subarray(i, i + n));
}

function play(c) {
  let reply = '', title = '';
  const t = new Terminal({
    cols: c.cols, rows: c.rows, maxScrollback: 1 << 20,
    onWritePty: b => reply += Buffer.from(b).toString(), onTitleChanged: s => title = s,
  });
  if (c.graphemes) write(t, Buffer.from('\x1b[?2027h').toString('base64'), 0);
  write(t, c.input, c.chunk);
  let cols = c.cols, rows = c.rows;
  if (c.resize) {
    [cols, rows] = c.resize;
    t.resize(cols, rows);
  }
  if (c.input2) write(t, c.input2, c.chunk);
  const grid = [], cells = [];
  for (let y = 0; y < rows; y++) {
    let line = '';
    const row = [];
    for (let x = 0; x < cols; x++) {
      const cell = t.cellAt({x, y});
      const s = cell.style;
      const empty = cell.text === '';
      if (!cell.isWideContinuation) line += empty ? ' ' : cell.text;
      row.push(s === undefined ? `|${empty ? erased(t, x, y) : ''}|` : [empty ? '' : color(s.fg), color(s.bg), empty ? '' : flags(s)].join('|'));
    }
    grid.push(line.replace(/ +$/, ''));
    cells.push(row);
  }
  const state = t.snapshot();
  const out = {grid, cells, cursor: [Math.min(state.cursor.x, cols - 1), state.cursor.y], alt: state.activeScreen === 'alternate', title, reply};
  t.close();
  return out;
}

for await (const line of createInterface({input: process.stdin})) {
  let out;
  try { out = play(JSON.parse(line)); } catch (e) { out = {error: String(e).slice(0, 200)}; }
  process.stdout.write(JSON.stringify(out) + '\n');
}
