package runner

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// maxHeld bounds an incomplete line that is held back, in bytes.
const maxHeld = 1 << 20

// merger writes the output into the log and keeps its head, tail and last line.
type merger struct {
	mu       sync.Mutex
	log      io.Writer
	limit    int64
	written  int64
	bytes    int64
	head     []byte
	headSize int
	tail     []byte // the last bytes of output: tailSize to twice that
	tailSize int
	last     []byte // the last line
	err      error  // of the log
}

func newMerger(log io.Writer, spec Spec) *merger {
	m := &merger{log: log, limit: spec.LogLimit, headSize: spec.Head, tailSize: spec.Tail}
	if m.limit <= 0 {
		m.limit = defaultLogLimit
	}
	if m.headSize <= 0 {
		m.headSize = defaultKeep
	}
	if m.tailSize <= 0 {
		m.tailSize = defaultKeep
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
			m.put(append(held, chunk[:cut]...))
			held = append(held[:0], chunk[cut:]...)
		} else if held = append(held, chunk...); len(held) > maxHeld {
			m.put(held)
			held = held[:0]
		}
		if err != nil {
			m.put(held)
			return
		}
	}
}

func (m *merger) put(p []byte) {
	if len(p) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bytes += int64(len(p))
	if room := m.limit - m.written; room > 0 && m.err == nil {
		n, err := m.log.Write(p[:min(int64(len(p)), room)])
		m.written += int64(n)
		m.err = err
	}
	if line := bytes.TrimRight(p, "\r\n"); len(line) > 0 {
		line = line[bytes.LastIndexByte(line, '\n')+1:]
		m.last = append(m.last[:0], line[:min(len(line), 500)]...)
	}
	if room := m.headSize - len(m.head); room > 0 {
		n := min(room, len(p))
		m.head = append(m.head, p[:n]...)
		p = p[n:]
	}
	if len(p) > m.tailSize {
		p = p[len(p)-m.tailSize:]
	}
	if m.tail = append(m.tail, p...); len(m.tail) > 2*m.tailSize {
		m.tail = append(m.tail[:0], m.tail[len(m.tail)-m.tailSize:]...)
	}
}

func (m *merger) latest() (int64, string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bytes, strings.ToValidUTF8(string(m.last), "\uFFFD")
}

// finish fills in the output. A full disk ends the log, not the run.
func (m *merger) finish(res *Result) {
	m.mu.Lock()
	defer m.mu.Unlock()
	res.Bytes, res.LogTruncated = m.bytes, m.written < m.bytes
	tail := m.tail
	if len(tail) > m.tailSize {
		tail = tail[len(tail)-m.tailSize:]
	}
	gap := m.bytes - int64(len(m.head)+len(tail))
	if gap <= 0 {
		res.Output = strings.ToValidUTF8(string(m.head)+string(tail), "\uFFFD")
		return
	}
	res.Truncated = true
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	res.Output = strings.ToValidUTF8(string(m.head), "\uFFFD") + fmt.Sprintf("\n… %d bytes left out …\n", gap) + strings.ToValidUTF8(string(tail), "\uFFFD")
}
