package edit

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ccdir/tui/paint"
)

// Limits.
const (
	// MaxBytes bounds the text of a buffer, folds included.
	MaxBytes = 16 << 20
	// FoldBytes and foldLines are the size from which a paste is folded.
	FoldBytes = 2 << 10
	foldLines = 12
	// maxFolds is how many folds a buffer has at most: as many as there are
	// characters that stand for one.
	maxFolds = firstPlain - firstFold
	// maxUndo is how many steps can be taken back, fewer where they would hold
	// more than undoBytes.
	maxUndo   = 100
	undoBytes = 4 << 20
)

// Characters that Unicode keeps for a program's own use stand for folds. Text
// from outside never has them.
const (
	firstFold  = '\ufdd0'
	firstPlain = '\ufdf0'
)

// Buffer is text that is being written. The zero value is empty. See the
// package comment.
type Buffer struct {
	// lines is never changed in place; nil is one empty line.
	lines []string
	row   int // of the cursor
	off   int // of the cursor in its line, in bytes, between clusters
	// goal is one more than the column that Up and Down keep to, 0 if none.
	goal int
	// folds are the texts that characters from firstFold on stand for.
	folds []string
	bytes int
	edits uint64 // counts changes of the text
	cut   string // the text deleted last by word or line, for Yank
	undo  []Buffer
	typed bool // the last edit was a character: the next joins its undo step
}

// New is a buffer with the text, the cursor at its end. Text of a folded
// paste's size is folded.
func New(text string) Buffer { return Buffer{}.Paste(text) }

// clean makes text ready for a line list: line breaks are \n, bytes that are no
// text and the characters that stand for folds become U+FFFD.
func clean(s string) string {
	if strings.Contains(s, "\r") {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	s = strings.ToValidUTF8(s, "\ufffd")
	if strings.ContainsFunc(s, isFold) {
		s = strings.Map(func(r rune) rune {
			if isFold(r) {
				return '\ufffd'
			}
			return r
		}, s)
	}
	return s
}

func isFold(r rune) bool { return r >= firstFold && r < firstPlain }

// String is the text, folds unfolded.
func (b Buffer) String() string {
	if len(b.folds) == 0 {
		return strings.Join(b.lines, "\n")
	}
	return b.expand(strings.Join(b.lines, "\n"))
}

// expand puts the folds' texts into s.
func (b Buffer) expand(s string) string {
	var out strings.Builder
	out.Grow(b.bytes)
	for {
		i := strings.IndexFunc(s, isFold)
		if i < 0 {
			out.WriteString(s)
			return out.String()
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		out.WriteString(s[:i])
		out.WriteString(b.folds[r-firstFold])
		s = s[i+n:]
	}
}

// Empty reports whether there is no text.
func (b Buffer) Empty() bool { return b.bytes == 0 }

// Edits is another number after each change of the text, and the same after a
// move of the cursor.
func (b Buffer) Edits() uint64 { return b.edits }

// Len is the size of the text in bytes.
func (b Buffer) Len() int { return b.bytes }

// Cursor is the cursor's line and its offset in that line in bytes.
func (b Buffer) Cursor() (row, off int) { return b.row, b.off }

// Lines is how many lines the text has, at least one.
func (b Buffer) Lines() int { return max(1, len(b.lines)) }

// Line is the text of a line, a fold as one character of no meaning outside.
func (b Buffer) Line(row int) string {
	if row < 0 || row >= len(b.lines) {
		return ""
	}
	return b.lines[row]
}

// Paste inserts text at the cursor; from the size of FoldBytes or foldLines on
// it is folded: shown as a short label and sent whole. Nothing changes if the
// buffer would be larger than MaxBytes.
func (b Buffer) Paste(text string) Buffer { b, _ = b.TryPaste(text); return b }

// TryPaste is Paste that reports whether there was room.
func (b Buffer) TryPaste(text string) (_ Buffer, ok bool) {
	text = clean(text)
	if len(text) < FoldBytes && strings.Count(text, "\n") < foldLines || len(b.folds) == maxFolds {
		return b.insert(text, false)
	}
	if b.bytes+len(text) > MaxBytes {
		return b, false
	}
	b.remember(false)
	b.folds = append(b.folds[:len(b.folds):len(b.folds)], text)
	return b.put(string(rune(firstFold+len(b.folds)-1)), len(text)), true
}

// PasteMore is TryPaste for the next piece of a paste that comes in several: it
// joins the fold before the cursor, if there is one, and its step of undo.
func (b Buffer) PasteMore(text string) (_ Buffer, ok bool) {
	r, _ := utf8.DecodeLastRuneInString(b.Line(b.row)[:b.off])
	if !isFold(r) {
		return b.TryPaste(text)
	}
	text = clean(text)
	if b.bytes+len(text) > MaxBytes {
		return b, false
	}
	b.folds = slices.Clone(b.folds)
	b.folds[r-firstFold] += text
	b.bytes += len(text)
	b.edits++
	return b, true
}

// Insert puts text at the cursor as it is. Nothing changes if there is no room.
func (b Buffer) Insert(text string) Buffer { b, _ = b.insert(clean(text), false); return b }

// insert puts clean text at the cursor. char: it was typed.
func (b Buffer) insert(text string, char bool) (Buffer, bool) {
	if b.bytes+len(text) > MaxBytes {
		return b, false
	}
	b.remember(char && !strings.ContainsAny(text, " \n\t"))
	return b.put(text, len(text)), true
}

// put is insert without a step of undo; size is what the text counts.
func (b Buffer) put(text string, size int) Buffer {
	parts := strings.Split(text, "\n")
	line := b.Line(b.row)
	head, tail := line[:b.off], line[b.off:]
	if len(parts) == 1 {
		b.setLines(b.row, b.row+1, head+text+tail)
		b.off = len(head) + len(text)
	} else {
		last := len(parts) - 1
		b.off = len(parts[last])
		parts[0], parts[last] = head+parts[0], parts[last]+tail
		b.setLines(b.row, b.row+1, parts...)
		b.row += last
	}
	b.bytes, b.goal = b.bytes+size, 0
	b.settle()
	return b
}

// settle moves the cursor to the end of the cluster that it stands in: what was
// inserted may have joined what follows.
func (b *Buffer) settle() {
	line := b.Line(b.row)
	if b.off == 0 || b.off >= len(line) {
		return
	}
	at := startOf(line, b.off)
	if at < b.off {
		n, _ := paint.Next(line[at:])
		b.off = at + n
	}
}

// setLines replaces lines from…to in a new list.
func (b *Buffer) setLines(from, to int, with ...string) {
	if b.lines == nil {
		b.lines = []string{""}
	}
	next := make([]string, 0, len(b.lines)-(to-from)+len(with))
	next = append(append(append(next, b.lines[:from]...), with...), b.lines[to:]...)
	b.lines = next
	b.edits++
}

// remember keeps the buffer for Undo. Characters typed one after the other are
// one step.
func (b *Buffer) remember(char bool) {
	if char && b.typed && len(b.undo) > 0 {
		return
	}
	old := *b
	old.undo = nil
	const header = 16 // of a string, in bytes
	keep := min(max(undoBytes/(1+len(b.Line(b.row))+header*len(b.lines)), 2), maxUndo)
	b.undo = append(slices.Clone(b.undo[max(0, len(b.undo)-keep+1):]), old)
	b.typed = char
}

// Undo takes the last edit back.
func (b Buffer) Undo() Buffer {
	if len(b.undo) == 0 {
		return b
	}
	old := b.undo[len(b.undo)-1]
	old.undo, old.cut = b.undo[:len(b.undo)-1:len(b.undo)-1], b.cut
	return old
}

// Unfold replaces the fold before or at the cursor by its text; ok is false if
// there is none.
func (b Buffer) Unfold() (_ Buffer, ok bool) {
	line := b.Line(b.row)
	at := -1
	if r, n := utf8.DecodeLastRuneInString(line[:b.off]); isFold(r) {
		at = b.off - n
	} else if r, _ := utf8.DecodeRuneInString(line[b.off:]); isFold(r) {
		at = b.off
	}
	if at < 0 {
		return b, false
	}
	r, n := utf8.DecodeRuneInString(line[at:])
	text := b.folds[r-firstFold]
	b.remember(false)
	b.setLines(b.row, b.row+1, line[:at]+line[at+n:])
	b.off = at
	b.bytes -= len(text)
	return b.put(text, len(text)), true
}

// startOf is where the cluster that ends at or reaches over off begins, 0 < off
// <= len(line).
func startOf(line string, off int) int {
	// Between two ASCII characters there is always a border.
	from := off - 1
	for from > 0 && (line[from] >= utf8.RuneSelf || line[from-1] >= utf8.RuneSelf) {
		from--
	}
	for {
		n, _ := paint.Next(line[from:])
		if from+n >= off {
			return from
		}
		from += n
	}
}

// size is what a piece of a line counts, folds whole.
func (b Buffer) size(s string) int {
	n := len(s)
	for _, r := range s {
		if isFold(r) {
			n += len(b.folds[r-firstFold]) - utf8.RuneLen(r)
		}
	}
	return n
}

// delete removes a part of the cursor's line.
func (b Buffer) delete(from, to int) Buffer {
	if from == to {
		return b
	}
	b.remember(false)
	line := b.Line(b.row)
	b.bytes -= b.size(line[from:to])
	b.setLines(b.row, b.row+1, line[:from]+line[to:])
	b.off, b.goal = from, 0
	b.settle()
	return b
}

// joinNext makes one line of line row and the next, the cursor between them.
func (b Buffer) joinNext(row int) Buffer {
	if row < 0 || row+1 >= len(b.lines) {
		return b
	}
	b.remember(false)
	head := b.lines[row]
	b.setLines(row, row+2, head+b.lines[row+1])
	b.row, b.off, b.goal = row, len(head), 0
	b.bytes--
	b.settle()
	return b
}

// Replace puts text in the place of the bytes from…to of the cursor's line, the
// cursor behind it.
func (b Buffer) Replace(from, to int, text string) Buffer {
	line := b.Line(b.row)
	if from < 0 || to < from || to > len(line) {
		return b
	}
	return b.delete(from, to).Insert(text)
}

func blank(s string) bool { return strings.TrimFunc(s, unicode.IsSpace) == "" }
