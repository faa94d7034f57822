package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/api/taskkeys"
	"ccdir/internal/text/redact"
	"ccdir/internal/text/tomltext"
)

// Watch is one [[watch]]: issues that become tasks. Its role is checked where it runs (daemon/intake).
type Watch struct {
	Name string
	// Label and Query select issues of the repository at Task.CWD, by gh or glab; Command prints
	// them instead.
	Label, Query, Command string
	// Every is how often is looked, Limit how many are taken a day.
	Every time.Duration
	Limit int
	// Trust: the texts are of people who may say what is done.
	Trust bool
	// Comment says at the issue that it was taken. Mark is a label that it gets, "" none.
	Comment bool
	Mark    string
	// Task is what its tasks are made from.
	Task api.NewTask
}

// Bounds and defaults of watches.
const (
	watchEvery    = 5 * time.Minute
	watchAtLeast  = time.Minute
	watchAtMost   = 24 * time.Hour
	watchLimit    = 10
	maxWatchLimit = 1000
)

// watchKeys are the keys of a watch besides those of a task.
var watchKeys = []string{"name", "label", "query", "command", "every", "limit", "trust", "comment", "mark", "then"}

// watchNames are all keys of a watch.
func watchNames() []string {
	return append(slices.Clone(watchKeys), slices.DeleteFunc(slices.Clone(taskkeys.Keys), func(k string) bool { return slices.Contains(otherTaskKeys, k) })...)
}

// watches reads [[watch]]. One with a mistake is left out.
func (p *parser) watches(v any) (all []Watch) {
	list, ok := tomltext.Tables(v)
	if !ok {
		p.problem("write each watch as [[watch]] with name, dir and label, query or command", "watch")
		return nil
	}
	names := map[string]bool{}
	for i, fields := range list {
		at := strconv.Itoa(i)
		before := len(p.l.Problems)
		w := Watch{Every: watchEvery, Limit: watchLimit, Comment: true, Task: api.NewTask{Worktree: "."}}
		for key, v := range fields {
			if err := w.take(key, v); err != nil {
				p.problem(err.Error(), "watch", at, key)
			}
		}
		if w.Task.CWD != "" {
			w.Task.CWD = filepath.Clean(expandPath(w.Task.CWD, p.home))
		}
		switch {
		case len(p.l.Problems) > before:
			continue
		case !validAgentName(w.Name):
			p.problem("a watch needs a name: 1 to 32 lower-case letters, digits, - and _", "watch", at, "name")
		case names[w.Name]:
			p.problem("there are two watches of that name", "watch", at, "name")
		case !filepath.IsAbs(w.Task.CWD):
			p.problem("a watch needs dir: absolute or beginning with ~/", "watch", at)
		case (w.Label+w.Query == "") == (w.Command == ""):
			p.problem("a watch needs label or query (of the repository's issues), or command, which prints issues, and not both", "watch", at)
		}
		names[w.Name] = true
		if len(p.l.Problems) == before {
			all = append(all, w)
		}
	}
	return all
}

// take takes one key of a watch.
func (w *Watch) take(key string, v any) error {
	flags := map[string]*bool{"trust": &w.Trust, "comment": &w.Comment}
	texts := map[string]*string{"name": &w.Name, "label": &w.Label, "query": &w.Query, "command": &w.Command, "mark": &w.Mark}
	switch {
	case flags[key] != nil:
		flag, ok := v.(bool)
		if *flags[key] = flag; !ok {
			return fmt.Errorf("expected true or false, found %s", typeName(v))
		}
		return nil
	case texts[key] != nil:
		text, ok := v.(string)
		if *texts[key] = text; !ok || strings.ContainsAny(text, "\x00") || key != "command" && strings.ContainsAny(text, "\n") {
			return fmt.Errorf("expected a string of one line, found %s", typeName(v))
		}
		return nil
	case key == "then":
		switch text, _ := v.(string); text {
		case "done", "pr", "draft":
			w.Task.PR, w.Task.Draft = text != "done", text == "draft"
		default:
			return fmt.Errorf(`then is "done", "pr" or "draft": what follows the work on an issue`)
		}
		return nil
	case key == "every":
		return duration(func(*Config) *time.Duration { return &w.Every }, watchAtLeast, watchAtMost)(nil, v)
	case key == "limit":
		return number(func(*Config) *int { return &w.Limit }, 1, maxWatchLimit)(nil, v)
	case !slices.Contains(watchNames(), key):
		return fmt.Errorf("unknown key; a watch has %s", strings.Join(watchNames(), ", "))
	}
	f, err := taskkeys.Of(key, v)
	if err != nil {
		return err
	}
	return taskkeys.Set(&w.Task, f)
}

// shown is the watch as `ccdir config get` shows it.
func (w Watch) shown() map[string]string {
	return map[string]string{"dir": w.Task.CWD, "label": w.Label, "query": w.Query, "command": redact.Text(w.Command), "role": w.Task.Role, "prompt": w.Task.Prompt}
}
