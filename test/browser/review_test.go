package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
)

// testReview: a line of what a session changed is commented on, beside it and without a way past its form; the drafts go to the
// session as one prompt, which its agent answers.
func testReview(t *testing.T, b *browser) {
	r := newRig(t, b)
	id := r.start("worker", "say ready")
	r.State(r.ctx, id, api.StateIdle)
	if err := os.WriteFile(filepath.Join(r.Place.CWD, "units.txt"), []byte("seconds\nmilliseconds\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := r.device(api.WebType)
	p.open(r.url + "/sessions/" + id + "/changes?scope=uncommitted")
	p.sees("milliseconds")
	p.click(`a.n[aria-label="comment on line 2"]`)
	p.types("#commenttext", "say 漢字 instead")
	p.press("Keep as a draft")
	p.sees("Send 1 to worker")
	p.until("the draft at its line", `[...document.querySelectorAll(".diff .said-of")].some((e) => e.textContent.includes("漢字 instead"))`)
	p.types("#reviewwords", "Two words.")
	p.press("Send 1 to worker")
	p.sees("sent · round 1")
	list, err := r.Client.Comments(r.ctx, id)
	if err != nil || len(list) != 1 || list[0].Path != "units.txt" || list[0].Line != 2 || list[0].Text != "say 漢字 instead" || list[0].Round != 1 {
		t.Errorf("%+v %v", list, err)
	}
	p.open(r.url + "/sessions/" + id)
	p.until("the prompt", `[...document.querySelectorAll(".prompt")].some((e) => ["Two words.", "units.txt", "漢字 instead"].every((w) => e.textContent.includes(w)))`)
	v := r.State(r.ctx, id, api.StateIdle)
	if !strings.Contains(v.Prompt, "Two words.") {
		t.Errorf("the last prompt is %q", v.Prompt)
	}
}
