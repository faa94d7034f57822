package transcript

import (
	"context"

	"ccdir/api"
)

// Nested finds what subagents of a conversation did.
type Nested interface {
	// Agents lists the subagents whose files belong to the conversation at path, at most
	// MaxAgents. known are those that an earlier call found; they need not be looked at
	// again.
	Agents(path string, known []Agent) []Agent
}

// Agent is a subagent.
type Agent struct {
	// ID is the agent's id of it, Kind its type, Call the id of the tool call that started
	// it, "" if that is not known.
	ID, Kind, Call string
	Path           string
}

// Bounds of subagents.
const (
	// MaxAgents bounds the subagents of a conversation, by number.
	MaxAgents = 1000
	// maxDepth bounds how deep subagents of subagents are read, maxTurns the turns that are
	// kept of one, the last ones, maxPerTurn the subagents of one turn.
	maxDepth   = 3
	maxTurns   = 100
	maxPerTurn = 50
)

// agentFile is the reader of a subagent's file, with the turns so far.
type agentFile struct {
	file  *File
	turns []api.Turn
}

// readAgents reads the files of the subagents that the current turn has started. What
// cannot be read is left out: the agent's own report is in the tool's result.
func (f *File) readAgents(b *Builder) {
	if f.nested == nil || f.depth >= maxDepth {
		return
	}
	listed := false
	for place := range b.turn.Tools {
		t := &b.turn.Tools[place]
		if t.Agent == nil && !b.starts[place] {
			continue
		}
		if !listed {
			f.known, listed = f.nested.Agents(f.path, f.known), true
		}
		for _, a := range f.known {
			if a.Call != "" && a.Call == t.ID || t.Agent != nil && a.ID == t.Agent.ID {
				f.readAgent(b, place, a)
				break
			}
		}
	}
}

// readAgent reads one subagent's file on, for the tool call at that place.
func (f *File) readAgent(b *Builder, place int, a Agent) {
	n := f.agents[a.Path]
	if n == nil {
		if f.agents == nil {
			f.agents = map[string]*agentFile{}
		}
		if len(f.agents) >= maxPerTurn {
			return
		}
		n = &agentFile{file: NewFile(a.Path, f.decoder, Options{Conversation: a.ID, Nested: f.nested})}
		n.file.depth, n.file.b.nested = f.depth+1, true
		f.agents[a.Path] = n
	}
	fresh := false
	_ = n.file.Read(context.Background(), func(t api.Turn) error {
		n.turns, fresh = Merge(n.turns, t, maxTurns), true
		return nil
	})
	if fresh || b.turn.Tools[place].Agent == nil {
		b.turn.Tools[place].Agent = &api.Subagent{ID: clip(a.ID, maxID), Kind: clip(a.Kind, maxID), Turns: n.turns[:len(n.turns):len(n.turns)]}
		b.touch(place)
	}
}

// Merge adds a turn as a Source passes it on to a list of turns, of which the last limit are
// kept (0: all). It copies what it changes.
func Merge(turns []api.Turn, t api.Turn, limit int) []api.Turn {
	for i := range turns {
		if turns[i].Turn < t.Turn {
			continue
		}
		if old := turns[i]; turns[i].Turn == t.Turn && t.From <= len(old.Items) && t.ToolsFrom <= len(old.Tools) {
			t.Items = append(old.Items[:t.From:t.From], t.Items...)
			t.Tools = append(old.Tools[:t.ToolsFrom:t.ToolsFrom], t.Tools...)
		}
		turns = turns[:i:i]
		break
	}
	t.From, t.ToolsFrom = 0, 0
	if t.Tools == nil {
		t.Tools = []api.TurnTool{}
	}
	turns = append(turns, t)
	if limit > 0 && len(turns) > limit {
		turns = turns[len(turns)-limit:]
	}
	return turns
}
