package orchestrator

import (
	"fmt"
	"testing"

	"ccdir/api"
)

// TestSeen: what ends by itself is news until a person has looked; what a person cancels never is.
// The records have it, so that another daemon knows.
func TestSeen(t *testing.T) {
	c := queue(t, api.NewTask{Prompt: "p"}, api.NewTask{Prompt: "p"}, api.NewTask{Prompt: "p"})
	news := func() (ids []string) {
		for _, r := range c.List() {
			if r.Unseen {
				ids = append(ids, r.ID)
			}
		}
		return ids
	}
	do(t, c, 0, Failed{Ref: Ref{"t1", 1}, Kind: FailInvalid, Reason: "boom"}, Failed{Ref: Ref{"t2", 1}, Kind: FailInvalid, Reason: "boom"}, Cancel{"t3"})
	if got := fmt.Sprint(news()); got != "[t1 t2]" {
		t.Fatalf("news: %s", got)
	}
	var saved []Record
	for _, r := range c.List() {
		saved = append(saved, *r)
	}
	c = Restore(DefaultTimes(), c.settings(), saved)
	do(t, c, 0, Seen{[]string{"t1", "t3", "t9"}})
	if got := fmt.Sprint(news()); got != "[t2]" {
		t.Errorf("after one was seen: %s", got)
	}
	if ch := c.Take(); len(ch.Tasks) != 1 || ch.Tasks[0].ID != "t1" {
		t.Errorf("saved: %+v", ch.Tasks)
	}
	do(t, c, 0, Seen{})
	if got := news(); got != nil {
		t.Errorf("after all were seen: %s", got)
	}
}
