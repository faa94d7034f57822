// Package vt is ccdir's own terminal core: the bytes that an application
// writes to its terminal in, rows of cells out. It implements
// [screen.Engine]; the contract is written there.
//
// What the sequences mean follows xterm (ctlseqs, patch 390) and, where xterm
// leaves a choice, xterm.js 6.0, against which the recorded cases in testdata
// were checked. Text is laid out in grapheme clusters, as terminals with mode
// 2027 do (which DECRQM reports as permanently set).
//
// What is decided here:
//
//   - Parser: the DEC state machine of Paul Williams over UTF-8. Invalid bytes
//     become U+FFFD, one for each maximal subpart (Unicode, chapter 3.9). C1
//     controls count when they come as code points (C2 80 … C2 9F), not as
//     single bytes.
//   - The cursor column may stand one past the last: the next character wraps
//     (pending wrap). Readers see it clamped to the last column.
//   - Tables of styles, clusters and links are bounded (see [grid.Table]). When
//     one is full, a new one is made of what the two screens still show, and all
//     rows get a new generation. What does not fit even then is shown without
//     its link, in a simpler style, or as U+FFFD. History lines carry their own
//     styles and keep no table alive.
//   - Not supported: left and right margins, double-width lines, rectangular
//     areas, 132 columns, sixel and other graphics, 8-bit C1, printing.
package vt
