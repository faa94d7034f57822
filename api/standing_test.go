package api

import "testing"

func TestStanding(t *testing.T) {
	code := func(n int) *int { return &n }
	for _, tt := range []struct {
		name   string
		s      Session
		putOff bool
		want   Standing
	}{
		{"asks", Session{State: StatePermission, Unread: true}, false, StandingAsks},
		{"put off", Session{State: StateInput}, true, StandingSnoozed},
		{"a finished turn, unseen", Session{State: StateIdle, Unread: true, Prompt: "fix it"}, false, StandingDone},
		{"a finished turn, seen", Session{State: StateIdle, Prompt: "fix it"}, false, StandingIdle},
		{"output of an editor", Session{State: StateIdle, Unread: true, Plain: PlainCommand, Prompt: ":w"}, false, StandingIdle},
		{"no turn yet", Session{State: StateIdle, Unread: true}, false, StandingIdle},
		{"a turn that failed, seen", Session{State: StateIdle, Prompt: "fix it", Failure: "529"}, false, StandingFailed},
		{"works again after one that failed", Session{State: StateWorking, Failure: "529"}, false, StandingWorking},
		{"exit 0", Session{State: StateExited, ExitCode: code(0)}, false, StandingEnded},
		{"exit 1", Session{State: StateExited, ExitCode: code(1)}, false, StandingFailed},
		{"terminated", Session{State: StateExited, ExitCode: code(143)}, false, StandingEnded},
		{"killed", Session{State: StateExited, ExitCode: code(137)}, false, StandingFailed},
		{"lost", Session{State: StateLost}, false, StandingFailed},
	} {
		if got := tt.s.Standing(tt.putOff); got != tt.want {
			t.Errorf("%s: %s instead of %s", tt.name, got, tt.want)
		}
	}
}

// TestStandingsAreComplete: each standing has a place and two signs, all different.
func TestStandingsAreComplete(t *testing.T) {
	signs := map[string]Standing{}
	for rank, s := range []Standing{StandingAsks, StandingFailed, StandingDone, StandingWorking, StandingIdle, StandingSnoozed, StandingEnded} {
		if s.Rank() != rank {
			t.Errorf("%s has rank %d instead of %d", s, s.Rank(), rank)
		}
		for _, ascii := range []bool{false, true} {
			sign := s.Sign(ascii)
			if other, taken := signs[sign]; taken || sign == "?" {
				t.Errorf("%s has the sign %q of %q", s, sign, other)
			}
			signs[sign] = s
		}
	}
}

func TestHeadline(t *testing.T) {
	for _, tt := range []struct {
		s    Session
		want string
	}{
		{Session{State: StatePermission, Asks: "make", Question: "Bash: make", Answer: "before"}, "make"},
		{Session{State: StateWorking, Prompt: "fix it", Answer: "before"}, "fix it"},
		{Session{State: StateWorking, Prompt: "fix it", Progress: "2 of 3"}, "2 of 3"},
		{Session{State: StateIdle, Prompt: "fix it", Failure: "529", Answer: "before"}, "529"},
		{Session{State: StateIdle, Prompt: "fix it", Answer: "fixed"}, "fixed"},
		{Session{State: StateLost, Error: "its host died", Answer: "before"}, "its host died"},
		{Session{State: StateExited}, ""},
	} {
		if got := tt.s.Headline(false); got != tt.want {
			t.Errorf("%+v: %q instead of %q", tt.s, got, tt.want)
		}
	}
}
