package runner

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// maxHeld bounds an incomplete line that is held back, in bytes.
const maxHeld = 1 << 20

// merger writes the output into the log and keeps its head, tail and last line.
type merger struct {
	mu      sync.Mutex
	log     io.Writer
	limit   int64
	written int64
	// all has both streams in the order of arrival; streams has each alone, if Spec.Apart.
	all     keeper
	streams map[string]*keeper
	last    []byte // the last line
	err     error  // of the log
}

func newMerger(log io.Writer, spec Spec) *merger {
	m := &merger{log: log, limit: spec.LogLimit, all: keeper{headSize: spec.Head, tailSize: spec.Tail}}
	if m.limit <= 0 {
		m.limit = defaultLogLimit
	}
	if m.all.headSize <= 0 {
		m.all.headSize = defaultKeep
	}
	if m.all.tailSize <= 0 {
		m.all.tailSize = defaultKeep
	}
	if spec.Apart {
		m.streams = map[string]*keeper{}
		for _, name := range []string{Stdout, Stderr} {
			m.streams[name] = &keeper{headSize: m.all.headSize / 2, tailSize: m.all.tailSize / 2}
		}
	}
	return m
}

// copy reads r to EOF. It never stops reading because of the log: a command must not
// block on a full pipe.
func (m *merger) copy(r io.Reader) {
	buf := make([]byte, 64<<10)
	var held []byte
	for {
		n, err := r.Read(buf)
		chunk := buf[:n]
		if cut := bytes.LastIndexByte(chunk, '\n') + 1; cut > 0 {
			m.put(Stdout, append(held, chunk[:cut]...))
			held = append(held[:0], chunk[cut:]...)
		} else if held = append(held, chunk...); len(held) > maxHeld {
			m.put(Stdout, held)
			held = held[:0]
		}
		if err != nil {
			m.put(Stdout, held)
			return
		}
	}
}

func (m *merger) put(stream string, p []byte) {
	if len(p) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if room := m.limit - m.written; room > 0 && m.err == nil {
		n, err := m.log.Write(p[:min(int64(len(p)), room)])
		m.written += int64(n)
		m.err = err
	}
	if line := bytes.TrimRight(p, "\r\n"); len(line) > 0 {
		line = line[bytes.LastIndexByte(line, '\n')+1:]
		m.last = append(m.last[:0], line[:min(len(line), 500)]...)
	}
	m.all.add(stream, p)
	if k := m.streams[stream]; k != nil {
		k.add(stream, p)
	}
}

func (m *merger) latest() (int64, string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all.total, strings.ToValidUTF8(string(m.last), "\uFFFD")
}

// finish fills in the output. A full disk ends the log, not the run.
func (m *merger) finish(res *Result) {
	m.mu.Lock()
	defer m.mu.Unlock()
	res.Bytes, res.LogTruncated = m.all.total, m.written < m.all.total
	res.Pieces, res.Gap = m.all.pieces(0)
	res.Truncated = res.Gap.Bytes > 0
	res.Output, _ = m.all.text()
	if m.streams != nil {
		res.Stdout, _ = m.streams[Stdout].text()
		res.Stderr, _ = m.streams[Stderr].text()
	}
}

// Output is a command's output so far. Safe for concurrent use.
type Output struct{ m *merger }

// Part is the kept part of an output from some offset on.
type Part struct {
	Pieces []Piece
	// Next is the offset after it.
	Next int64
	Gap  Gap
}

// Since returns the output from an offset on.
func (o *Output) Since(offset int64) Part {
	o.m.mu.Lock()
	defer o.m.mu.Unlock()
	list, gap := o.m.all.pieces(max(offset, 0))
	return Part{list, o.m.all.total, gap}
}

// Texts returns head and tail of each stream alone, with Spec.Apart.
func (o *Output) Texts() (stdout, stderr string) {
	o.m.mu.Lock()
	defer o.m.mu.Unlock()
	if o.m.streams == nil {
		return "", ""
	}
	stdout, _ = o.m.streams[Stdout].text()
	stderr, _ = o.m.streams[Stderr].text()
	return stdout, stderr
}
