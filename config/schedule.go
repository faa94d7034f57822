package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/api/taskkeys"
	"ccdir/internal/text/tomltext"
)

// Schedule is one [[schedule]]: a prompt that comes at times of a calendar. When, At and To are
// checked where schedules run (daemon/intake).
type Schedule struct {
	Name     string
	When, At string
	Zone     string
	Missed   api.Missed
	Overlap  bool
	To       string
	Task     api.NewTask
}

// scheduleKeys are the keys of a schedule besides those of a task.
var scheduleKeys = []string{"name", "when", "at", "zone", "missed", "overlap", "to"}

// otherTaskKeys are keys of tasks that those of a schedule cannot have.
var otherTaskKeys = []string{"name", "after", "after_always", "continue", "conversation"}

// scheduleNames are all keys of a schedule.
func scheduleNames() []string {
	return append(slices.Clone(scheduleKeys), slices.DeleteFunc(slices.Clone(taskkeys.Keys), func(k string) bool { return slices.Contains(otherTaskKeys, k) })...)
}

// schedules reads [[schedule]]. One with a mistake is left out.
func (p *parser) schedules(v any) (all []Schedule) {
	list, ok := tomltext.Tables(v)
	if !ok {
		p.problem("write each schedule as [[schedule]] with name, when and prompt", "schedule")
		return nil
	}
	names := map[string]bool{}
	for i, fields := range list {
		at := strconv.Itoa(i)
		before := len(p.l.Problems)
		s := Schedule{Missed: api.MissedOnce}
		for key, v := range fields {
			if err := s.take(key, v); err != nil {
				p.problem(err.Error(), "schedule", at, key)
			}
		}
		if s.Task.CWD != "" {
			s.Task.CWD = filepath.Clean(expandPath(s.Task.CWD, p.home))
		}
		switch _, err := strconv.Atoi(strings.TrimPrefix(s.Name, "s")); {
		case !validAgentName(s.Name) || strings.HasPrefix(s.Name, "s") && err == nil:
			p.problem("a schedule needs a name: 1 to 32 lower-case letters, digits, - and _, and not s with a number", "schedule", at, "name")
		case names[s.Name]:
			p.problem("there are two schedules of that name", "schedule", at, "name")
		case (s.When == "") == (s.At == ""):
			p.problem("a schedule needs when (a cron expression) or at (a day and a time), and not both", "schedule", at)
		case strings.TrimSpace(s.Task.Prompt) == "" && len(s.Task.Steps) == 0:
			p.problem("a schedule needs a prompt", "schedule", at)
		case s.To == "" && !filepath.IsAbs(s.Task.CWD):
			p.problem("a schedule of tasks needs dir: absolute or beginning with ~/", "schedule", at)
		}
		names[s.Name] = true
		if len(p.l.Problems) == before {
			all = append(all, s)
		}
	}
	return all
}

// ProjectSchedules reads the [[schedule]] of a project's .ccdir.toml, whose text is data and whose
// directory is dir. They run there: one that names a directory, an environment or a session is
// an error, and so is any mistake. Nothing in the file is trusted; other tables are not looked at.
func ProjectSchedules(data []byte, file, dir string) ([]Schedule, error) {
	raw, lines, err := tomltext.Decode(string(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	v, found := raw["schedule"]
	if !found {
		return nil, nil
	}
	l := Loaded{File: file, lines: lines}
	p := parser{l: &l, home: dir}
	list, ok := tomltext.Tables(v)
	if !ok {
		list = nil // schedules says so
	}
	for i, fields := range list {
		for _, key := range []string{"dir", "env", "to"} {
			if _, found := fields[key]; found {
				p.problem("a project's schedule runs in the project, with the environment of who agreed to it: leave "+key+" out", "schedule", strconv.Itoa(i), key)
			}
		}
		fields["dir"] = dir
	}
	all := p.schedules(v)
	for _, problem := range l.Problems {
		return nil, fmt.Errorf("%s:%d: %s: %s", file, problem.Line, problem.Key, problem.Message)
	}
	return all, nil
}

// take takes one key of a schedule.
func (s *Schedule) take(key string, v any) error {
	if key == "overlap" {
		flag, ok := v.(bool)
		if s.Overlap = flag; !ok {
			return fmt.Errorf("expected true or false, found %s", typeName(v))
		}
		return nil
	}
	into := map[string]*string{"name": &s.Name, "when": &s.When, "at": &s.At, "zone": &s.Zone, "missed": (*string)(&s.Missed), "to": &s.To}[key]
	if into != nil {
		text, ok := v.(string)
		switch *into = text; {
		case !ok:
			return fmt.Errorf("expected a string, found %s", typeName(v))
		case key == "missed" && s.Missed != api.MissedOnce && s.Missed != api.MissedSkip:
			return fmt.Errorf("expected %q or %q, found %q", api.MissedOnce, api.MissedSkip, text)
		}
		return nil
	}
	if !slices.Contains(scheduleNames(), key) {
		return fmt.Errorf("unknown key; a schedule has %s", strings.Join(scheduleNames(), ", "))
	}
	f, err := taskkeys.Of(key, v)
	if err != nil {
		return err
	}
	return taskkeys.Set(&s.Task, f)
}

// shown is the schedule as `ccdir config get` shows it.
func (s Schedule) shown() map[string]string {
	return map[string]string{"when": s.When + s.At, "to": s.To, "dir": s.Task.CWD, "prompt": s.Task.Prompt}
}
