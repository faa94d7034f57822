package store

import (
	"fmt"
	"testing"
	"time"

	"ccdir/api"
)

func TestResults(t *testing.T) {
	s := openTest(t, t.TempDir()+"/db")
	rows := []ResultRow{
		{At: time.Now(), Session: "s1", Dir: "/p/a", Tool: "compile", Input: "{}", Outcome: "failed", Summary: "1 diagnostics", Output: "out", Text: `a.go:3: undefined: Frobnicate`},
		{At: time.Now(), Session: "s1", Dir: "/p/a", Tool: "edit", Input: `{"path":"a.go"}`, Outcome: "ok"},
		{At: time.Now(), Session: "s1", Dir: "/p/a", Tool: "compile", Input: "{}", Outcome: "ok"},
		{At: time.Now(), Session: "s2", Dir: "/p/ab", Tool: "compile", Input: "{}", Outcome: "failed", Text: "undefined: Frobnicate"},
	}
	if err := s.AddResults(rows, 100); err != nil {
		t.Fatal(err)
	}
	find := func(q ResultQuery) string {
		t.Helper()
		q.Limit = 10
		list, err := s.Results(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		ids := ""
		for _, r := range list {
			ids += fmt.Sprint(r.ID, " ")
		}
		return ids
	}
	for q, want := range map[ResultQuery]string{
		{Words: "frobnicate"}:                              "4 1 ",
		{Words: "undefined: Frobnicate", Dir: "/p/a"}:      "1 ",
		{Words: `a.go "OR`}:                                "",
		{Words: `a.go`}:                                    "2 1 ",
		{Words: `" ( *`}:                                   "4 3 2 1 ",
		{Dir: "/p"}:                                        "4 3 2 1 ",
		{Dir: "/p/a", Failed: true}:                        "1 ",
		{Session: "s1", Tool: "compile"}:                   "3 1 ",
		{Words: "NEAR(a b)", Session: "s1", Tool: "write"}: "",
	} {
		if got := find(q); got != want {
			t.Errorf("%+v: %q, want %q", q, got, want)
		}
	}
	next, err := s.ResultsAfter(t.Context(), "s1", 1, 5)
	if err != nil || len(next) != 2 || next[0].Tool != "edit" {
		t.Errorf("%+v, %v", next, err)
	}
	if list, _ := s.Results(t.Context(), ResultQuery{Tool: "compile", Session: "s1", Failed: true, Limit: 1}); len(list) != 1 || list[0].Output != "out" {
		t.Errorf("%+v", list)
	}
	if err := s.AddResults(rows[1:2], 2); err != nil {
		t.Fatal(err)
	}
	if got := find(ResultQuery{}); got != "5 4 " {
		t.Errorf("kept %q", got)
	}
	if got := find(ResultQuery{Words: "frobnicate"}); got != "4 " {
		t.Errorf("index has %q", got)
	}
}

func TestMessages(t *testing.T) {
	s := openTest(t, t.TempDir()+"/db")
	for i, to := range []string{"s1", "s2", "s1"} {
		id, err := s.AddMessage(api.Message{At: time.Now(), From: "s9", FromName: "nine", To: to, ToName: "x", Text: fmt.Sprint(i)})
		if err != nil || id != int64(i+1) {
			t.Fatal(id, err)
		}
	}
	if n, newest, err := s.OpenMessages(t.Context(), "s1"); n != 2 || newest != 3 || err != nil {
		t.Error(n, newest, err)
	}
	if n, err := s.AckMessages("s1", []int64{1, 2, 99}, time.Now()); n != 1 || err != nil {
		t.Error(n, err) // 2 is another's
	}
	if n, err := s.AckMessages("s1", []int64{1}, time.Now()); n != 0 || err != nil {
		t.Error(n, err)
	}
	open, err := s.Messages(t.Context(), "s1", false, 10)
	if err != nil || len(open) != 1 || open[0].Text != "2" || open[0].FromName != "nine" {
		t.Errorf("%+v %v", open, err)
	}
	all, err := s.Messages(t.Context(), "s1", true, 10)
	if err != nil || len(all) != 2 || all[0].Acked.IsZero() || !all[1].Acked.IsZero() {
		t.Errorf("%+v %v", all, err)
	}
}
