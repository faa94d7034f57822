package directline

import (
	"testing"
)

// ends is a host with some clients.
func ends(t *testing.T, n int) (*Lines, []*End) {
	t.Helper()
	l := &Lines{}
	all := make([]*End, n)
	for i := range all {
		all[i] = &End{}
		if _, err := all[i].Offer(l); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(all[i].Close)
	}
	return l, all
}

func TestOfferedOnce(t *testing.T) {
	l, e := ends(t, 1)
	if _, err := e[0].Offer(l); err != ErrHad {
		t.Errorf("a second line: %v", err)
	}
	e[0].Close()
	if _, err := e[0].Offer(l); err != ErrHad {
		t.Errorf("a line after Close: %v", err)
	}
	closed := &End{}
	closed.Close()
	if _, err := closed.Offer(l); err != ErrHad {
		t.Errorf("a line of a client that has gone: %v", err)
	}
}

func TestTokens(t *testing.T) {
	l := &Lines{}
	e := &End{}
	token, err := e.Offer(l)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if l.redeem("") != nil || l.redeem(token[1:]) != nil || l.redeem(token) != e.page || l.redeem(token) != nil || l.redeem("") != nil {
		t.Error("a token is good once, and nothing else is")
	}
}

// A line that is offered while the others are held is held too, and opens with them; a
// second Hold is part of the first one.
func TestHold(t *testing.T) {
	l, all := ends(t, 2)
	l.Allow(true)
	release := l.Hold()
	l.Hold()()
	late := &End{done: 3}
	if _, err := late.Offer(l); err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	all = append(all, late)
	for i, e := range all {
		if got := e.page.w.turn.Load(); got != turnHost {
			t.Errorf("client %d: the turn is %d's", i, got)
		}
	}
	if late.page.w.done.Load() != 3 || late.page.w.open.Load() != 1 {
		t.Error("the late line does not know what its client has sent, or is closed")
	}
	release()
	for i, e := range all {
		if got := e.page.w.turn.Load(); got != turnFree {
			t.Errorf("client %d: the turn is still %d's", i, got)
		}
	}
	all[0].Close()
	l.Hold()()
	if _, typed := all[0].Typed(); typed {
		t.Error("a closed line has typed")
	}
	all[0].Done(1)
}

func TestTyped(t *testing.T) {
	_, all := ends(t, 1)
	e := all[0]
	if _, typed := e.Typed(); typed {
		t.Error("typed before anything was written")
	}
	e.page.w.at.Store(5)
	e.page.w.typed.Add(2)
	if at, typed := e.Typed(); !typed || at.UnixNano() != 5 {
		t.Errorf("typed: %v at %v", typed, at)
	}
	if _, typed := e.Typed(); typed {
		t.Error("told twice")
	}
}
