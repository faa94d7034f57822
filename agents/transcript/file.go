package transcript

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"ccdir/api"
	"ccdir/usage"
)

const (
	// maxLine bounds a line that is decoded, in bytes: a picture in a message is one line. A
	// longer one becomes an item with its beginning.
	maxLine = 32 << 20
	// chunk is the size of one read, in bytes; a buffer that a long line made larger than
	// keepBuffer is given back.
	chunk      = 256 << 10
	keepBuffer = 1 << 20
	// tailLen is how many bytes before the position are compared at the next read, to notice
	// that the file was written anew.
	tailLen = 128
)

// File reads a conversation from a file to which an agent appends lines. It goes on where
// the last Read ended, leaves an incomplete last line for the next one, and begins again
// when the file was replaced, cut or written anew. A file that does not exist (yet) is empty.
// It keeps no file open between reads.
type File struct {
	path    string
	decoder Decoder
	nested  Nested
	depth   int
	// conversation is the agent's id of it.
	conversation string
	packing      Packing

	b *Builder
	// offset is the position after the last line that was read, info the file then, tail
	// the bytes before the position.
	offset int64
	info   fs.FileInfo
	tail   []byte
	whole  bool // the last Read came to the file's end
	// agents are the readers of subagents' files, by path; known are the subagents found.
	agents map[string]*agentFile
	known  []Agent
	// metered are the readers of all subagents' files for what they used, by path; bare: this is one.
	metered map[string]*File
	bare    bool
	all     usage.Used // of all files, as it was last
	each    func(api.Turn) error
	failed  error
}

// Options of a File.
type Options struct {
	// Conversation is the agent's id, for api.Turn.Conversation.
	Conversation string
	// Nested finds the files of subagents; nil: the agent has none.
	Nested Nested
	// Packing is how the agent packs its files; its zero value: it does not.
	Packing Packing
}

// NewFile makes a reader of a file.
func NewFile(path string, decoder Decoder, o Options) *File {
	f := &File{path: path, decoder: decoder, nested: o.Nested, conversation: o.Conversation, packing: o.Packing}
	f.b = f.builder()
	return f
}

// builder makes the Builder of the whole file.
func (f *File) builder() *Builder {
	b := &Builder{nested: f.depth > 0, bare: f.bare}
	if f.depth == 0 {
		b.used = &meter{}
	}
	b.left = func(b *Builder) {
		f.pass(b)
		f.agents = nil // their turn is over
	}
	return b
}

// Read implements Source. A file that is no regular one is an error.
func (f *File) Read(ctx context.Context, each func(api.Turn) error) error {
	f.each, f.failed = each, nil
	defer func() { f.each = nil }()
	file, info, whole, err := f.open()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("cannot read the conversation: %w", err)
	}
	defer func() { _ = file.Close() }()
	if whole {
		return nil
	}
	if f.anew(file, info) {
		before := f.b.meterOf().Changes
		f.b = f.builder()
		if f.b.used != nil {
			f.b.used.Changes = before + 1
		}
		f.offset, f.tail, f.agents, f.known = 0, nil, nil, nil
		if u, packed := file.(*unpacked); packed {
			if err := u.again(f.packing); err != nil {
				return fmt.Errorf("cannot read the conversation: %w", err)
			}
		}
	}
	f.info, f.whole = info, false
	if err := f.lines(ctx, file); err != nil {
		return err
	}
	f.whole = true
	f.pass(f.b)
	return f.failed
}

// anew reports whether the file is another one than at the last read.
func (f *File) anew(file content, info fs.FileInfo) bool {
	if f.info == nil || f.offset == 0 {
		return false
	}
	if _, plain := file.(*os.File); plain && (!os.SameFile(f.info, info) || info.Size() < f.offset) {
		return true
	}
	now := make([]byte, len(f.tail))
	_, err := file.ReadAt(now, f.offset-int64(len(now)))
	return err != nil || !bytes.Equal(now, f.tail)
}

// lines decodes the lines from the position on.
func (f *File) lines(ctx context.Context, file io.ReaderAt) error {
	buf := make([]byte, 0, chunk)
	at := f.offset // of the end of buf in the file
	var long int64 // the length of a line above maxLine so far; its beginning is in buf
	for f.failed == nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if cap(buf)-len(buf) < chunk/2 {
			buf = append(make([]byte, 0, min(2*cap(buf), maxLine+2*chunk)), buf...)
		}
		n, err := file.ReadAt(buf[len(buf):cap(buf)], at)
		if n == 0 {
			if err != nil && !errors.Is(err, io.EOF) {
				return fmt.Errorf("cannot read the conversation: %w", err)
			}
			return nil // what is in buf is not complete yet
		}
		fresh := len(buf)
		buf, at = buf[:len(buf)+n], at+int64(n)
		done := 0
		for f.failed == nil {
			end := bytes.IndexByte(buf[max(done, fresh):], '\n')
			if end < 0 {
				break
			}
			end += max(done, fresh)
			f.line(buf[done:end], long)
			long, done = 0, end+1
			f.take(buf[:done], at-int64(len(buf)-done))
		}
		rest := len(buf) - done
		switch {
		case rest > maxLine:
			long += int64(rest - MaxRaw)
			buf = append(make([]byte, 0, chunk), buf[done:done+MaxRaw]...)
		case cap(buf) > keepBuffer && rest <= chunk/2:
			buf = append(make([]byte, 0, chunk), buf[done:]...)
		default:
			buf = buf[:copy(buf, buf[done:])]
		}
	}
	return f.failed
}

// line decodes one line; skipped counts the bytes of its middle that were not kept.
func (f *File) line(line []byte, skipped int64) {
	line = bytes.TrimRight(line, "\r")
	switch {
	case skipped > 0 || len(line) > maxLine:
		f.b.Raw(time.Time{}, fmt.Sprintf("a line of %d bytes", int64(len(line))+skipped), line)
	case len(bytes.TrimSpace(line)) > 0:
		f.decoder.Line(line, f.b)
	}
}

// take moves the position behind a line: read is what was read up to there.
func (f *File) take(read []byte, position int64) {
	f.offset = position
	f.tail = append(f.tail[:0], read[max(len(read)-tailLen, 0):]...)
}

// pass passes on what is new of the builder's turn.
func (f *File) pass(b *Builder) {
	if f.failed != nil || f.each == nil {
		return
	}
	f.readAgents(b)
	if t, ok := b.news(); ok {
		t.Conversation = f.conversation
		f.failed = f.each(t)
	}
}

// Mark tells one state of the file from others, by size and time, without reading it; "" if
// there is none.
func (f *File) Mark() (mark string, size int64) {
	info, err := f.stat()
	if err != nil {
		return "", 0
	}
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano()), info.Size()
}
