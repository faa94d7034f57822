package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ccdir/api"
)

// TestDamaged: a file that is no database, or a damaged one, is moved aside
// whole, and a new one begun.
func TestDamaged(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, path string){
		"no database": func(t *testing.T, path string) { write(t, path, []byte(strings.Repeat("nothing ", 5000))) },
		"pages": func(t *testing.T, path string) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(1, 2))
			for i := 4096; i < len(data); i++ {
				data[i] = byte(r.Uint32())
			}
			write(t, path, data)
		},
		"cut": func(t *testing.T, path string) {
			if err := os.Truncate(path, 10_000); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "db")
			s, _, err := Open(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := range int64(300) {
				if err := s.Commit([]api.Event{testEvent(i + 1)}, []string{""}, nil); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			damage(t, path)
			bad, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s, opened, err := Open(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if opened.Moved == "" || opened.Cause == nil {
				t.Fatal("nobody noticed")
			}
			if kept, err := os.ReadFile(opened.Moved); err != nil || string(kept) != string(bad) {
				t.Errorf("moved: %d bytes, %v", len(kept), err)
			}
			last, err := s.LastSeq(t.Context())
			if err != nil || last > 300 {
				t.Error(last, err)
			}
			if err := s.Commit([]api.Event{testEvent(last + 1)}, []string{""}, nil); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestNewer: the database of a newer version is left alone.
func TestNewer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	s := openTest(t, path)
	if _, err := s.write.Exec("PRAGMA user_version = 1000"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(path, nil); !errors.Is(err, errNewer) {
		t.Errorf("got %v", err)
	}
}

// TestUnwritable: an error that is not the file's is told, and nothing moved.
func TestUnwritable(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "db")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, opened, err := Open(path, nil); err == nil || opened.Moved != "" {
		t.Errorf("%+v %v", opened, err)
	}
}

// writeForEver commits events one after another and tells each on standard
// output once it is acknowledged.
func writeForEver(path string) {
	s, _, err := Open(path, nil)
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	last, err := s.LastSeq(context.Background())
	if err != nil {
		os.Exit(1)
	}
	for seq := last + 1; ; seq++ {
		if err := s.Commit([]api.Event{testEvent(seq)}, []string{""}, map[string][]byte{"s": []byte(`{"session":{"cols":` + strconv.FormatInt(seq, 10) + `}}`)}); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		fmt.Println(seq)
	}
}

// TestKilledWriter: what was acknowledged before a kill -9 is there, without a
// gap, and the database opens at once.
func TestKilledWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	acknowledged := int64(0)
	for range 8 {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), "CCDIR_TEST_WRITER="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range 20 + rand.IntN(50) {
			if !lines.Scan() {
				t.Fatal("the writer ended by itself")
			}
			if acknowledged, err = strconv.ParseInt(lines.Text(), 10, 64); err != nil {
				t.Fatal(lines.Text())
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			if n, err := strconv.ParseInt(lines.Text(), 10, 64); err == nil {
				acknowledged = n
			}
		}
		_ = cmd.Wait()
		s, opened, err := Open(path, nil)
		if err != nil || opened.Moved != "" {
			t.Fatal(opened, err)
		}
		events, err := s.Events(t.Context(), api.EventFilter{Since: -1, Limit: MaxLimit})
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range events {
			if e.Seq != int64(i)+1 {
				t.Fatalf("event %d has the number %d", i, e.Seq)
			}
		}
		if n := int64(len(events)); n < acknowledged {
			t.Fatalf("%d events were acknowledged, %d are there", acknowledged, n)
		}
		// Session and event are one transaction.
		records, err := s.Sessions(t.Context())
		if want := fmt.Sprintf(`{"session":{"cols":%d}}`, len(events)); err != nil || string(records["s"]) != want {
			t.Errorf("record %s with %d events, %v", records["s"], len(events), err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
