package intake

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/config"
	"ccdir/internal/contain"
	"ccdir/internal/text/textsafe"
	"ccdir/worktrees/forge"
)

const (
	// kindWatch and kindTaken are the kinds of records of watches and of what they took.
	kindWatch = "watch"
	kindTaken = "taken"
	// shownTaken is how many issues a watch lists.
	shownTaken = 20
)

// Points of a watch at which tests stop the daemon.
const (
	PauseTakes = "watch-claimed" // it is recorded that an issue will be a task
	PauseTook  = "watch-added"   // the task was added, which is not recorded
	PauseSays  = "watch-says"    // it is recorded that it will be said at the issue
)

// WatchOptions join watches with the daemon. All are needed.
type WatchOptions struct {
	Store   Store
	Tasks   Tasks
	Journal Journal
	// Outward says what a role may do in a directory, without a person's word, by which something
	// leaves the machine; "": nothing.
	Outward func(role, dir string) string
	// Walls is the profile that tasks on texts of anybody are to name, "" for none; an error says why this machine does
	// not hold it. Nil: none.
	Walls func(ctx context.Context, n api.NewTask) (string, error)
	// Config returns the configuration in force.
	Config func() *config.Loaded
	// Env is the environment of tasks, of gh and glab, and of commands.
	Env    []string
	Now    func() time.Time
	Local  *time.Location
	Pause  func(point string)
	Logger *slog.Logger
}

// Watches make tasks of issues. Make one with OpenWatches; Run it once. Its methods are safe for
// concurrent use.
type Watches struct {
	o    WatchOptions
	wake chan struct{} // one slot
	// looking is held while a watch looks, which may take minutes.
	looking sync.Mutex

	mu sync.Mutex
	// paused are names of watches, looked and problem what is known of each by name.
	paused  map[string]bool
	looked  map[string]time.Time
	problem map[string]string
	// taken are issues by their keys; what is in it is not changed but replaced.
	taken map[string]*taken
}

// taken is an issue that is or will be a task.
type taken struct {
	Watch string    `json:"watch"`
	Item  item      `json:"item"` // without its text once the task is there
	At    time.Time `json:"at"`
	// Task is "" while it will be added.
	Task string `json:"task"`
	// Said: it was or will be said at the issue. It is said at most once.
	Said bool `json:"said"`
	// Pulled: so was its pull request.
	Pulled bool `json:"pulled,omitempty"`
}

// OpenWatches reads what watches took.
func OpenWatches(ctx context.Context, o WatchOptions) (*Watches, error) {
	w := &Watches{o: o, wake: make(chan struct{}, 1), paused: map[string]bool{}, looked: map[string]time.Time{}, problem: map[string]string{}, taken: map[string]*taken{}}
	rows, err := o.Store.Intake(ctx, kindWatch)
	if err != nil {
		return nil, err
	}
	for name := range rows {
		w.paused[name] = true
	}
	if rows, err = o.Store.Intake(ctx, kindTaken); err != nil {
		return nil, err
	}
	for key, row := range rows {
		var t taken
		if err := json.Unmarshal(row, &t); err != nil { // it is not forgotten: its issue is no new one
			o.Logger.Error("the record of an issue cannot be read", "issue", key, "error", err)
			t = taken{Task: "?", Said: true}
		}
		w.taken[key] = &t
	}
	return w, nil
}

// Run looks, as often as each watch says, until ctx ends.
func (w *Watches) Run(ctx context.Context) {
	for ctx.Err() == nil {
		next := w.o.Now().Add(atLeast)
		for _, c := range w.o.Config().Watches {
			w.mu.Lock()
			due, paused := w.looked[c.Name].Add(c.Every), w.paused[c.Name]
			w.mu.Unlock()
			switch {
			case paused:
			case due.After(w.o.Now()):
				next = earlier(next, due)
			default:
				_ = contain.Call(w.o.Logger, func() error { _, err := w.look(ctx, c, false); return err })
			}
		}
		wait := time.NewTimer(max(time.Second, next.Sub(w.o.Now())))
		select {
		case <-wait.C:
		case <-w.wake:
		case <-ctx.Done():
		}
		wait.Stop()
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// Changed has watches look that are new.
func (w *Watches) Changed() {
	select {
	case w.wake <- struct{}{}:
	default: // it will look
	}
}

// find returns a watch of the configuration.
func (w *Watches) find(name string) (config.Watch, error) {
	for _, c := range w.o.Config().Watches {
		if c.Name == name {
			return c, nil
		}
	}
	return config.Watch{}, api.Errorf(api.CodeNotFound, "no watch %.40q: `ccdir watch ls` lists them", name)
}

// List lists the watches in the file's order.
func (w *Watches) List() []api.Watch {
	list := []api.Watch{}
	for _, c := range w.o.Config().Watches {
		list = append(list, w.value(c))
	}
	return list
}

// value is a watch as it stands.
func (w *Watches) value(c config.Watch) api.Watch {
	w.mu.Lock()
	defer w.mu.Unlock()
	v := api.Watch{Name: c.Name, Of: ofWords(c), Dir: c.Task.CWD, Every: api.Duration(c.Every), Limit: c.Limit, Paused: w.paused[c.Name],
		Problem: w.problem[c.Name], Looked: w.looked[c.Name], Today: w.today(c.Name), Taken: []api.WatchItem{}}
	for _, t := range w.taken {
		if t.Watch == c.Name {
			v.Taken = append(v.Taken, t.value())
		}
	}
	slices.SortFunc(v.Taken, func(a, b api.WatchItem) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.ID, b.ID)) })
	v.Taken = v.Taken[:min(len(v.Taken), shownTaken)]
	return v
}

func (t taken) value() api.WatchItem {
	return api.WatchItem{Watch: t.Watch, ID: t.Item.ID, Title: t.Item.Title, URL: t.Item.URL, Task: t.Task, At: t.At}
}

// ofWords says which issues a watch takes.
func ofWords(c config.Watch) string {
	var words []string
	for _, kv := range [][2]string{{"label", c.Label}, {"query", c.Query}, {"command", c.Command}} {
		if kv[1] != "" {
			words = append(words, kv[0]+" "+textsafe.Line(kv[1]))
		}
	}
	return strings.Join(words, ", ")
}

// today counts what a watch took this day; the caller holds mu.
func (w *Watches) today(name string) (n int) {
	day := w.o.Now().In(w.o.Local).Format(time.DateOnly)
	for _, t := range w.taken {
		if t.Watch == name && t.At.In(w.o.Local).Format(time.DateOnly) == day {
			n++
		}
	}
	return n
}

// Pause keeps a watch from looking by itself.
func (w *Watches) Pause(name string) (api.Watch, error) { return w.setPaused(name, true) }

// Resume lets it look again.
func (w *Watches) Resume(name string) (api.Watch, error) {
	defer w.Changed()
	return w.setPaused(name, false)
}

func (w *Watches) setPaused(name string, paused bool) (api.Watch, error) {
	c, err := w.find(name)
	if err != nil {
		return api.Watch{}, err
	}
	var record []byte
	if paused {
		record = []byte("{}")
	}
	if err := w.o.Store.SaveIntake(kindWatch, name, record); err != nil {
		return api.Watch{}, err
	}
	w.mu.Lock()
	w.paused[name] = paused
	w.mu.Unlock()
	return w.value(c), nil
}

// RunNow has a watch look now, and returns what it took, or would take (dry).
func (w *Watches) RunNow(ctx context.Context, name string, dry bool) ([]api.WatchItem, error) {
	c, err := w.find(name)
	if err != nil {
		return nil, err
	}
	items, err := w.look(ctx, c, dry)
	if err != nil {
		return items, api.Errorf(api.CodeConflict, "watch %s: %s", name, textsafe.Line(err.Error()))
	}
	return items, nil
}

// look takes what is new. dry: it says what that is.
func (w *Watches) look(ctx context.Context, c config.Watch, dry bool) (items []api.WatchItem, err error) {
	w.looking.Lock()
	defer w.looking.Unlock()
	if !dry {
		defer func() { w.looks(c, err) }()
	}
	within, cancel := context.WithTimeout(ctx, 2*trackerTime)
	defer cancel()
	t, err := w.tracker(within, c)
	if err != nil {
		return nil, err
	}
	if c, err = w.mayTake(within, c, t); err != nil {
		return nil, err
	}
	if !dry {
		if err := w.finishAll(ctx, c, t); err != nil {
			return nil, err
		}
	}
	list, err := t.list(within)
	if err != nil {
		return nil, err
	}
	items = []api.WatchItem{}
	shownAlready := map[string]bool{} // a list may have one twice
	for _, i := range list {
		i, ok := i.clean()
		key := i.key(c.Name)
		ok = ok && !shownAlready[key]
		shownAlready[key] = true
		w.mu.Lock()
		known, left := w.taken[key] != nil, c.Limit-w.today(c.Name)-len(items)
		w.mu.Unlock()
		if !dry {
			left += len(items) // they are among today's
		}
		switch shown := (api.WatchItem{Watch: c.Name, ID: i.ID, Title: i.Title, URL: i.URL}); {
		case !ok || known:
			continue
		case left <= 0:
			if shown.Left = fmt.Sprintf("it took %d today already", c.Limit); dry {
				items = append(items, shown)
			}
			continue
		case dry:
			items = append(items, shown)
			continue
		}
		rec, err := w.take(ctx, within, c, t, key, i)
		if err != nil {
			return items, err
		}
		items = append(items, rec.value())
	}
	return items, nil
}

// looks notes that a watch has looked, and tells once that it cannot.
func (w *Watches) looks(c config.Watch, err error) {
	text := ""
	if err != nil {
		text = textsafe.Line(err.Error())
	}
	w.mu.Lock()
	before := w.problem[c.Name]
	w.problem[c.Name], w.looked[c.Name] = text, w.o.Now().UTC()
	w.mu.Unlock()
	if text != "" && before == "" {
		w.tell(c.Name+" cannot look: "+text, w.value(c))
	}
}

// tracker is where the issues of a watch are.
func (w *Watches) tracker(ctx context.Context, c config.Watch) (tracker, error) {
	if c.Command != "" {
		return byCommand{c: c, env: w.o.Env}, nil
	}
	f, err := forge.Find(ctx, c.Task.CWD, w.o.Env)
	if err != nil {
		return nil, err
	}
	return onForge{f: f, c: c}, nil
}

// mayTake is the watch as it may take issues. One of what anybody can write is refused where its tasks could carry something
// out, and has walls.
func (w *Watches) mayTake(ctx context.Context, c config.Watch, t tracker) (config.Watch, error) {
	const public = "the repository is public, so that anybody can write issues"
	if c.Trust {
		return c, nil
	}
	if open, err := t.public(ctx); err != nil || !open {
		return c, err
	}
	if c.Task.Role == "" {
		return c, errors.New(public + ": give the watch a role that may neither push nor reach the network, or trust = true")
	}
	if what := w.o.Outward(c.Task.Role, c.Task.CWD); what != "" {
		return c, fmt.Errorf("%s, and the role %s may %s by itself: choose another one, or trust = true", public, c.Task.Role, what)
	}
	if w.o.Walls == nil {
		return c, nil
	}
	profile, err := w.o.Walls(ctx, c.Task)
	if err != nil {
		return c, fmt.Errorf("%s, and this machine holds no sandbox around its tasks (%w): `ccdir doctor` says what would help; sandbox = \"none\" in the watch goes without", public, err)
	}
	c.Task.Sandbox = cmp.Or(c.Task.Sandbox, profile)
	return c, nil
}

// take makes a task of an issue: first it is recorded that it will be.
func (w *Watches) take(ctx, within context.Context, c config.Watch, t tracker, key string, i item) (taken, error) {
	whole, err := t.whole(within, i)
	if err != nil {
		return taken{}, fmt.Errorf("issue %s cannot be read: %w", i.ID, err)
	}
	whole.ID, whole.URL = i.ID, i.URL
	whole, _ = whole.clean()
	rec := taken{Watch: c.Name, Item: whole, At: w.o.Now().UTC()}
	if err := w.save(key, rec); err != nil {
		return rec, err
	}
	w.o.Pause(PauseTakes)
	return w.finish(ctx, c, t, key, rec)
}

// finishAll goes on with what was begun, of a daemon that died too.
func (w *Watches) finishAll(ctx context.Context, c config.Watch, t tracker) error {
	w.mu.Lock()
	all := maps.Clone(w.taken)
	w.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if rec := all[key]; rec.Watch == c.Name && (rec.Task == "" || !rec.Said) {
			if _, err := w.finish(ctx, c, t, key, *rec); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish adds the task of an issue, which the queue does once for its key, and says so at the issue.
func (w *Watches) finish(ctx context.Context, c config.Watch, t tracker, key string, rec taken) (taken, error) {
	if rec.Task == "" {
		n := c.Task
		n.Prompt, n.Request = promptOf(c.Task.Prompt, rec.Item), key
		n.Env = slices.Concat(w.o.Env, n.ExtraEnv)
		n.ExtraEnv = nil
		n.Labels = append(n.Labels[:len(n.Labels):len(n.Labels)], "watch:"+c.Name)
		list, err := w.o.Tasks.AddApproved(ctx, []api.NewTask{n})
		if err != nil {
			return rec, fmt.Errorf("issue %s cannot be a task: %w", rec.Item.ID, err)
		}
		w.o.Pause(PauseTook)
		rec.Task, rec.Item.Text = list[0].ID, ""
		if err := w.save(key, rec); err != nil {
			return rec, err
		}
		w.tell(fmt.Sprintf("%s took issue %s as task %s: %s", c.Name, rec.Item.ID, rec.Task, rec.Item.Title), rec.value())
	}
	if rec.Said {
		return rec, nil
	}
	rec.Said = true
	if err := w.save(key, rec); err != nil {
		return rec, err
	}
	w.o.Pause(PauseSays)
	within, cancel := context.WithTimeout(ctx, trackerTime)
	defer cancel()
	if err := t.taken(within, rec.Item, "Taken by ccdir: an agent works on it (task "+rec.Task+")."); err != nil {
		w.o.Logger.Warn("it cannot be said at an issue that it was taken", "watch", c.Name, "issue", rec.Item.ID, "error", err)
		w.tell(fmt.Sprintf("%s could not say at issue %s that it was taken: %s", c.Name, rec.Item.ID, err), rec.value())
	}
	return rec, nil
}

// save saves a record, and has it in place of the one before.
func (w *Watches) save(key string, rec taken) error {
	data, err := json.Marshal(rec)
	if err == nil {
		err = w.o.Store.SaveIntake(kindTaken, key, data)
	}
	if err != nil {
		return fmt.Errorf("it cannot be recorded: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.taken[key] = &rec
	return nil
}

// tell publishes an event, and waits until it is visible.
func (w *Watches) tell(message string, v any) {
	data, _ := json.Marshal(v) // cannot fail
	<-w.o.Journal.Append(api.WatchMessage{Event: &api.Event{At: w.o.Now().UTC(), Type: api.EventWatch, Source: "daemon", Message: textsafe.Line(message), Data: data}}, nil, "")
}
