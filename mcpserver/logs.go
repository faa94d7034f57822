package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

const (
	// logScheme and a log's file name form the URI of its resource.
	logScheme = "ccdir-log:///"
	// maxLogRead bounds the part of a log that one read returns, in bytes: its end.
	maxLogRead = 4 << 20
	// logAge is the age at which a log of an earlier daemon is removed.
	logAge = 7 * 24 * time.Hour
	// defaultLogs is how many logs are kept.
	defaultLogs = 200
)

// logKeeper creates log files and removes the oldest.
type logKeeper struct {
	dir  string
	keep func() int

	mu   sync.Mutex
	made []string
	// using are the logs of commands that run, or are being decoded: they are never
	// removed.
	using map[string]bool
	// owner is the session or directory that may read a log as a resource.
	owner map[string]string
}

// ownerOf identifies who may read a log: a session, or all guests of a directory.
func ownerOf(c Caller) string {
	if c.Session != "" {
		return c.Session
	}
	return "guest " + c.Dir
}

// adopt takes over the logs of an earlier daemon, and removes old ones.
func (k *logKeeper) adopt(now time.Time) {
	names, _ := filepath.Glob(filepath.Join(k.dir, "*.log")) // sorted: their names begin with the time
	for _, n := range names {
		if info, err := os.Lstat(n); err != nil || now.Sub(info.ModTime()) > logAge {
			_ = os.Remove(n)
			continue
		}
		k.made = append(k.made, n)
	}
}

// next creates an empty log for a call of c. It is kept at least until done is called
// with it.
func (k *logKeeper) next(name string, c Caller) (string, error) {
	f, err := os.CreateTemp(k.dir, time.Now().UTC().Format("20060102-150405-")+name+"-*.log") // mode 0600
	if err != nil {
		return "", fmt.Errorf("log of the command: %w", err)
	}
	f.Close()
	name = filepath.Clean(f.Name())
	k.mu.Lock()
	defer k.mu.Unlock()
	k.made = append(k.made, name)
	k.owner[name], k.using[name] = ownerOf(c), true
	k.trim()
	return name, nil
}

// done releases a log: the call that made it no longer needs it.
func (k *logKeeper) done(file string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.using, file)
	k.trim()
}

// trim removes the oldest logs beyond the limit.
func (k *logKeeper) trim() {
	over := len(k.made) - k.keep()
	k.made = slices.DeleteFunc(k.made, func(file string) bool {
		if over <= 0 || k.using[file] {
			return false
		}
		over--
		_ = os.Remove(file)
		delete(k.owner, file)
		return true
	})
}

// uri is the URI of a log as a resource.
func (k *logKeeper) uri(file string) string { return logScheme + filepath.Base(file) }

// open opens a log that c may read.
func (k *logKeeper) open(uri string, c Caller) (*os.File, error) {
	name, ok := strings.CutPrefix(uri, logScheme)
	file := filepath.Join(k.dir, name)
	k.mu.Lock()
	mine := ok && name == filepath.Base(name) && slices.Contains(k.made, file) && k.owner[file] == ownerOf(c)
	k.mu.Unlock()
	if !mine {
		return nil, fmt.Errorf("no log %.100q of this session: it was removed, or belongs to another", uri)
	}
	return os.Open(file)
}

// addLogs offers the logs of commands as resources.
func (s *Server) addLogs() {
	template := mcp.NewResourceTemplate(logScheme+"{name}", "command log",
		mcp.WithTemplateDescription("The full output of a command; a result's log_uri names it."), mcp.WithTemplateMIMEType("text/plain"))
	s.mcp.AddResourceTemplate(template, func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		p := peerOf(ctx)
		if p == nil {
			return nil, errors.New("no caller")
		}
		f, err := s.logs.open(req.Params.URI, p.caller)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		note := ""
		if info, err := f.Stat(); err == nil && info.Size() > maxLogRead {
			note = fmt.Sprintf("… %d bytes before this left out …\n", info.Size()-maxLogRead)
			if _, err := f.Seek(-maxLogRead, io.SeekEnd); err != nil {
				return nil, err
			}
		}
		data, err := io.ReadAll(io.LimitReader(f, maxLogRead))
		if err != nil {
			return nil, err
		}
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, MIMEType: "text/plain",
			Text: note + strings.ToValidUTF8(string(data), "\uFFFD")}}, nil
	})
}
