package conversations

import (
	"context"
	"slices"

	"ccdir/agents/transcript"
	"ccdir/api"
	"ccdir/daemon/store"
)

// indexing is how far a session was read for the index; the zero value is not at all. One
// goroutine at a time has it.
type indexing struct {
	sources []*indexedSource
	looked  string // the conversation at the last look for new ones
}

// indexedSource is a conversation that is being read for the index.
type indexedSource struct {
	id string
	transcript.Source
	row   store.SaidSource
	known map[store.SaidKey]int64
	// unseen are passages that the index had when reading began and that were not told
	// since; nil once it was read to its end.
	unseen map[store.SaidKey]bool
	begun  bool // it is read
	// last is the turn told last, items how many of its items were.
	last, items int

	put   []store.SaidPassage
	gone  []store.SaidKey
	bytes int
}

// marked is a Source that knows whether it has changed without being read.
type marked interface {
	Mark() (mark string, size int64)
}

// unmarked is the mark of a Source that has none: it was read to its end.
const unmarked = "whole"

func (s *indexedSource) mark() (string, int64) {
	if m, ok := s.Source.(marked); ok {
		return m.Mark()
	}
	return unmarked, 0
}

// look finds the conversations of a session that are not known yet.
func (n *indexing) look(ctx context.Context, o IndexOptions, s Session) error {
	if len(n.sources) > 0 && n.looked == s.Conversation {
		return nil
	}
	agent, ok := o.Conversations.o.Agent(s.Agent)
	if !ok {
		return nil
	}
	list, err := o.Conversations.list(ctx, agent, s)
	if err != nil {
		return err
	}
	for ord, c := range list {
		at := slices.IndexFunc(n.sources, func(s *indexedSource) bool { return s.id == c.ID })
		if at < 0 {
			c.Env = o.Conversations.o.Env
			from := agent.OpenConversation(c)
			if from == nil {
				continue
			}
			row, known, err := o.Index.Source(ctx, s.ID, c.ID)
			if err != nil {
				return err
			}
			src := &indexedSource{id: c.ID, Source: from, row: row, known: known, last: 0, unseen: map[store.SaidKey]bool{}}
			for k := range known {
				src.unseen[k] = true
			}
			n.sources, at = append(n.sources, src), len(n.sources)
		}
		n.sources[at].row.Ord = ord
	}
	n.looked = s.Conversation
	return nil
}

// small reports whether what is new to the index is little. A failure is told when it is
// read.
func (n *indexing) small(ctx context.Context, o IndexOptions, s Session) bool {
	if err := n.look(ctx, o, s); err != nil {
		return true
	}
	total := int64(0)
	for _, src := range n.sources {
		if mark, size := src.mark(); src.begun || mark != src.row.Mark {
			total += size
		}
	}
	return total <= soonBytes
}

// read brings the index up to date and returns the newest turn if it has changed. rest, if
// not nil, is called between the changes of the index.
func (n *indexing) read(ctx context.Context, o IndexOptions, s Session, rest func()) (latest *api.Turn, err error) {
	if err := n.look(ctx, o, s); err != nil {
		return nil, err
	}
	for _, src := range n.sources {
		mark, _ := src.mark()
		if !src.begun && mark != "" && mark == src.row.Mark {
			continue // as it was when it was read last
		}
		turn, err := src.read(ctx, o, mark, rest)
		if err != nil {
			return latest, err
		}
		if turn != nil {
			latest = turn
		}
	}
	return latest, nil
}

// read reads one conversation on.
func (src *indexedSource) read(ctx context.Context, o IndexOptions, mark string, rest func()) (latest *api.Turn, err error) {
	told := false
	var merged []api.Turn
	if err := src.Read(ctx, func(t api.Turn) error {
		told = true
		src.take(t)
		merged = transcript.Merge(merged, t, 1)
		latest = &merged[len(merged)-1]
		if src.bytes < batchBytes && len(src.put) < batchPassages {
			return nil
		}
		if err := src.flush(ctx, o); err != nil {
			return err
		}
		if o.Pause != nil {
			o.Pause(PauseIndexed)
		}
		if rest != nil {
			rest()
		}
		return ctx.Err()
	}); err != nil {
		return nil, err
	}
	// First: with the mark of its file, the conversation is not read again.
	if from, metered := src.Source.(transcript.Metered); metered && o.Took != nil {
		used, err := from.Used(ctx)
		if err == nil {
			err = o.Took(ctx, src.row.Session, src.id, used)
		}
		if err != nil {
			return nil, err
		}
	}
	if told && src.unseen != nil {
		for k := range src.unseen {
			src.gone = append(src.gone, k)
			delete(src.known, k)
		}
	}
	if told {
		src.unseen = nil
	}
	if changed := src.row.Mark != mark; changed {
		src.row.Mark = mark
	} else if !told {
		return latest, nil
	}
	src.begun = true
	return latest, src.flush(ctx, o)
}

// take notes what is new of a turn.
func (src *indexedSource) take(t api.Turn) {
	if t.Turn < src.last || t.Turn == src.last && t.From == 0 && src.items > 0 {
		for k := range src.known { // it was told before: the file is another one
			if k.Turn >= t.Turn {
				src.gone = append(src.gone, k)
				delete(src.known, k)
			}
		}
		src.put = slices.DeleteFunc(src.put, func(p store.SaidPassage) bool { return p.Turn >= t.Turn })
	}
	src.items = t.From + len(t.Items)
	src.last = t.Turn
	src.row.Turns = t.Turn
	for _, p := range passages(t) {
		delete(src.unseen, p.SaidKey)
		if hash, ok := src.known[p.SaidKey]; ok && hash == p.Hash {
			continue
		}
		src.known[p.SaidKey] = p.Hash
		src.put = append(src.put, p)
		src.bytes += len(p.Text)
	}
}

// flush puts what was noted into the index.
func (src *indexedSource) flush(ctx context.Context, o IndexOptions) error {
	put, gone := src.put, src.gone
	src.put, src.gone, src.bytes = nil, nil, 0
	return o.Index.Put(ctx, src.row, put, gone)
}
