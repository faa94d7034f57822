package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ccdir/internal/text/redact"
)

// NotifyEvents are the events that a grid announces: a session asks for permission,
// asks a question, is done, failed, or was lost; something about limits and budgets.
var NotifyEvents = []string{"permission", "question", "done", "failed", "lost", "limit"}

// NotifyWays are the ways to announce: the bell, the notifications of terminals, a
// command.
var NotifyWays = []string{"bell", "osc9", "osc777", "command"}

// defaultNotify rings for events that wait for the user and shows all.
func defaultNotify() map[string][]string {
	return map[string][]string{
		"permission": {"bell", "osc9"}, "question": {"bell", "osc9"},
		"done": {"osc9"}, "failed": {"bell", "osc9"}, "lost": {"bell", "osc9"},
		"limit": {"osc9"},
	}
}

// notify reads [notify].
func (p *parser) notify(v any) {
	t, _ := p.table(v, "notify")
	for _, name := range slices.Sorted(maps.Keys(t)) {
		list, err := notifyList(t[name])
		switch {
		case err != nil:
			p.problem(err.Error(), "notify", name)
			continue
		case name == "command":
			if len(list) == 0 || list[0] == "" {
				p.problem("expected the command and its arguments: [\"notify-send\"]", "notify", name)
				continue
			}
			list[0] = expandPath(list[0], p.home)
			p.l.NotifyCommand = list
			continue
		case !slices.Contains(NotifyEvents, name):
			p.problem("unknown event; there are command, "+strings.Join(NotifyEvents, ", "), "notify", name)
			continue
		}
		if i := slices.IndexFunc(list, func(w string) bool { return !slices.Contains(NotifyWays, w) }); i >= 0 {
			p.problem(fmt.Sprintf("expected a list of %s, found %q in it", quoteAll(NotifyWays), list[i]), "notify", name)
			continue
		}
		p.l.Notify[name] = list
	}
	for _, name := range NotifyEvents {
		if slices.Contains(p.l.Notify[name], "command") && len(p.l.NotifyCommand) == 0 {
			p.problem("it names \"command\", and notify.command is not set", "notify", name)
		}
	}
}

// notifyList reads a list of words; one word is a list of one.
func notifyList(v any) ([]string, error) {
	if s, ok := v.(string); ok {
		return []string{s}, nil
	}
	return stringList(v)
}

// notifyValues are the values of [notify], by name, for showing.
func (c Config) notifyValues() map[string][]string {
	out := maps.Clone(c.Notify)
	out["command"] = redact.Args(c.NotifyCommand)
	return out
}

func notifyDoc(name string) string {
	if name == "command" {
		return "program that announces an event, run with a title and a text"
	}
	return "ways to announce, while you look elsewhere: " + name
}
