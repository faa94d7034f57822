package engine

import (
	"os"
	"testing"
)

func TestMembers(t *testing.T) {
	dir := t.TempDir()
	i, err := Invite(dir, Member{Name: "n1", Runs: true}, []string{"nats://127.0.0.1:4222"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Invite(dir, Member{Name: "n1"}, nil); err == nil {
		t.Error("a name was given twice")
	}
	if _, err := Invite(dir, Member{Name: "n.1"}, nil); err == nil {
		t.Error("a name of two tokens was taken")
	}
	back, err := ParseInvitation("\n" + i.String() + "\n")
	if err != nil || back.Seed != i.Seed || back.Name != "n1" {
		t.Errorf("%+v %v", back, err)
	}
	if list, err := Members(dir); err != nil || len(list) != 1 || list[0].Key == "" {
		t.Errorf("%+v %v", list, err)
	}
	if info, err := os.Stat(membersFile(dir)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if err := Revoke(dir, "n2"); err == nil {
		t.Error("nobody was revoked without an error")
	}
	if err := Revoke(dir, "n1"); err != nil {
		t.Fatal(err)
	}
	if list, err := Members(dir); err != nil || len(list) != 0 {
		t.Errorf("%+v %v", list, err)
	}
}

// TestOptions: what a server refuses.
// TestNamesLikeFlags: what looks like a flag is no machine's name.
func TestNamesLikeFlags(t *testing.T) {
	if _, err := Invite(t.TempDir(), Member{Name: "--help", Runs: true}, []string{"nats://hub:4222"}); err == nil {
		t.Error("--help is invited")
	}
}

func TestOptions(t *testing.T) {
	for name, o := range map[string]Options{
		"open without a certificate": {Listen: "0.0.0.0:4222"},
		"no port":                    {Listen: "127.0.0.1"},
		"two servers":                {Listen: "127.0.0.1:0", Cluster: "127.0.0.1:0", Routes: []string{"nats-route://x:1"}, Secret: "s"},
		"servers without a secret":   {Listen: "127.0.0.1:0", Cluster: "127.0.0.1:0", Routes: []string{"nats-route://x:1", "nats-route://y:1"}},
		"a certificate that is none": {Listen: "127.0.0.1:0", Cert: "x", Key: "y"},
	} {
		o.Dir = t.TempDir()
		if _, err := options(o); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	opts, err := options(Options{Dir: t.TempDir(), Listen: "localhost:0"})
	if err != nil || !opts.SyncAlways {
		t.Errorf("%v %v", opts, err)
	}
}

func FuzzInvitation(f *testing.F) {
	f.Add("ccdir-fleet-eyJuYW1lIjoibjEifQ")
	f.Add("ccdir-fleet-")
	f.Fuzz(func(t *testing.T, word string) {
		i, err := ParseInvitation(word)
		if err != nil {
			return
		}
		if back, err := ParseInvitation(i.String()); err != nil || back.Seed != i.Seed {
			t.Errorf("%+v %v", back, err)
		}
	})
}
