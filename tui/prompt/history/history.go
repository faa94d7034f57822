package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ccdir/internal/disk/atomicfile"
)

// Bounds of the history.
const (
	// maxEntries is how many prompts are kept, MaxEntry the size of one in bytes
	// (larger ones are not kept), maxFile that of the file before it is rewritten.
	maxEntries = 500
	MaxEntry   = 64 << 10
	maxFile    = 4 << 20
)

// History is the file that holds the prompts of a person: a line of JSON each,
// the newest last, each prompt once. Several grids may use one file at once; a
// lock beside it keeps them apart. The zero value keeps nothing.
type History struct {
	// File is its path, "" for none. It is made with mode 0600.
	File string
}

// entry is one line. More fields may come.
type entry struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"`
}

// Load returns the prompts, the newest last. Lines that are none are passed
// over: the file may have been cut off by a full disk.
func (h History) Load() ([]string, error) {
	if h.File == "" {
		return nil, nil
	}
	all, err := h.read()
	out := make([]string, len(all))
	for i, e := range all {
		out[i] = e.Text
	}
	return out, err
}

// read returns the entries, each text once.
func (h History) read() ([]entry, error) {
	f, err := os.Open(h.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the history of prompts cannot be read: %w", err)
	}
	defer f.Close()
	var all []entry
	lines := bufio.NewReaderSize(f, 8*MaxEntry)
	for err == nil {
		var line []byte
		line, err = lines.ReadSlice('\n')
		whole := !errors.Is(err, bufio.ErrBufferFull)
		for errors.Is(err, bufio.ErrBufferFull) { // no prompt is as long: the disk was damaged there
			_, err = lines.ReadSlice('\n')
		}
		var e entry
		if whole && json.Unmarshal(line, &e) == nil && e.Text != "" {
			all = Keep(all, e, func(e entry) string { return e.Text })
		}
	}
	if !errors.Is(err, io.EOF) {
		return all, fmt.Errorf("the history of prompts cannot be read: %w", err)
	}
	return all, nil
}

// Keep adds an entry at the end, takes out an older one of the same text, and
// bounds the list. The list is changed in place.
func Keep[T any](all []T, next T, text func(T) string) []T {
	same := text(next)
	all = slices.DeleteFunc(all, func(o T) bool { return text(o) == same })
	all = append(all, next)
	return all[max(0, len(all)-maxEntries):]
}

// Add puts a prompt at the end. Prompts larger than MaxEntry are not kept.
func (h History) Add(text string, at time.Time) error {
	if h.File == "" || text == "" || len(text) > MaxEntry {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(h.File), 0o700); err != nil {
		return fmt.Errorf("the history of prompts cannot be kept: %w", err)
	}
	unlock, err := lock(h.File + ".lock")
	if err != nil {
		return fmt.Errorf("the history of prompts cannot be kept: %w", err)
	}
	defer unlock()
	if err := h.add(entry{At: at.UTC(), Text: text}); err != nil {
		return fmt.Errorf("the history of prompts cannot be kept: %w", err)
	}
	return nil
}

// add appends; where the file has grown too large it is written anew.
func (h History) add(e entry) error {
	if info, err := os.Stat(h.File); err == nil && info.Size() > maxFile {
		all, err := h.read()
		if err != nil {
			return err
		}
		return h.rewrite(Keep(all, e, func(e entry) string { return e.Text }))
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(h.File, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	// A line that was cut off must not swallow this one: an empty line is none.
	_, err = f.Write(append(append([]byte("\n"), line...), '\n'))
	return errors.Join(err, f.Close())
}

// rewrite replaces the file by half of what may be kept: so it is rare.
func (h History) rewrite(all []entry) error {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	size := 0
	first := len(all)
	for first > 0 && size < maxFile/2 {
		first--
		size += len(all[first].Text)
	}
	for _, e := range all[first:] {
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	return atomicfile.Write(h.File, out.Bytes())
}
