package verb

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ccdir/api"
)

// fleetProgram has the connection to a fleet. It is beside ccdir's program.
const fleetProgram = "ccdir-fleet"

// AskFleet asks the fleet's leader by the program that has the connection. It blocks for at most half a
// minute.
func (a *App) AskFleet(ctx context.Context, r api.FleetRequest) (reply api.FleetReply, err error) {
	if err := a.Personal(ctx, "the fleet's queue"); err != nil {
		return reply, err
	}
	program := filepath.Join(filepath.Dir(a.Exe), fleetProgram)
	if _, err := os.Stat(program); err != nil {
		return reply, fmt.Errorf("%s is not beside ccdir (%s): it is a program of its own, `make build` builds it", fleetProgram, program)
	}
	in, err := json.Marshal(r)
	if err != nil {
		return reply, err
	}
	cmd := exec.CommandContext(ctx, program, "call")
	var out, fault bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = bytes.NewReader(in), &out, &fault, a.Env
	if err := cmd.Run(); err != nil {
		why := strings.TrimPrefix(strings.TrimSpace(fault.String()), fleetProgram+": ")
		if why == "" {
			why = err.Error()
		}
		return reply, errors.New(why)
	}
	if err := json.Unmarshal(out.Bytes(), &reply); err != nil {
		return reply, fmt.Errorf("the answer of %s: %w", fleetProgram, err)
	}
	return reply, nil
}

// FleetTasks lists the fleet's tasks that fit, at most most of them; more: there are others.
func (a *App) FleetTasks(ctx context.Context, most int, fits func(api.Task) bool) (list []api.Task, more bool, err error) {
	for from := 0; ; {
		reply, err := a.AskFleet(ctx, api.FleetRequest{Op: api.FleetTasks, From: from})
		if err != nil {
			return nil, false, err
		}
		from += len(reply.Tasks)
		for _, t := range reply.Tasks {
			if !fits(t) {
				continue
			}
			if len(list) == most {
				return list, true, nil
			}
			list = append(list, t)
		}
		if !reply.More || len(reply.Tasks) == 0 {
			return list, false, nil
		}
	}
}
