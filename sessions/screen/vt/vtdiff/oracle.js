// Plays cases in xterm.js headless. One JSON object a line in, one out; see
// main.go. NODE_PATH has to have @xterm/headless, @xterm/addon-unicode11 and
// @xterm/addon-unicode-graphemes.
'use strict';
Buffer.poolSize = 0; // the grapheme addon reads its table from offset 0 of the pool
const {Terminal} = require('@xterm/headless');
const {Unicode11Addon} = require('@xterm/addon-unicode11');
const {UnicodeGraphemesAddon} = require('@xterm/addon-unicode-graphemes');
const readline = require('readline');

function color(cell, fg) {
  if (fg ? cell.isFgDefault() : cell.isBgDefault()) return '';
  const v = fg ? cell.getFgColor() : cell.getBgColor();
  if (fg ? cell.isFgRGB() : cell.isBgRGB()) return '#' + v.toString(16).padStart(6, '0');
  return String(v);
}

function flags(c) {
  const out = [];
  if (c.isBold()) out.push('bold');
  if (c.isDim()) out.push('dim');
  if (c.isItalic()) out.push('italic');
  if (c.isUnderline()) out.push('underline');
  if (c.isBlink()) out.push('blink');
  if (c.isInverse()) out.push('inverse');
  if (c.isInvisible()) out.push('hidden');
  if (c.isStrikethrough()) out.push('strike');
  return out.join(',');
}

const write = (t, data, chunk) => new Promise(done => {
  if (data.length === 0) return done();
  const n = chunk > 0 ? chunk : data.length;
  for (let i = 0; i < data.length; i += n) {
    t.write(data.subarray(i, i + n), i + n >= data.length ? done : undefined);
  }
});

async function play(c) {
  const t = new Terminal({cols: c.cols, rows: c.rows, scrollback: 1000, allowProposedApi: true, logLevel: 'off', reflowCursorLine: !!c.reflowCursor});
  if (c.graphemes) t.loadAddon(new UnicodeGraphemesAddon());
  else { t.loadAddon(new Unicode11Addon()); t.unicode.activeVersion = '11'; }
  let reply = '', title = '';
  t.onData(d => reply += d);
  t.onTitleChange(s => title = s);
  await write(t, Buffer.from(c.input, 'base64'), c.chunk);
  if (c.resize) t.resize(c.resize[0], c.resize[1]);
  if (c.input2) await write(t, Buffer.from(c.input2, 'base64'), c.chunk);
  const b = t.buffer.active, grid = [], cells = [];
  for (let y = 0; y < t.rows; y++) {
    const line = b.getLine(b.baseY + y);
    grid.push(line.translateToString(true).replace(/ +$/, ''));
    const row = [];
    for (let x = 0; x < t.cols; x++) {
      const cell = line.getCell(x);
      const text = cell.getChars();
      row.push([text === '' ? '' : color(cell, true), color(cell, false), text === '' ? '' : flags(cell)].join('|'));
    }
    cells.push(row);
  }
  const scrollback = [], main = t.buffer.normal;
  for (let y = 0; y < main.baseY; y++) scrollback.push(main.getLine(y).translateToString(true).replace(/ +$/, ''));
  const out = {grid, cells, cursor: [Math.min(b.cursorX, t.cols - 1), b.cursorY], alt: b.type === 'alternate', title, reply, scrollback};
  t.dispose();
  return out;
}

// xterm.js throws some errors outside of any call: they end the case.
let fail = () => {};
process.on('uncaughtException', e => fail(e));

(async () => {
  for await (const line of readline.createInterface({input: process.stdin})) {
    let out;
    try { out = await Promise.race([play(JSON.parse(line)), new Promise((_, no) => { fail = no; })]); } catch (e) { out = {error: String(e).slice(0, 200)}; }
    process.stdout.write(JSON.stringify(out) + '\n');
  }
})();
