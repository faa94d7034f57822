package pane

import "testing"

// TestNoPictureToWaitFor: of a session that has ended no picture is on its way.
func TestNoPictureToWaitFor(t *testing.T) {
	p := New(Config{ID: "x"})
	if !p.Expected() || p.HasPicture() {
		t.Error("a new pane expects no picture")
	}
	p.End(true)
	if p.Expected() {
		t.Error("an ended session's pane expects one")
	}
	p.End(false)
	p.Show(ParseStill("shown", 10, 1))
	if p.Expected() || !p.HasPicture() {
		t.Error("a pane that had one expects one")
	}
}

// TestUnreachableHost: a pane that cannot be connected says why, and is not waited for.
func TestUnreachableHost(t *testing.T) {
	told := make(chan State, 1)
	p := New(Config{ID: "x", Dialer: noHost{}, Report: func(s State) { told <- s }})
	p.Start(t.Context())
	defer p.Close()
	if s := within(t, told, "a report"); s.Connected || s.Trouble != "nobody is there" || p.Expected() {
		t.Errorf("%+v, expected %v", s, p.Expected())
	}
}

// TestPanicIsContained: a fault below the connection is a lost connection.
func TestPanicIsContained(t *testing.T) {
	told := make(chan State, 1)
	p := New(Config{ID: "x", Dialer: nil, Report: func(s State) { told <- s }})
	p.Start(t.Context())
	defer p.Close()
	if s := within(t, told, "a report"); s.Connected || s.Trouble == "" {
		t.Errorf("%+v", s)
	}
}
