package tmux

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// plain is the environment of a terminal that shows notifications itself.
const plain = "-u TMUX TERM=xterm-256color"

// tells configures grids to announce permissions by OSC 9 and by a command, which
// writes to the returned file.
func (r *rig) tells() (told string) {
	r.t.Helper()
	told, script := filepath.Join(r.home, "told"), filepath.Join(r.home, "tell")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho \"$@\" >>"+told+"\n"), 0o700); err != nil {
		r.t.Fatal(err)
	}
	r.configure(false, "[notify]\npermission = [\"osc9\", \"command\"]\ncommand = [\""+script+"\"]\n")
	return told
}

// TestNotificationsOfTwoGrids: each of two grids notifies its terminal once, and the
// command runs once; neither a restart of the daemon nor another attach repeats a
// notification, and nothing that the user sees in one grid is announced in any.
func TestNotificationsOfTwoGrids(t *testing.T) {
	r := newRig(t)
	told := r.tells()
	r.session("typing", echoing("typing-here")...)
	r.agent("first")
	r.agent("second")
	desk, deskLog := r.logged("desk", 100, 30, plain, "ccdir attach typing")
	home, homeLog := r.logged("home", 90, 30, plain, "ccdir attach typing")
	desk.shows("typing-here", "zoomed")
	home.shows("typing-here", "zoomed")
	count := func(file, of string) int {
		data, _ := os.ReadFile(file)
		return strings.Count(string(data), of)
	}
	// want waits until the last of all was told everywhere, and counts the others.
	want := func(name string, n int, last string) {
		t.Helper()
		for file, sign := range map[string]string{deskLog: "\x1b]9;ccdir: ", homeLog: "\x1b]9;ccdir: ", told: "ccdir: "} {
			r.eventually(last+" in "+filepath.Base(file), func() bool { return count(file, sign+last+" ") > 0 })
			if got := count(file, sign+name+" "); got != n {
				t.Errorf("%s: %s was told %d times, want %d", filepath.Base(file), name, got, n)
			}
		}
	}
	r.asks("first", "make one")
	want("first", 1, "first")

	r.run("ccdir", "daemon", "restart")
	third, thirdLog := r.logged("third", 80, 24, plain, "ccdir attach typing")
	third.shows("typing-here", "needs you")
	r.asks("second", "make two")
	want("first", 1, "second")
	r.eventually("second in the third grid", func() bool { return count(thirdLog, "\x1b]9;ccdir: second") == 1 })
	if n := count(thirdLog, "\x1b]9;ccdir: first "); n != 0 {
		t.Errorf("the third grid told %d times of what was before it", n)
	}
}

// TestNotificationsOfWhatIsSeen: nothing that the user sees in one grid is announced in
// any.
func TestNotificationsOfWhatIsSeen(t *testing.T) {
	r := newRig(t)
	told := r.tells()
	r.session("typing", echoing("typing-here")...)
	r.agent("first")
	r.agent("second")
	desk, deskLog := r.logged("desk", 100, 30, plain, "ccdir attach first")
	home, homeLog := r.logged("home", 90, 30, plain, "ccdir attach typing")
	desk.shows("first ○", "zoomed")
	home.shows("typing-here", "zoomed")
	desk.keys("C-b", "Escape") // somebody is here
	r.asks("first", "make one")
	desk.shows("C-b a to answer")
	r.asks("second", "make two")
	for file, sign := range map[string]string{deskLog: "\x1b]9;ccdir: ", homeLog: "\x1b]9;ccdir: ", told: "ccdir: "} {
		read := func() string { data, _ := os.ReadFile(file); return string(data) }
		r.eventually("second in "+filepath.Base(file), func() bool { return strings.Contains(read(), sign+"second ") })
		if strings.Contains(read(), sign+"first ") {
			t.Errorf("%s: told of what the person sees", filepath.Base(file))
		}
	}
}
