package codex

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"ccdir/agents"
	"ccdir/api"
)

const packedID = "01a2233a-54fc-76b1-a422-d6ee645323a1"

// packRollout writes the recorded conversation as Codex packs it, and returns the home.
func packRollout(t *testing.T) (home, path string) {
	t.Helper()
	home = t.TempDir()
	path = filepath.Join(home, "sessions", "2026", "11", "20", "rollout-2026-11-20T10-00-00-"+packedID+".jsonl.zst")
	data, err := os.ReadFile("rollout/testdata/session.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, w.EncodeAll(data, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	return home, path
}

// TestPackedRollout: a conversation that Codex has packed is found, read and taken along to another home.
func TestPackedRollout(t *testing.T) {
	home, path := packRollout(t)
	env := []string{"CODEX_HOME=" + home}
	for _, c := range []agents.Conversation{
		{ID: packedID, Env: env},
		{ID: packedID, Path: path},
		{ID: packedID, Path: strings.TrimSuffix(path, ".zst")}, // as the hook said when it was not packed yet
	} {
		src := Adapter{}.OpenConversation(c)
		if src == nil {
			t.Fatalf("%+v is not found", c)
		}
		turns := 0
		if err := src.Read(t.Context(), func(t api.Turn) error { turns = t.Turn; return nil }); err != nil || turns < 5 {
			t.Errorf("%+v: %d turns, %v", c, turns, err)
		}
	}
	other := t.TempDir()
	if _, err := (Adapter{}).CopyConversation(agents.Conversation{ID: packedID, Env: env}, []string{"CODEX_HOME=" + other}); err != nil {
		t.Fatal(err)
	}
	if got := findRollout(other, packedID); got != filepath.Join(other, strings.TrimPrefix(path, home)) {
		t.Errorf("in the other home it is %q", got)
	}
}

// TestHostileRollout: what claims a window of gigabytes is refused, not allocated.
func TestHostileRollout(t *testing.T) {
	_, path := packRollout(t)
	// A frame of 1 GiB window (RFC 8878, 3.1.1.1.2: exponent 20), with one empty last block.
	if err := os.WriteFile(path, []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 20 << 3, 1, 0, 0}, 0o600); err != nil {
		t.Fatal(err)
	}
	src := Adapter{}.OpenConversation(agents.Conversation{ID: packedID, Path: path})
	if err := src.Read(t.Context(), func(api.Turn) error { return nil }); err == nil {
		t.Error("a window of 1 GiB is taken")
	}
}
