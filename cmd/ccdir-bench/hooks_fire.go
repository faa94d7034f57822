package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// firing is the order to a process that plays an agent: call the hooks from Start to
// End, one per Pace, the first one with mark First.
type firing struct {
	Shim       string
	First      int
	Pace       time.Duration
	Start, End time.Time
}

// fired is one call: its mark, and when its process started and ended.
type fired struct {
	N          int
	Start, End time.Time
}

// fires are the calls of one session, the CPU time of the hook processes, and the CPU
// time that starting them took.
type fires struct {
	Calls  []fired
	Hooks  time.Duration
	caller time.Duration
}

// fire calls the session's hooks from a process of its own, as its agent would: a
// process starts its children one at a time, so 32 sessions that fired from here would
// wait for each other.
func fire(ctx context.Context, h *hooked, f firing) (all fires, err error) {
	order, err := json.Marshal(f)
	if err != nil {
		return all, err
	}
	argv := self("hooks", string(order))
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env, cmd.Stderr = h.env, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return all, err
	}
	err = json.Unmarshal(out, &all)
	all.caller = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() - all.Hooks
	return all, err
}

// loadHooks is the process that fire starts.
func loadHooks(out *bufio.Writer, order string) error {
	var f firing
	if err := json.Unmarshal([]byte(order), &f); err != nil {
		return err
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	var all fires
	for n, due := f.First, f.Start; due.Before(f.End); n++ {
		time.Sleep(time.Until(due))
		hook, payload := marked(n)
		start := time.Now()
		cpu, err := call(f.Shim, hook, payload, null)
		if err != nil {
			return err
		}
		all.Calls = append(all.Calls, fired{n, start, time.Now()})
		all.Hooks += cpu
		if due = due.Add(f.Pace); due.Before(time.Now()) {
			due = time.Now()
		}
	}
	if err := json.NewEncoder(out).Encode(all); err != nil {
		return err
	}
	return out.Flush()
}

// call runs one hook and returns the CPU time of its process. It starts the process in
// the cheapest way, because the hooks lose the CPU that the caller takes: the payload
// fits into a pipe, so no goroutine has to copy it.
func call(shim, hook string, payload []byte, null *os.File) (time.Duration, error) {
	in, out, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	_, err = out.Write(payload)
	if err = errors.Join(err, out.Close()); err != nil {
		return 0, errors.Join(err, in.Close())
	}
	p, err := os.StartProcess(shim, []string{shim, "hook", hook}, &os.ProcAttr{Env: os.Environ(), Files: []*os.File{in, null, os.Stderr}})
	if err = errors.Join(err, in.Close()); err != nil {
		return 0, err
	}
	state, err := p.Wait()
	if err == nil && !state.Success() {
		err = errors.New(state.String())
	}
	if err != nil {
		return 0, fmt.Errorf("hook %s: %w", hook, err)
	}
	return state.UserTime() + state.SystemTime(), nil
}
