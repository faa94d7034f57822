package api

import (
	"testing"
	"time"
)

func TestStanding(t *testing.T) {
	code := func(n int) *int { return &n }
	now := time.Now()
	for _, tt := range []struct {
		name string
		s    Session
		want Standing
	}{
		{"asks", Session{State: StatePermission, Unread: true}, StandingAsks},
		{"put off", Session{State: StateInput, SnoozedUntil: now.Add(time.Minute)}, StandingSnoozed},
		{"a finished turn, unseen", Session{State: StateIdle, Unread: true, Prompt: "fix it"}, StandingDone},
		{"a finished turn, seen", Session{State: StateIdle, Prompt: "fix it"}, StandingIdle},
		{"output of an editor", Session{State: StateIdle, Unread: true, Plain: PlainCommand, Prompt: ":w"}, StandingIdle},
		{"an interrupted turn, unseen", Session{State: StateIdle, Unread: true, Prompt: "fix it", Interrupted: true}, StandingIdle},
		{"parked, seen", Session{State: StateParked, Prompt: "fix it"}, StandingParked},
		{"parked with an answer that nobody has seen", Session{State: StateParked, Unread: true, Prompt: "fix it"}, StandingDone},
		{"parked after a turn that failed", Session{State: StateParked, Unread: true, Failure: &TurnFailure{Message: "529"}}, StandingFailed},
		{"parked after an interrupted turn", Session{State: StateParked, Unread: true, Prompt: "fix it", Interrupted: true}, StandingParked},
		{"no turn yet", Session{State: StateIdle, Unread: true}, StandingIdle},
		{"a turn that failed, seen", Session{State: StateIdle, Prompt: "fix it", Failure: &TurnFailure{Message: "529"}}, StandingSettled},
		{"a turn that failed, unseen", Session{State: StateIdle, Unread: true, Failure: &TurnFailure{Message: "529"}}, StandingFailed},
		{"a task whose turn failed", Session{State: StateExited, ExitCode: code(0), Task: "t1", Unread: true, Failure: &TurnFailure{Message: "529"}}, StandingFailed},
		{"ended by a person after a turn that failed", Session{State: StateExited, ExitCode: code(0), Unread: true, Failure: &TurnFailure{Message: "529"}}, StandingEnded},
		{"works again after one that failed", Session{State: StateWorking, Failure: &TurnFailure{Message: "529"}}, StandingWorking},
		{"exit 0", Session{State: StateExited, ExitCode: code(0)}, StandingEnded},
		{"exit 1", Session{State: StateExited, ExitCode: code(1), Unread: true}, StandingFailed},
		{"exit 1, seen", Session{State: StateExited, ExitCode: code(1)}, StandingSettled},
		{"terminated", Session{State: StateExited, ExitCode: code(143)}, StandingEnded},
		{"killed", Session{State: StateExited, ExitCode: code(137), Unread: true}, StandingFailed},
		{"lost", Session{State: StateLost}, StandingFailed},
	} {
		if got := tt.s.Standing(now); got != tt.want {
			t.Errorf("%s: %s instead of %s", tt.name, got, tt.want)
		}
	}
}

// TestStandingsAreComplete: each standing has a place and a sign of each set, all different.
func TestStandingsAreComplete(t *testing.T) {
	signs := map[string]Standing{}
	for rank, s := range []Standing{StandingAsks, StandingFailed, StandingDone, StandingWorking, StandingIdle, StandingParked, StandingSettled, StandingSnoozed, StandingEnded} {
		if s.Rank() != rank {
			t.Errorf("%s has rank %d instead of %d", s, s.Rank(), rank)
		}
		for _, set := range []Signs{SignsUnicode, SignsNerd, SignsASCII} {
			sign := s.Sign(set)
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
		{Session{State: StateIdle, Prompt: "fix it", Failure: &TurnFailure{Message: "529"}, Answer: "before"}, "529"},
		{Session{State: StateIdle, Prompt: "fix it", Answer: "fixed"}, "fixed"},
		{Session{State: StateLost, Error: "its host died", Answer: "before"}, "its host died"},
		{Session{State: StateExited}, ""},
	} {
		if got := tt.s.Headline(time.Time{}); got != tt.want {
			t.Errorf("%+v: %q instead of %q", tt.s, got, tt.want)
		}
	}
}

func TestStandingWord(t *testing.T) {
	one, now := 1, time.Now()
	for want, s := range map[string]Session{
		"exit 1": {State: StateExited, ExitCode: &one}, "lost": {State: StateLost}, "starting": {State: StateStarting}, "idle": {State: StateIdle}, "shell": {State: StateIdle, Plain: PlainShell}, "vim idle": {State: StateIdle, Plain: PlainShell, App: "vim"},
		"snoozed": {State: StateInput, SnoozedUntil: now.Add(time.Minute)}, "asks": {State: StateInput}, "ended": {State: StateExited}, "working": {State: StateWorking, Plain: PlainCommand},
	} {
		if got := s.StandingWord(now); got != want {
			t.Errorf("%+v: %q instead of %q", s, got, want)
		}
	}
}

func TestBranchLine(t *testing.T) {
	for want, s := range map[string]Session{"": {Ahead: 1}, "main": {Branch: "main"}, "fix/x ↑2 ↓1 ±3": {Branch: "fix/x", Ahead: 2, Behind: 1, Changed: 3},
		"fix/x ↑2 +40 −2": {Branch: "fix/x", Ahead: 2, Changed: 3, Added: 40, Removed: 2}, "main −2": {Branch: "main", Changed: 1, Removed: 2}} {
		if got := s.BranchLine(); got != want {
			t.Errorf("%q instead of %q", got, want)
		}
	}
}

// TestLimitLine: a session that a usage limit has ended says until when it rests, and what follows.
func TestLimitLine(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		until  time.Time
		resume ResumeMode
		want   string
	}{
		{now.Add(3 * time.Hour), ResumeOn, "until 15:00, then it goes on"},
		{now.Add(3 * time.Hour).In(time.FixedZone("", 3600)), ResumeOwn, "until 15:00, then it goes on"},
		{now.Add(3 * time.Hour), ResumeOff, "until 15:00"},
		{now.Add(53 * time.Hour), ResumeAsk, "until Tue 1 Dec 17:00; `ccdir resume` has it go on then"},
		{now.Add(-time.Minute), ResumeOn, "was until 11:59, then it goes on"},
		{time.Time{}, ResumeOn, "its end is not known; then it goes on"},
	} {
		s := Session{State: StateIdle, Unread: true, Failure: &TurnFailure{Message: "You've hit your limit"}, Limit: &SessionLimit{Until: tt.until, Resume: tt.resume}}
		if got := s.Headline(now); got != tt.want || s.StandingWord(now) != "limit" {
			t.Errorf("%v %s: %s %q, want %q", tt.until, tt.resume, s.StandingWord(now), got, tt.want)
		}
		s.Failure = nil // it goes on
		if got := s.LimitLine(now); got != "" || s.StandingWord(now) == "limit" {
			t.Errorf("without a failure: %s %q", s.StandingWord(now), got)
		}
	}
}
