package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ccdir/internal/text/redact"
	"ccdir/internal/text/tomltext"
)

// Reaction is one [[on]]: a command that events start. Events and If are checked where it runs
// (daemon/intake).
type Reaction struct {
	Events []string
	If     string
	Run    string
	// Timeout bounds a run.
	Timeout time.Duration
}

// Bounds of reactions.
const (
	maxReactions     = 100
	reactionTimeout  = 30 * time.Second
	maxReactionTimes = 10 * time.Minute
)

var reactionKeys = []string{"event", "if", "run", "timeout"}

// reactions reads [[on]]. One with a mistake is left out.
func (p *parser) reactions(v any) (all []Reaction) {
	list, ok := tomltext.Tables(v)
	if !ok {
		p.problem("write each reaction as [[on]] with event and run", "on")
		return nil
	}
	if len(list) > maxReactions {
		p.problem(fmt.Sprintf("there are more than %d reactions: those after that are not used", maxReactions), "on", strconv.Itoa(maxReactions))
		list = list[:maxReactions]
	}
	for i, fields := range list {
		at := strconv.Itoa(i)
		before := len(p.l.Problems)
		r := Reaction{Timeout: reactionTimeout}
		for key, v := range fields {
			if err := r.take(key, v); err != nil {
				p.problem(err.Error(), "on", at, key)
			}
		}
		switch {
		case len(p.l.Problems) > before:
		case len(r.Events) == 0 || slices.Contains(r.Events, ""):
			p.problem("a reaction needs event: a name of docs/events.md, or several", "on", at)
		case strings.TrimSpace(r.Run) == "" || strings.ContainsRune(r.Run, 0):
			p.problem("a reaction needs run: a line for sh", "on", at)
		default:
			all = append(all, r)
		}
	}
	return all
}

// take takes one key of a reaction.
func (r *Reaction) take(key string, v any) (err error) {
	switch key {
	case "event":
		r.Events, err = notifyList(v)
		return err
	case "timeout":
		return duration(func(*Config) *time.Duration { return &r.Timeout }, time.Second, maxReactionTimes)(nil, v)
	case "if", "run":
		text, ok := v.(string)
		if !ok {
			return fmt.Errorf("expected a string, found %s", typeName(v))
		}
		*map[string]*string{"if": &r.If, "run": &r.Run}[key] = text
		return nil
	}
	return fmt.Errorf("unknown key; a reaction has %s", strings.Join(reactionKeys, ", "))
}

// shown is the reaction as `ccdir config get` shows it.
func (r Reaction) shown() map[string]string {
	return map[string]string{"event": strings.Join(r.Events, ", "), "if": r.If, "run": redact.Text(r.Run)}
}
