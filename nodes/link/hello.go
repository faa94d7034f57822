package link

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// muxMin and muxMax are the protocols of the connection that this build speaks.
const (
	muxMin = 1
	muxMax = 1
)

// greetingWord begins the line by which the other end says that it speaks from now on.
const greetingWord = "ccdir-link"

// maxNoise bounds, in bytes, what a login shell may print before that line, and the line.
const maxNoise = 64 << 10

// hello is the bridge's first line, or that of the script which found none.
type hello struct {
	greeting *Greeting
	// Without a greeting: version is the newest program there that does not fit, "" if there is
	// none; system and machine are what uname says.
	version, system, machine string
}

// errSilent: the connection ended before the first line; noise is the output up to there.
type errSilent struct {
	noise string
	err   error
}

func (e errSilent) Error() string {
	if e.noise == "" {
		return "the login there said nothing"
	}
	return fmt.Sprintf("the login there said %q", e.noise)
}

func (e errSilent) Unwrap() error { return e.err }

var errNoise = errors.New("it prints too much before ccdir's first line")

// readHello reads up to the first line and decodes it. What comes before it is dropped.
func readHello(r *bufio.Reader, nonce string) (h hello, err error) {
	var noise []byte
	for total := 0; ; {
		line, err := r.ReadSlice('\n')
		if total += len(line); total > maxNoise {
			return h, errSilent{tail(noise), errNoise}
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return h, errSilent{tail(append(noise, line...)), err}
		}
		// A shell may have printed a prompt before it, on the same line.
		if at := bytes.Index(line, []byte(greetingWord+" "+nonce+" ")); at >= 0 && err == nil {
			return parseHello(strings.TrimRight(string(line[at+len(greetingWord)+len(nonce)+2:]), "\r\n"))
		}
		noise = append(noise, line...)
	}
}

// tail returns the last line of what a login printed.
func tail(noise []byte) string {
	lines := strings.Split(strings.TrimSpace(string(noise)), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	return last[:min(len(last), 300)]
}

func parseHello(text string) (h hello, err error) {
	if words := strings.Fields(text); len(words) >= 3 && words[0] == "none" {
		h.system, h.machine = words[1], words[2]
		if len(words) > 3 {
			h.version = words[3]
		}
		return h, nil
	}
	var g Greeting
	if err := json.Unmarshal([]byte(text), &g); err != nil {
		return h, fmt.Errorf("its first line is not understood: %w", err)
	}
	if g.Mux[0] > muxMax || g.Mux[1] < muxMin || g.Mux[0] > g.Mux[1] {
		return h, fmt.Errorf("ccdir %s there speaks protocols %d to %d, this one %d to %d", g.Version, g.Mux[0], g.Mux[1], muxMin, muxMax)
	}
	h.greeting = &g
	return h, nil
}

// readLine reads one line of JSON of at most most bytes, byte by byte: what follows belongs to
// whoever reads the connection next.
func readLine(r io.Reader, most int, v any) error {
	var line []byte
	for b := make([]byte, 1); ; {
		n, err := r.Read(b)
		if n == 1 && b[0] == '\n' {
			return json.Unmarshal(line, v)
		}
		if line = append(line, b[:n]...); len(line) > most {
			return errors.New("the line is too long")
		}
		if err != nil {
			return err
		}
	}
}

// writeLine writes one line of JSON.
func writeLine(w io.Writer, v any) error {
	data, err := json.Marshal(v)
	if err == nil {
		_, err = w.Write(append(data, '\n'))
	}
	return err
}
