package mcpserver

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ccdir/mcpserver/runner"
)

type runIn struct {
	ProjectPath    string            `json:"project_path,omitempty" jsonschema:"absolute directory to run in; default: the session's"`
	Command        string            `json:"command" jsonschema:"program"`
	Args           []string          `json:"args,omitempty" jsonschema:"its arguments; no shell interprets them"`
	TimeoutSeconds int               `json:"timeout_seconds,omitempty" jsonschema:"default usually 30, at most 3600"`
	Env            map[string]string `json:"env,omitempty" jsonschema:"further environment variables"`
	Background     bool              `json:"background,omitempty" jsonschema:"return at once; it runs until it ends or the session does"`
}

type bashIn struct {
	ProjectPath    string `json:"project_path,omitempty" jsonschema:"absolute directory to run in; default: the session's"`
	Command        string `json:"command" jsonschema:"command line for bash"`
	TimeoutSeconds int    `json:"timeout_seconds,omitempty" jsonschema:"default usually 30, at most 3600"`
	Background     bool   `json:"background,omitempty" jsonschema:"return at once; it runs until it ends or the session does"`
}

// commandLine is the common part of run and bash.
type commandLine struct {
	path       string
	argv, env  []string
	seconds    int
	background bool
}

type runOutputIn struct {
	ID          string `json:"id"`
	From        int64  `json:"from,omitempty" jsonschema:"bytes of an earlier result, to get only what is new"`
	Apart       bool   `json:"apart,omitempty" jsonschema:"stdout and stderr as two texts instead of in order"`
	WaitSeconds int    `json:"wait_seconds,omitempty" jsonschema:"wait so long for its end, of a watch for a result of the files as they are; at most 600; default: don't wait"`
}

type runIDIn struct {
	ID string `json:"id"`
}

type runListIn struct {
	All bool `json:"all,omitempty" jsonschema:"ended ones too"`
}

type runView struct {
	ID         string `json:"id"`
	Status     string `json:"status"`
	Command    string `json:"command"`
	Dir        string `json:"dir"`
	Background bool   `json:"background"`
	DurationMS int64  `json:"duration_ms"`
	Bytes      int64  `json:"bytes"`
	Problem    string `json:"problem,omitempty" jsonschema:"why run_output has nothing of it"`
}

type runsOut struct {
	Runs []runView `json:"runs"`
}

func runTools() []tool {
	acts := traits{destroys: true, world: true}
	return []tool{
		define("run", "Run a program with arguments, without a shell. Output comes in order, with the stream of each part.", acts,
			func(ctx context.Context, r *request, in runIn) (*RunResult, error) {
				env, err := environment(in.Env)
				if err != nil {
					return nil, err
				}
				res, err := r.command(ctx, "run", commandLine{in.ProjectPath, append([]string{in.Command}, in.Args...), env, in.TimeoutSeconds, in.Background})
				if err == nil && res.Status == runner.Error && strings.ContainsAny(in.Command, " \t") {
					res.Summary += "; command is the program alone: its arguments are in args, or use bash for a command line"
				}
				return res, err
			}).keepsTime(),
		define("bash", "Run a command line with bash.", acts,
			func(ctx context.Context, r *request, in bashIn) (*RunResult, error) {
				return r.command(ctx, "bash", commandLine{in.ProjectPath, []string{"bash", "-c", in.Command}, nil, in.TimeoutSeconds, in.Background})
			}).keepsTime(),
		define("run_output", "Output and status of a command of run or bash, while it runs or after; the newest result of a watch.", traits{reads: true, repeats: true}, runOutput).onlyWaits(),
		define("run_stop", "End a command of run or bash with all its processes, or a watch.", traits{repeats: true},
			func(ctx context.Context, r *request, in runIDIn) (*RunResult, error) {
				run, err := r.server.runs.get(ownerOf(r.peer.caller), in.ID)
				if err != nil {
					return nil, err
				}
				run.cancel()
				select {
				case <-run.ended:
				case <-ctx.Done():
					return nil, ctx.Err()
				}
				return run.view(r.server, 0)
			}),
		define("run_list", "Commands of run and bash, and watches, that this session has running.", traits{reads: true, repeats: true},
			func(_ context.Context, r *request, in runListIn) (*runsOut, error) {
				out := &runsOut{Runs: []runView{}}
				for _, run := range r.server.runs.list(ownerOf(r.peer.caller)) {
					if !in.All && !run.running() {
						continue
					}
					out.Runs = append(out.Runs, run.brief(r.server))
				}
				return out, nil
			}),
	}
}

// brief is the run in a list. A fault of its log is told with it: the others are listed
// nevertheless.
func (o *oneRun) brief(s *Server) runView {
	v, err := o.view(s, 0)
	if err != nil {
		return runView{ID: o.id, Status: runner.Error, Command: o.command, Dir: o.dir, Background: o.background, Problem: err.Error()}
	}
	return runView{ID: v.ID, Status: v.Status, Command: v.Command, Dir: v.Dir, Background: v.Background, DurationMS: v.DurationMS, Bytes: v.Bytes}
}

func runOutput(ctx context.Context, r *request, in runOutputIn) (*RunResult, error) {
	wait := time.Duration(in.WaitSeconds) * time.Second
	if in.WaitSeconds < 0 || wait > maxOutputWait || in.From < 0 {
		return nil, &invalidError{fmt.Sprintf("wait_seconds must be 0 to %d, and from not negative", int(maxOutputWait.Seconds()))}
	}
	run, err := r.server.runs.get(ownerOf(r.peer.caller), in.ID)
	if err != nil {
		return nil, err
	}
	if run.watch != nil && run.running() {
		if err := run.watch.current(ctx, run.ended, wait); err != nil {
			return nil, err
		}
	} else if wait > 0 {
		limit := time.NewTimer(wait)
		defer limit.Stop()
		select {
		case <-run.ended:
		case <-limit.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	v, err := run.view(r.server, in.From)
	if err == nil && in.Apart {
		v.apart()
	}
	return v, err
}
