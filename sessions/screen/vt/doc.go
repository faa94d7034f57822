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
//   - Tables of styles, clusters and links are bounded (see [cells.Table]). When
//     one is full, a new one is made of what the two screens still show, and all
//     rows get a new generation. What does not fit even then is shown without
//     its link, in a simpler style, or as U+FFFD. History lines carry their own
//     styles and keep no table alive.
//   - Without a base to stand on (at the start, after a cursor movement, after
//     the screen moved) combining marks are dropped: what happens to be under
//     the cursor is not theirs. Renditions and links in between do not matter.
//   - DECSC saves the row of the screen, not of the text, and the origin mode; it saves a
//     pending wrap too. Tab stops belong to both screens. SU on the main screen feeds the
//     history. '_' in DEC special graphics is a blank. xterm does the same; xterm.js differs
//     in all but the pending wrap.
//   - Not supported: left and right margins, double-width lines, rectangular
//     areas, 132 columns, sixel and other graphics, 8-bit C1, printing.
//
// Where things are: parser.go, params.go and utf8.go take the bytes apart;
// controls.go, csi.go, osc.go and reports.go say what a sequence does; print.go
// lays out text (charset.go, and the rules in package cells); cursor.go, edit.go,
// scroll.go, tabs.go, modes.go, sgr.go and keyboard.go are the functions of the
// terminal by subject; page.go, history.go and historyline.go hold the lines;
// resize.go and reflow.go change the size; damage.go keeps generations and
// intern.go the bounded tables. vtdiff compares with xterm.js.
package vt
