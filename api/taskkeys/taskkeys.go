// Package taskkeys knows the keys by which files describe a task: files of tasks, config.toml
// and a project's .ccdir.toml. Pure.
package taskkeys

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
)

// Field is one key of a task in a file: a scalar (Text), or a list (Many).
type Field struct {
	Key  string
	Text string
	List []string
	Many bool
}

// Of makes a field of a decoded TOML value.
func Of(key string, value any) (Field, error) {
	f := Field{Key: key}
	switch v := value.(type) {
	case []any:
		f.Many = true
		for _, item := range v {
			switch item.(type) {
			case []any, map[string]any:
				return f, fmt.Errorf("%s: each element must be a text", key)
			}
			f.List = append(f.List, fmt.Sprint(item))
		}
	case map[string]any:
		return f, fmt.Errorf("%s: a value or a list is needed, no table", key)
	default:
		f.Text = fmt.Sprint(v)
	}
	return f, nil
}

// Keys are the keys of a task.
var Keys = []string{"name", "prompt", "steps", "autoplay", "kind", "agent", "accounts", "model", "args", "env", "role", "sandbox", "dir", "worktree", "base", "priority", "resume_after_limit", "after", "after_always", "timeout",
	"max_turns", "max_tokens", "max_cost", "retries", "idempotent", "stall", "on_stall", "stall_prompt", "continue", "conversation",
	"review", "pr", "draft", "rounds", "keep", "labels"}

// Set gives a task the value of one key.
func Set(n *api.NewTask, f Field) error {
	switch f.Key {
	case "steps", "args", "accounts", "env", "after", "after_always", "labels":
		if !f.Many {
			f.List = []string{f.Text}
		}
		setList(n, f)
		return nil
	}
	if f.Many && slices.Contains(Keys, f.Key) {
		return fmt.Errorf("%s takes one value, not a list", f.Key)
	}
	if into := text(n, f.Key); into != nil {
		*into = f.Text
		return nil
	}
	switch f.Key {
	case "kind":
		n.Kind = api.TaskKind(f.Text)
		return nil
	case "on_stall":
		n.OnStall = api.StallAction(f.Text)
		return nil
	case "resume_after_limit":
		n.ResumeAfterLimit = api.ResumeMode(f.Text)
		return nil
	case "priority":
		return f.number(&n.Priority)
	case "retries":
		return f.number(&n.Retries)
	case "max_turns":
		return f.number(&n.MaxTurns)
	case "max_tokens":
		return f.number64(&n.MaxTokens)
	case "max_cost":
		return f.dollars(&n.MaxCost)
	case "autoplay":
		auto := false
		err := f.truth(&auto)
		n.Manual = !auto && err == nil
		return err
	case "idempotent":
		return f.truth(&n.Idempotent)
	case "review":
		return f.truth(&n.Review)
	case "pr":
		return f.truth(&n.PR)
	case "draft":
		return f.truth(&n.Draft)
	case "rounds":
		return f.number(&n.Rounds)
	case "keep":
		return f.truth(&n.Keep)
	case "timeout":
		return f.span(&n.Timeout)
	case "stall":
		if f.Text == "never" {
			n.Stall = api.Duration(-time.Second)
			return nil
		}
		return f.span(&n.Stall)
	}
	return fmt.Errorf("the key %q is unknown: known are %s", f.Key, strings.Join(Keys, ", "))
}

// text is the field for a key whose value is a plain string, nil for other Keys.
func text(n *api.NewTask, key string) *string {
	switch key {
	case "name":
		return &n.Name
	case "prompt":
		return &n.Prompt
	case "agent":
		return &n.Agent
	case "model":
		return &n.Model
	case "role":
		return &n.Role
	case "sandbox":
		return &n.Sandbox
	case "dir":
		return &n.CWD
	case "worktree":
		return &n.Worktree
	case "base":
		return &n.Base
	case "stall_prompt":
		return &n.StallPrompt
	case "continue":
		return &n.Continue
	case "conversation":
		return &n.Conversation
	}
	return nil
}

func setList(n *api.NewTask, f Field) {
	switch f.Key {
	case "steps":
		n.Steps = f.List
	case "args":
		n.Args = f.List
	case "accounts":
		n.Accounts = f.List
	case "env":
		n.ExtraEnv = f.List
	case "labels":
		n.Labels = f.List
	default:
		for _, t := range f.List {
			n.After = append(n.After, api.TaskAfter{Task: t, Always: f.Key == "after_always"})
		}
	}
}

// Each method below parses the field's text; its error names the expected form.

func (f Field) number(into *int) (err error) {
	if *into, err = strconv.Atoi(f.Text); err != nil {
		return f.noNumber()
	}
	return nil
}

func (f Field) number64(into *int64) (err error) {
	if *into, err = strconv.ParseInt(f.Text, 10, 64); err != nil {
		return f.noNumber()
	}
	return nil
}

func (f Field) noNumber() error {
	return fmt.Errorf("%s takes a whole number, found %q", f.Key, f.Text)
}

func (f Field) dollars(into *float64) (err error) {
	if *into, err = strconv.ParseFloat(f.Text, 64); err != nil {
		return fmt.Errorf("%s takes a number of US dollars, found %q", f.Key, f.Text)
	}
	return nil
}

func (f Field) truth(into *bool) error {
	if *into = f.Text == "true"; !*into && f.Text != "false" {
		return fmt.Errorf("%s takes true or false, found %q", f.Key, f.Text)
	}
	return nil
}

func (f Field) span(into *api.Duration) error {
	if err := into.UnmarshalText([]byte(f.Text)); err != nil {
		return fmt.Errorf("%s: %w", f.Key, err)
	}
	return nil
}

// Plain writes a key as Keys has it: files may have capitals and dashes.
func Plain(key string) string { return strings.ReplaceAll(strings.ToLower(key), "-", "_") }

// Known reports whether tasks have a key.
func Known(key string) bool { return slices.Contains(Keys, Plain(key)) }
