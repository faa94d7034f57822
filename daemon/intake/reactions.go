package intake

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"

	"ccdir/api"
	"ccdir/config"
	"ccdir/internal/contain"
	"ccdir/internal/text/spelling"
	"ccdir/internal/text/textsafe"
)

const (
	// kindReaction is the kind of the records of reactions.
	kindReaction = "on"
	// maxAtOnce bounds the commands of reactions that run at once.
	maxAtOnce = 4
	// maxLate is how late a reaction may begin: an event that is older is passed over.
	maxLate = 10 * time.Minute
	// maxCondition bounds the text of a condition, in bytes, maxNodes its parts.
	maxCondition = 4096
	maxNodes     = 500
)

// PauseReacts: it is recorded that an event will start a command, which has not begun.
const PauseReacts = "reaction-claimed"

// Log is the event log: daemon/journal.
type Log interface {
	Journal
	Tail(ctx context.Context, f api.EventFilter, each func(api.Event) error) error
	Events(ctx context.Context, f api.EventFilter) ([]api.Event, error)
	Session(id string) (api.Session, bool)
}

// ReactionOptions join reactions with the daemon. All are needed.
type ReactionOptions struct {
	Store Store
	Log   Log
	// Task looks up a task.
	Task func(ctx context.Context, ref string) (api.Task, error)
	// Config returns the configuration in force.
	Config func() *config.Loaded
	// Env is the environment of commands, Dir the directory in which they begin.
	Env []string
	Dir string
	Now func() time.Time
	// Pause is called at the points named Pause…, for tests.
	Pause  func(point string)
	Logger *slog.Logger
}

// Reactions start commands when something happens. Make one with OpenReactions; Run it once. Its
// methods are safe for concurrent use.
type Reactions struct {
	o     ReactionOptions
	wake  chan struct{} // one slot
	slots chan struct{}

	mu  sync.Mutex
	all []*reaction
	// from is the configuration that all are of.
	from *config.Loaded
	// through are the numbers of the last events that were dealt with, by the keys of reactions.
	through map[string]int64
}

// reaction is one [[on]]. What is not fixed is guarded by Reactions.mu.
type reaction struct {
	api.Reaction
	key       string
	condition *vm.Program
	// failing: its last run failed, which was told.
	failing bool
}

// OpenReactions reads how far each reaction had come.
func OpenReactions(ctx context.Context, o ReactionOptions) (*Reactions, error) {
	r := &Reactions{o: o, wake: make(chan struct{}, 1), slots: make(chan struct{}, maxAtOnce), through: map[string]int64{}}
	rows, err := o.Store.Intake(ctx, kindReaction)
	if err != nil {
		return nil, err
	}
	for key, row := range rows {
		var seq int64
		if err := json.Unmarshal(row, &seq); err != nil {
			o.Logger.Error("how far a reaction had come cannot be read", "error", err)
			continue
		}
		r.through[key] = seq
	}
	last, err := r.last(ctx)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.read(last)
	return r, nil
}

// last is the number of the newest event.
func (r *Reactions) last(ctx context.Context) (int64, error) {
	list, err := r.o.Log.Events(ctx, api.EventFilter{Limit: 1})
	if err != nil || len(list) == 0 {
		return 0, err
	}
	return list[0].Seq, nil
}

// Changed has the reactions of the configuration read again.
func (r *Reactions) Changed() {
	select {
	case r.wake <- struct{}{}:
	default: // it will look
	}
}

// read takes the reactions of the configuration, if that has changed. A new one begins after the
// event with the number seq. The caller holds mu.
func (r *Reactions) read(seq int64) {
	now := r.o.Config()
	if now == r.from || now.Broken() {
		return
	}
	r.from = now
	old := map[string]*reaction{}
	for _, one := range r.all {
		old[one.key] = one
	}
	r.all = nil
	through := map[string]int64{}
	for i, c := range now.Reactions {
		one := r.make(i+1, c, old)
		for through[one.key] != 0 { // the same twice
			one.key += "+"
		}
		if through[one.key] = r.through[one.key]; r.through[one.key] == 0 {
			through[one.key] = max(1, seq)
			r.save(one.key, through[one.key])
		}
		r.all = append(r.all, one)
	}
	for key := range maps.Keys(r.through) {
		if _, stays := through[key]; !stays {
			if err := r.o.Store.SaveIntake(kindReaction, key, nil); err != nil {
				r.o.Logger.Warn("a reaction's record was not removed", "error", err)
			}
		}
	}
	r.through = through
}

// make makes a reaction of its configuration; what an old one has counted stays.
func (r *Reactions) make(number int, c config.Reaction, old map[string]*reaction) *reaction {
	sum := sha256.Sum256([]byte(strings.Join(c.Events, "\x01") + "\x00" + c.If + "\x00" + c.Run))
	one := &reaction{key: hex.EncodeToString(sum[:12]), Reaction: api.Reaction{Number: number, Events: c.Events, If: c.If, Run: c.Run, Timeout: api.Duration(c.Timeout)}}
	if was := old[one.key]; was != nil {
		one.Runs, one.Failures, one.Last, one.failing = was.Runs, was.Failures, was.Last, was.failing
	}
	for _, name := range c.Events {
		if _, known := sampleOf(name); !known {
			one.Fault = fmt.Sprintf("no event is called %.60q%s: docs/events.md lists them", name, meant(name))
		}
	}
	var err error
	if one.condition, err = condition(c.If); err != nil {
		one.Fault = "if: " + err.Error()
	}
	if one.Fault != "" && (old[one.key] == nil || old[one.key].Fault != one.Fault) {
		r.tell(api.EventConfigError, fmt.Sprintf("[[on]] %d cannot be used: %s", number, textsafe.Line(one.Fault)), one.Reaction)
	}
	return one
}

// meant is the name that is nearest to one that no event has, in words.
func meant(name string) string {
	best, least := "", 4
	for _, known := range eventNames() {
		if d := spelling.Distance(name, known); d < least {
			best, least = known, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

// seen is an input as conditions see it.
type seen struct {
	Name    string         `expr:"name" json:"name"`
	Event   map[string]any `expr:"event" json:"event"`
	Task    map[string]any `expr:"task" json:"task"`
	Session map[string]any `expr:"session" json:"session"`
}

// condition compiles a condition; nil for "".
func condition(text string) (*vm.Program, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil //nolint:nilnil // there is none
	}
	if len(text) > maxCondition {
		return nil, fmt.Errorf("it may have %d bytes at most", maxCondition)
	}
	program, err := expr.Compile(text, expr.Env(seen{}), expr.AsBool(), expr.MaxNodes(maxNodes))
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, errors.New(first)
	}
	return program, nil
}

// holds reports whether a condition is true of an input, which is JSON.
func holds(program *vm.Program, input []byte) (bool, error) {
	if program == nil {
		return true, nil
	}
	var v seen
	if err := json.Unmarshal(input, &v); err != nil {
		return false, err
	}
	out, err := expr.Run(program, v)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return false, errors.New(first)
	}
	yes, ok := out.(bool)
	if !ok {
		return false, fmt.Errorf("it is %T, and neither true nor false", out)
	}
	return yes, nil
}

// Run starts commands until ctx ends, and waits for them.
func (r *Reactions) Run(ctx context.Context) {
	running := contain.Group{Log: r.o.Logger}
	defer running.Wait()
	for ctx.Err() == nil {
		from, any := r.begin(ctx)
		if !any {
			select {
			case <-r.wake:
			case <-ctx.Done():
			}
			continue
		}
		err := r.o.Log.Tail(ctx, api.EventFilter{Since: from}, func(e api.Event) error { return r.react(ctx, &running, e) })
		if ctx.Err() == nil {
			r.o.Logger.Error("the log cannot be followed; reactions wait", "error", err)
			select {
			case <-time.After(tryAgain):
			case <-ctx.Done():
			}
		}
	}
}

// begin is the number of the event after which the log is to be followed; any is false without a
// reaction.
func (r *Reactions) begin(ctx context.Context) (from int64, some bool) {
	last, err := r.last(ctx)
	if err != nil {
		r.o.Logger.Error("the log cannot be read; reactions may be late", "error", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.read(last)
	if len(r.all) == 0 {
		return 0, false
	}
	return slices.Min(slices.Collect(maps.Values(r.through))), true
}

// react starts what an event starts. It blocks while too many commands run: the log keeps what
// happens meanwhile.
func (r *Reactions) react(ctx context.Context, running *contain.Group, e api.Event) error {
	r.mu.Lock()
	r.read(e.Seq - 1)
	all := r.all
	r.mu.Unlock()
	for _, one := range all {
		input, name, ok := r.takes(ctx, one, e)
		if !ok {
			continue
		}
		select {
		case r.slots <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		r.mu.Lock()
		r.through[one.key] = e.Seq
		r.save(one.key, e.Seq)
		value := one.Reaction
		r.mu.Unlock()
		r.o.Pause(PauseReacts)
		running.Go(func() {
			defer func() { <-r.slots }()
			r.ran(one, r.command(ctx, value, name, e.Seq, input))
		})
	}
	return ctx.Err()
}

// takes reports whether an event starts the command of a reaction, and with what input.
func (r *Reactions) takes(ctx context.Context, one *reaction, e api.Event) (input []byte, name string, ok bool) {
	names := namesOf(e)
	i := slices.IndexFunc(names, func(n string) bool { return slices.Contains(one.Events, n) })
	r.mu.Lock()
	through := r.through[one.key]
	r.mu.Unlock()
	if i < 0 || one.Fault != "" || e.Seq <= through {
		return nil, "", false
	}
	if name = names[i]; name == anyEvent {
		name = names[0]
	}
	input, err := json.Marshal(r.input(ctx, name, e))
	if err == nil {
		ok, err = holds(one.condition, input)
	}
	late := r.o.Now().Sub(e.At) > maxLate
	if err == nil && ok && late {
		err = fmt.Errorf("the event is older than %s: it was passed over", maxLate)
	}
	if err != nil {
		run := api.ReactionRun{Number: one.Number, Name: name, Seq: e.Seq, At: r.o.Now().UTC(), Error: textsafe.Line(err.Error())}
		if !late {
			run.Error = "if: " + run.Error
		}
		r.ran(one, run)
		return nil, "", false
	}
	return input, name, ok
}

// input is what the command of a reaction reads.
func (r *Reactions) input(ctx context.Context, name string, e api.Event) api.ReactionInput {
	in := api.ReactionInput{Name: name, Event: e}
	task := ""
	if s, ok := r.o.Log.Session(e.Session); ok {
		in.Session, task = &s, s.Task
	}
	var step api.TaskStep
	if json.Unmarshal(e.Data, &step) == nil && step.Task != "" && strings.HasPrefix(e.Type, taskPrefix) {
		task = step.Task
	}
	if task != "" {
		if t, err := r.o.Task(ctx, task); err == nil {
			t.Env = nil
			in.Task = &t
		}
	}
	return in
}

// ran records a run, and tells a failure once.
func (r *Reactions) ran(one *reaction, run api.ReactionRun) {
	r.mu.Lock()
	current := one
	for _, other := range r.all { // the file may have been read again
		if other.key == one.key {
			current = other
		}
	}
	current.Runs++
	current.Last = &run
	told := current.failing
	if current.failing = run.Error != ""; current.failing {
		current.Failures++
	}
	value := current.Reaction
	tell := current.failing && !told && run.Name != api.EventReactionFailed
	r.mu.Unlock()
	if run.Error != "" {
		r.o.Logger.Warn("the command of a reaction failed", "number", run.Number, "event", run.Name, "error", run.Error)
	}
	if tell {
		r.tell(api.EventReactionFailed, fmt.Sprintf("the command of [[on]] %d for %s failed: %s", run.Number, run.Name, run.Error), value)
	}
}

// tell publishes an event.
func (r *Reactions) tell(kind, message string, v api.Reaction) {
	data, _ := json.Marshal(v) // cannot fail
	r.o.Log.Append(api.WatchMessage{Event: &api.Event{At: r.o.Now().UTC(), Type: kind, Source: "daemon", Message: textsafe.Line(message), Data: data}}, nil, "")
}

// save records how far a reaction has come; one that cannot be recorded runs all the same. The
// caller holds mu.
func (r *Reactions) save(key string, seq int64) {
	if err := r.o.Store.SaveIntake(kindReaction, key, []byte(fmt.Sprint(seq))); err != nil {
		r.o.Logger.Error("how far a reaction has come cannot be saved", "error", err)
	}
}

// List lists the reactions in the file's order.
func (r *Reactions) List() []api.Reaction {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]api.Reaction, 0, len(r.all))
	for _, one := range r.all {
		list = append(list, one.Reaction)
	}
	return list
}

// Test runs the reactions to an event with a sample of it, and waits for them. Their conditions do
// not count.
func (r *Reactions) Test(ctx context.Context, t api.ReactionTest) ([]api.ReactionRun, error) {
	in, known := sampleOf(t.Event)
	if !known {
		return nil, api.Errorf(api.CodeNotFound, "no event is called %.60q%s: docs/events.md lists them", t.Event, meant(t.Event))
	}
	input, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	runs := []api.ReactionRun{}
	list := r.List()
	if t.Number < 0 || t.Number > len(list) {
		return runs, api.Errorf(api.CodeNotFound, "there is no [[on]] %d in config.toml, which has %d: `ccdir on ls` lists them", t.Number, len(list))
	}
	for _, one := range list {
		if t.Number != 0 && one.Number != t.Number || t.Number == 0 && !slices.Contains(one.Events, t.Event) {
			continue
		}
		if one.Fault != "" {
			return runs, api.Errorf(api.CodeConflict, "[[on]] %d cannot be used: %s", one.Number, one.Fault)
		}
		select {
		case r.slots <- struct{}{}:
		case <-ctx.Done():
			return runs, ctx.Err()
		}
		runs = append(runs, r.command(ctx, one, t.Event, 0, bytes.Clone(input)))
		<-r.slots
	}
	if len(runs) == 0 {
		return runs, api.Errorf(api.CodeNotFound, "no [[on]] of config.toml has the event %q: `ccdir on ls` lists them", t.Event)
	}
	return runs, nil
}
