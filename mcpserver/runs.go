package mcpserver

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"ccdir/internal/contain"
	"ccdir/mcpserver/diag"
	"ccdir/mcpserver/runner"
)

// Bounds of run and bash.
const (
	// maxBackground is how many commands of a session run in the background at once.
	maxBackground = 8
	// keptRuns is how many ended commands of a session run_output still knows.
	keptRuns = 16
	// runKeep is how many bytes of the beginning of an output a result has, and of its end.
	runKeep = 8 << 10
	// maxOutputWait bounds the wait of run_output.
	maxOutputWait = 10 * time.Minute
)

// statusRunning is the status of a command that has not ended; the others are those of
// package runner.
const statusRunning = "running"

// RunResult is a command of run or bash, ended or not.
type RunResult struct {
	ID         string         `json:"id" jsonschema:"for run_output and run_stop"`
	Status     string         `json:"status" jsonschema:"running, ok, failed, timeout, cancelled or error"`
	ExitCode   int            `json:"exit_code" jsonschema:"-1 if it did not exit by itself"`
	Signal     string         `json:"signal,omitempty" jsonschema:"that ended it"`
	DurationMS int64          `json:"duration_ms"`
	Command    string         `json:"command"`
	Dir        string         `json:"dir"`
	Background bool           `json:"background"`
	Summary    string         `json:"summary"`
	Output     []runner.Piece `json:"output" jsonschema:"what it printed, once, both streams in order, without colours"`
	Stdout     string         `json:"stdout,omitempty" jsonschema:"standard output alone, if asked for (apart); output is empty then"`
	Stderr     string         `json:"stderr,omitempty" jsonschema:"standard error alone, if asked for (apart), or if output is cut in which both wrote"`
	Bytes      int64          `json:"bytes" jsonschema:"length of the whole output; run_output continues from there"`
	Truncated  bool           `json:"truncated" jsonschema:"output is not all; see left_out and log"`
	LeftOut    runner.Gap     `json:"left_out,omitzero" jsonschema:"the part that output leaves out"`
	Log        string         `json:"log" jsonschema:"file with the full output"`
	LogURI     string         `json:"log_uri" jsonschema:"the same as a resource of this server"`
	Result     *Result        `json:"result,omitempty" jsonschema:"of a watch: the newest result"`
	Runs       int            `json:"runs,omitempty" jsonschema:"of a watch: how many there were"`
	Changed    []string       `json:"changed,omitempty" jsonschema:"of a watch: the files whose change caused the newest run"`
}

// outcome is how the command ended, for the record of the call.
func (r *RunResult) outcome() (outcome, message string) {
	switch r.Status {
	case runner.OK, statusRunning:
		return "ok", r.Summary
	case runner.Cancelled:
		return "cancelled", r.Summary
	}
	return "failed", r.Summary
}

// oneRun is a command of run or bash, or a watch. The fields above mu don't change once it
// is in the list.
type oneRun struct {
	id, owner, command, dir, log string
	background                   bool
	began                        time.Time
	cancel                       context.CancelFunc
	// ended is closed when result is there.
	ended chan struct{}
	watch *watch // nil: a command

	mu     sync.Mutex
	output *runner.Output
	result *runner.Result
	err    error
}

// runs has the commands of run and bash, and the watches, by their owners, which end them: a
// session when it ends, the server when it closes.
type runs struct {
	ctx    context.Context
	cancel context.CancelFunc
	wg     contain.Group // commands in the background
	// maxWatch and lookEvery are the constants of these names, but in tests.
	maxWatch, lookEvery time.Duration

	mu   sync.Mutex
	last int
	by   map[string][]*oneRun
}

func newRuns() *runs {
	rs := &runs{by: map[string][]*oneRun{}, maxWatch: maxWatch, lookEvery: lookEvery}
	rs.ctx, rs.cancel = context.WithCancel(context.Background())
	return rs
}

// add registers a command and forgets the oldest ended one beyond keptRuns.
func (rs *runs) add(run *oneRun) error {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	list := rs.by[run.owner]
	var back []string
	ended := 0
	for _, o := range list {
		if o.running() && o.background {
			back = append(back, o.id)
		} else if !o.running() {
			ended++
		}
	}
	if run.background && len(back) >= maxBackground {
		return fmt.Errorf("%d commands run in the background already (%s): end one with run_stop", len(back), strings.Join(back, ", "))
	}
	rs.last++
	run.id = "run" + strconv.Itoa(rs.last)
	kept := list[:0:0]
	for _, o := range list {
		if ended > keptRuns && !o.running() {
			ended--
			continue
		}
		kept = append(kept, o)
	}
	rs.by[run.owner] = append(kept, run)
	return nil
}

func (rs *runs) list(owner string) []*oneRun {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	return append([]*oneRun{}, rs.by[owner]...)
}

func (rs *runs) get(owner, id string) (*oneRun, error) {
	var ids []string
	for _, o := range rs.list(owner) {
		if o.id == id {
			return o, nil
		}
		ids = append(ids, o.id)
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("no command %.40q of this session: it has run none", id)
	}
	return nil, fmt.Errorf("no command %.40q of this session; there are %s", id, strings.Join(ids, ", "))
}

// end cancels all commands of an owner and forgets them.
func (rs *runs) end(owner string) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, o := range rs.by[owner] {
		o.cancel()
	}
	delete(rs.by, owner)
}

func (o *oneRun) running() bool {
	select {
	case <-o.ended:
		return false
	default:
		return true
	}
}

// run runs the command to its end.
func (o *oneRun) run(ctx context.Context, spec runner.Spec) {
	spec.Live = func(out *runner.Output) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.output = out
	}
	res, err := runner.Run(ctx, spec)
	o.mu.Lock()
	o.result, o.err = res, err
	o.mu.Unlock()
	close(o.ended)
	o.cancel()
}

// view is the command as it is now, with its output from an offset on. An error is one
// of its log.
func (o *oneRun) view(s *Server, from int64) (*RunResult, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	v := &RunResult{ID: o.id, Status: statusRunning, ExitCode: -1, DurationMS: time.Since(o.began).Milliseconds(), Command: o.command, Dir: o.dir,
		Background: o.background, Output: []runner.Piece{}, Log: o.log, LogURI: s.logs.uri(o.log)}
	if o.output != nil {
		v.print(o.output, from, o.running())
	}
	if o.err != nil {
		return nil, o.err
	}
	if r := o.result; r != nil {
		v.Status, v.ExitCode, v.Signal, v.DurationMS = r.Status, r.ExitCode, r.Signal, r.Duration.Milliseconds()
	}
	if o.watch != nil {
		o.watch.show(v, o.result)
		return v, nil
	}
	v.Summary = o.summary(v)
	return v, nil
}

// print takes the output from an offset on, without escape sequences. A sequence of which a
// running command has written only the beginning is left for the next result.
func (v *RunResult) print(out *runner.Output, from int64, more bool) {
	got := out.Since(from)
	v.Bytes, v.LeftOut, v.Truncated = got.Next, got.Gap, got.Gap.Bytes > 0
	streams := map[string]bool{}
	for i, p := range got.Pieces {
		if open := diag.OpenSequence(p.Text); more && i == len(got.Pieces)-1 && open > 0 {
			p.Text = p.Text[:len(p.Text)-open]
			v.Bytes -= int64(open)
		}
		streams[p.Stream] = true
		if p.Text = diag.Clean(p.Text); p.Text != "" {
			v.Output = append(v.Output, p)
		}
	}
	if v.Truncated && from == 0 && streams[runner.Stdout] { // what a noisy program pushes out of the middle
		_, stderr := out.Texts()
		v.Stderr = diag.Clean(stderr)
	}
}

// apart puts the streams side by side instead of in order.
func (v *RunResult) apart() {
	v.Stdout, v.Stderr = "", ""
	for _, p := range v.Output {
		if p.Stream != runner.Stdout {
			v.Stderr += p.Text
		}
		if p.Stream != runner.Stderr {
			v.Stdout += p.Text
		}
	}
	v.Output = []runner.Piece{}
}

// summary is one line; o.mu is held.
func (o *oneRun) summary(v *RunResult) string {
	text := v.Status
	switch {
	case v.Status == statusRunning:
		text = fmt.Sprintf("running since %d s; run_output shows more, run_stop ends it", v.DurationMS/1000)
	case v.Status == runner.Error:
		return o.result.Message
	case v.Signal != "" && v.Status == runner.Failed:
		text = "ended by signal: " + v.Signal
	case v.Status == runner.Failed:
		text = fmt.Sprintf("failed with exit code %d", v.ExitCode)
	}
	if v.Truncated {
		text += fmt.Sprintf("; %d of %d bytes of output are left out here after the first %d, the log has them", v.LeftOut.Bytes, v.Bytes, v.LeftOut.At)
	}
	if o.result != nil && o.result.LogTruncated {
		text += "; the log has only the beginning"
	}
	return text
}

// EndSession ends the commands that a session has left running in the background.
func (s *Server) EndSession(session string) {
	s.mu.Lock()
	if sl := s.slots[session]; sl != nil {
		sl.ended = true
	}
	s.mu.Unlock()
	s.runs.end(session)
}

// Close ends all commands in the background and waits for them. No call may begin after
// it.
func (s *Server) Close() {
	s.runs.cancel()
	s.runs.wg.Wait()
}

// command runs argv for the tools run and bash; in the background it returns at once.
func (r *request) command(ctx context.Context, name string, in commandLine) (*RunResult, error) {
	dir, err := r.directory(in.path)
	if err != nil {
		return nil, err
	}
	timeout, err := r.limit(in.seconds, name, defaultTime)
	if err != nil {
		return nil, err
	}
	base := ctx
	if in.background {
		if err := r.mayStay("background"); err != nil {
			return nil, err
		}
		base = r.server.runs.ctx
		if in.seconds == 0 {
			timeout = 0 // it ends with the session
		}
	}
	log, err := r.server.logs.next(name, r.peer.caller)
	if err != nil {
		return nil, err
	}
	runCtx, cancel := context.WithCancel(base)
	run := &oneRun{owner: ownerOf(r.peer.caller), command: strings.Join(in.argv, " "), dir: dir, log: log, background: in.background,
		began: time.Now(), cancel: cancel, ended: make(chan struct{})}
	if err := r.server.runs.add(run); err != nil {
		cancel()
		r.server.logs.done(log)
		return nil, err
	}
	spec := runner.Spec{Argv: in.argv, Behind: r.peer.caller.Walls.Behind, Dir: dir, Env: r.environ(in.env), Timeout: timeout, Log: log, Apart: true, Head: runKeep, Tail: runKeep}
	work := func() {
		defer r.server.logs.done(log)
		run.run(runCtx, spec)
	}
	if in.background {
		r.server.runs.wg.Go(work)
	} else {
		spec.Progress = func(_ time.Duration, _ int64, line string) { r.progress(ctx, line) }
		work()
	}
	return run.view(r.server, 0)
}

// mayStay refuses background commands, by the argument that asked for one, of callers whose
// end nobody would notice.
func (r *request) mayStay(argument string) error {
	if err := r.inSession(argument); err != nil {
		return err
	}
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	if r.peer.slots.ended {
		return fmt.Errorf("this session has ended: nothing may stay in the background")
	}
	return nil
}
