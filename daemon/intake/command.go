package intake

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
)

const (
	// maxOutput bounds what is kept of a reaction's output, in bytes.
	maxOutput = 4 << 10
	// maxWord bounds a variable of its environment, in columns.
	maxWord = 4000
)

// head keeps the first bytes that are written, up to most.
type head struct {
	kept []byte
	most int
	more bool
}

func (h *head) Write(p []byte) (int, error) {
	room := h.most - len(h.kept)
	h.more = h.more || len(p) > room
	h.kept = append(h.kept, p[:min(room, len(p))]...)
	return len(p), nil
}

// shell is a line for sh that the daemon runs for the person. Its processes descend from the
// daemon, so that they may call nothing (daemon/callers), are a group, and end with it.
type shell struct {
	line, dir string
	env       []string
	input     []byte
	timeout   time.Duration
	// keep is how much of its output is kept, in bytes.
	keep int
}

// run runs it and waits. out is what it said on both of its outputs, or, with apart, on the first alone.
func (s shell) run(ctx context.Context, apart bool) (out *head, said string, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", s.line)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.WaitDelay = s.dir, s.env, bytes.NewReader(s.input), time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	out = &head{most: s.keep}
	errs := &head{most: maxOutput}
	cmd.Stdout, cmd.Stderr = out, out
	if apart {
		cmd.Stderr = errs
	}
	err = cmd.Run()
	if cmd.Process != nil { // what it left behind
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	if said = string(errs.kept); !apart {
		said = string(out.kept)
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = errors.New("it was ended after " + s.timeout.String())
	case errors.Is(err, exec.ErrWaitDelay): // something in the background had its output
		err = nil
	}
	return out, said, err
}

// command runs the command of a reaction.
func (r *Reactions) command(ctx context.Context, one api.Reaction, name string, seq int64, input []byte) api.ReactionRun {
	begun := r.o.Now()
	out, _, err := shell{line: one.Run, dir: r.o.Dir, env: slices.Concat(r.o.Env, words(input)), input: input, timeout: time.Duration(one.Timeout), keep: maxOutput}.run(ctx, false)
	run := api.ReactionRun{Number: one.Number, Name: name, Seq: seq, At: begun.UTC(), MS: r.o.Now().Sub(begun).Milliseconds(), Output: strings.TrimRight(textsafe.Block(strings.ToValidUTF8(string(out.kept), "")), "\n")}
	if err != nil {
		run.Error = textsafe.Line(err.Error())
		lines := strings.Split(strings.TrimSpace(run.Output), "\n")
		if last := textsafe.Line(lines[len(lines)-1]); last != "" {
			run.Error += ": " + textsafe.Cut(last, 200)
		}
	}
	return run
}

// words are the parts of an input that commands need most, as variables.
func words(input []byte) []string {
	var in api.ReactionInput
	if json.Unmarshal(input, &in) != nil {
		return nil
	}
	dir, name, session, task := "", "", in.Event.Session, ""
	if in.Task != nil {
		dir, name, task = in.Task.CWD, in.Task.Name, in.Task.ID
	}
	if in.Session != nil {
		dir, name = in.Session.CWD, in.Session.Name
	}
	list := []string{"CCDIR_EVENT=" + in.Name, "CCDIR_SEQ=" + strconv.FormatInt(in.Event.Seq, 10), "CCDIR_AT=" + in.Event.At.UTC().Format(time.RFC3339),
		"CCDIR_MESSAGE=" + textsafe.Line(in.Event.Message), "CCDIR_SESSION=" + session, "CCDIR_NAME=" + name, "CCDIR_TASK=" + task, "CCDIR_DIR=" + dir}
	for i, kv := range list { // a longer one would keep the command from starting
		list[i] = textsafe.Cut(strings.ReplaceAll(kv, "\x00", ""), maxWord)
	}
	return list
}
