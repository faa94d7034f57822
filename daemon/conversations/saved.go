package conversations

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"ccdir/agents"
	"ccdir/agents/transcript"
	"ccdir/api"
)

// Agents delete old conversations, and people remove agents. So the conversations of a session
// that has ended are copied: a folder per session, a file per conversation, with a turn as
// JSON per line, compressed. A copy is read where the agent's own file has nothing any more.

const savedEnd = ".jsonl.gz"

// plainID matches ids of sessions and conversations that can be names of files.
var plainID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Za-z_-]{1,80}$`) })

// savedPath is where the copy of a conversation lies.
func (c *Conversations) savedPath(session, conversation string) string {
	name := conversation
	if !plainID().MatchString(name) {
		name = fmt.Sprintf("%x", sha256.Sum256([]byte(name)))
	}
	return filepath.Join(c.savedDir(session), name+savedEnd)
}

func (c *Conversations) savedDir(session string) string { return filepath.Join(c.o.Dir, session) }

// Save copies the conversations of a session that has ended, and reports whether there are
// copies. One whose file is gone keeps the copy that there is.
func (c *Conversations) Save(ctx context.Context, session string) (kept bool, err error) {
	r, err := c.reading(ctx, session)
	if api.CodeOf(err) == api.CodeConflict {
		return false, nil // it has no conversation that can be read
	}
	if err != nil {
		return false, err
	}
	if !plainID().MatchString(r.session.ID) {
		return false, fmt.Errorf("%.40q cannot be the name of a folder", r.session.ID)
	}
	list, err := c.list(ctx, r.agent, r.session)
	if err != nil {
		return false, err
	}
	for _, conversation := range list {
		conversation.Env = c.o.Env
		if from := r.agent.OpenConversation(conversation); from != nil {
			if err := c.save(ctx, c.savedPath(r.session.ID, conversation.ID), from); err != nil {
				return false, fmt.Errorf("cannot keep a conversation: %w", err)
			}
		}
	}
	files, err := os.ReadDir(c.savedDir(r.session.ID))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return len(files) > 0, err
}

// save writes a copy, unless there is nothing to copy.
func (c *Conversations) save(ctx context.Context, path string, from transcript.Source) (err error) {
	f, err := c.newCopy(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, f.Close())
		if left := os.Remove(f.Name()); left != nil && !errors.Is(left, fs.ErrNotExist) {
			err = errors.Join(err, left)
		}
		c.folders.Lock()
		_ = os.Remove(filepath.Dir(path)) // fails unless it is empty
		c.folders.Unlock()
	}()
	packed := gzip.NewWriter(f)
	lines := json.NewEncoder(packed)
	turns := 0
	if err := from.Read(ctx, func(t api.Turn) error { turns++; return lines.Encode(t) }); err != nil || turns == 0 {
		return err
	}
	if err := errors.Join(packed.Close(), f.Sync()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// newCopy creates a file in a folder, and the folder.
func (c *Conversations) newCopy(dir string) (*os.File, error) {
	c.folders.Lock()
	defer c.folders.Unlock()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return os.CreateTemp(dir, ".new-*")
}

// Forget deletes the copies of a session's conversations.
func (c *Conversations) Forget(session string) error {
	if !plainID().MatchString(session) {
		return nil
	}
	return os.RemoveAll(c.savedDir(session))
}

// Prune deletes the copies of all sessions that are not to be kept.
func (c *Conversations) Prune(keep func(session string) bool) error {
	dirs, err := os.ReadDir(c.o.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, d := range dirs {
		if !keep(d.Name()) {
			err = errors.Join(err, c.Forget(d.Name()))
		}
	}
	return err
}

// open returns the reader of a conversation: its agent's, with the copy behind it. Nil: there
// is neither.
func (c *Conversations) open(agent agents.Conversationalist, session string, conversation agents.Conversation) transcript.Source {
	conversation.Env = c.o.Env
	from := agent.OpenConversation(conversation)
	if c.o.Dir == "" || !plainID().MatchString(session) {
		return from
	}
	path := c.savedPath(session, conversation.ID)
	if _, err := os.Stat(path); err != nil {
		return from
	}
	return &orSaved{from: from, path: path}
}

// saved lists conversations of which there are copies alone, the oldest first: the events that
// name them were deleted.
func (c *Conversations) saved(session string, known []agents.Conversation) (list []agents.Conversation) {
	if c.o.Dir == "" || !plainID().MatchString(session) {
		return nil
	}
	files, _ := os.ReadDir(c.savedDir(session)) // none without a folder
	slices.SortStableFunc(files, func(a, b fs.DirEntry) int {
		x, errX := a.Info()
		y, errY := b.Info()
		if errX != nil || errY != nil {
			return 0
		}
		return x.ModTime().Compare(y.ModTime())
	})
	for _, f := range files {
		id, found := strings.CutSuffix(f.Name(), savedEnd)
		same := func(n agents.Conversation) bool { return filepath.Base(c.savedPath(session, n.ID)) == f.Name() }
		if found && !strings.HasPrefix(id, ".") && !slices.ContainsFunc(known, same) {
			list = append(list, agents.Conversation{ID: id})
		}
	}
	return list
}

// orSaved reads a conversation from its agent's file, or from the copy if that has nothing.
type orSaved struct {
	from transcript.Source // nil: it is not known where the agent's file was
	path string
	told bool // the agent's file has turns
	read bool // the copy was read
}

// Read implements transcript.Source.
func (o *orSaved) Read(ctx context.Context, each func(api.Turn) error) error {
	var err error
	if o.from != nil && !o.read {
		err = o.from.Read(ctx, func(t api.Turn) error { o.told = true; return each(t) })
	}
	if o.told || o.read || ctx.Err() != nil {
		return err
	}
	o.read = true
	return readSaved(ctx, o.path, each)
}

// readSaved passes on the turns of a copy.
func readSaved(ctx context.Context, path string, each func(api.Turn) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("cannot read the copy of a conversation: %w", err)
	}
	defer func() { _ = f.Close() }()
	packed, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("the copy of a conversation is damaged: %w", err)
	}
	for lines := json.NewDecoder(packed); ; {
		var t api.Turn
		switch err := lines.Decode(&t); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("the copy of a conversation is damaged: %w", err)
		case ctx.Err() != nil:
			return ctx.Err()
		}
		if err := each(t); err != nil {
			return err
		}
	}
}
