package usersettings

import (
	"slices"

	"ccdir/agents"
	"ccdir/agents/claude"
)

// State is whether the hooks are in the settings.
type State string

// The states.
const (
	Installed State = "installed" // all, with this shim, in the right form
	Partly    State = "partly"    // some are missing or call something else
	Not       State = "not"
)

// Forms of hooks.
const (
	FormArgs  = "args"  // executed directly, since 2.1.139
	FormShell = "shell" // a command line for /bin/sh
)

// Status is what the settings hold, as `ccdir hooks status --json` prints it.
type Status struct {
	State State  `json:"state"`
	Path  string `json:"path"`
	// Shims are the paths that the hooks call, Forms their forms: one each if all is
	// well.
	Shims []string `json:"shims"`
	Forms []string `json:"forms"`
	// WantShim and WantForm are what `ccdir hooks install` would write.
	WantShim string `json:"want_shim"`
	WantForm string `json:"want_form"`
	// Events are those whose hook is right; Missing have none, Outdated have one that
	// calls another shim, has another form or timeout, or is duplicated.
	Events   []string `json:"events"`
	Missing  []string `json:"missing"`
	Outdated []string `json:"outdated"`
	// Disabled: the settings disable all hooks.
	Disabled bool `json:"disabled"`
}

// Status reads the settings. A file that does not exist has no hooks.
func (f File) Status() (Status, error) {
	c, err := f.load()
	if err != nil {
		return Status{}, err
	}
	return f.status(c)
}

func (f File) status(c current) (Status, error) {
	d, err := f.understand(c.text)
	if err != nil {
		return Status{}, err
	}
	want := claude.OutsideHooks(f.Shim, f.Version)
	if ours := d.ours(); f.Version == (agents.Version{}) && len(ours) > 0 && ours[0].hook.Args != nil {
		// The agent's version is unknown: assume the one for which the hooks were made.
		want = claude.OutsideHooks(f.Shim, newestVersion)
	}
	s := Status{State: Not, Path: f.Path, WantShim: f.Shim, WantForm: form(want[0]),
		Shims: []string{}, Forms: []string{}, Events: []string{}, Missing: []string{}, Outdated: []string{}}
	if m, _ := d.root.find("disableAllHooks"); m != nil {
		s.Disabled = d.text[m.value.start:m.value.end] == "true"
	}
	found := map[string][]claude.OutsideHook{}
	var order []string
	for _, e := range d.ours() {
		if len(found[e.hook.Event]) == 0 {
			order = append(order, e.hook.Event)
		}
		found[e.hook.Event] = append(found[e.hook.Event], e.hook)
		s.Shims = addNew(s.Shims, e.shim)
		s.Forms = addNew(s.Forms, form(e.hook))
	}
	for _, h := range want {
		switch have := found[h.Event]; {
		case len(have) == 0:
			s.Missing = append(s.Missing, h.Event)
		case len(have) == 1 && same(have[0], h):
			s.Events = append(s.Events, h.Event)
		default:
			s.Outdated = append(s.Outdated, h.Event)
		}
		delete(found, h.Event)
	}
	for _, event := range order {
		if len(found[event]) > 0 { // our hook, of another version
			s.Outdated = append(s.Outdated, event)
		}
	}
	switch {
	case len(s.Missing)+len(s.Outdated) == 0:
		s.State = Installed
	case len(s.Shims) > 0:
		s.State = Partly
	}
	return s, nil
}

// newestVersion has every event.
var newestVersion = agents.Version{1 << 20}

func form(h claude.OutsideHook) string {
	if h.Args == nil {
		return FormShell
	}
	return FormArgs
}

func same(a, b claude.OutsideHook) bool {
	return a.Event == b.Event && a.Command == b.Command && a.Timeout == b.Timeout && slices.Equal(a.Args, b.Args)
}

func addNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
