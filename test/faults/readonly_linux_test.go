package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ccdir/api"
)

// TestReadOnlyDisk: an ext4 finds an error and becomes read-only under a daemon, as it does
// with errors=remount-ro. What cannot be saved is refused or said to be lost, agents go on,
// and everybody is told.
func TestReadOnlyDisk(t *testing.T) {
	home, fail := failingDisk(t)
	if home == "" {
		t.Log("needs root, a loop device and ext4's trigger for errors")
		return
	}
	w := newWorld(t, home, "")
	w.start()
	w.sh("cat", "exec cat")
	w.sh("other", "exec cat")
	agent := w.agent("agent")
	fail()
	_, err := w.client.AddTasks(t.Context(), []api.NewTask{{Prompt: "x", CWD: home}})
	w.says(err, "could not be saved")
	_, err = w.try("new", "exec cat")
	w.says(err, "read-only", "CCDIR_HOME")
	_, err = w.client.RenameSession(t.Context(), "other", "renamed")
	w.says(err, "could not be saved", "lost")
	w.verb(false, "send", "cat", "never typed")
	w.echoes("cat", "on-a-read-only-disk")
	if out := w.verb(true, "output", "cat", "--scrollback"); strings.Contains(out, "never typed") {
		t.Error("a prompt that could not be saved was typed")
	}
	if err := w.post(agent, "Notification", "n1", `{"hook_event_name":"Notification","session_id":"s","message":"told."}`); err != nil {
		t.Errorf("a hook call was not answered: %v", err)
	}
	if n := countEvents(w, "not in the overflow file either"); n != 1 {
		t.Errorf("the log tells %d times that nothing can be saved", n)
	}
	if h, err := w.client.Health(t.Context()); err != nil || h.Unsaved == "" {
		t.Errorf("health: %+v, %v", h, err)
	}
	if out, err := w.command("doctor").CombinedOutput(); err == nil || !strings.Contains(string(out), "is not writable") {
		t.Errorf("doctor: %v\n%s", err, out)
	}
	if out, err := w.command("ls").CombinedOutput(); err != nil || !strings.Contains(string(out), "not saved") {
		t.Errorf("ls: %v\n%s", err, out)
	}
}

// failingDisk is a home on an ext4 of its own, and what makes that read-only; "" if this is not
// possible here.
func failingDisk(t *testing.T) (home string, fail func()) {
	t.Helper()
	if os.Getuid() != 0 {
		return "", nil
	}
	if _, err := os.Stat("/dev/loop-control"); err != nil {
		return "", nil
	}
	image := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(image, 64<<20); err != nil {
		t.Fatal(err)
	}
	tool(t, "mkfs.ext4", "-q", "-F", "-e", "remount-ro", image)
	home, err := os.MkdirTemp("", "cf")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(home) })
	mountDisk(t, image, home)
	var st unix.Stat_t
	if err := unix.Stat(home, &st); err != nil {
		t.Fatal(err)
	}
	device, err := os.Readlink(fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(st.Dev), unix.Minor(st.Dev)))
	if err != nil {
		return "", nil
	}
	trigger := filepath.Join("/sys/fs/ext4", filepath.Base(device), "trigger_fs_error")
	if _, err := os.Stat(trigger); err != nil {
		return "", nil
	}
	return home, func() {
		t.Helper()
		if err := os.WriteFile(trigger, []byte("x"), 0o200); err != nil {
			t.Fatal(err)
		}
	}
}
