package service

import (
	"context"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/internal/disk/paths"
)

var update = flag.Bool("update", false, "write the service files of contrib")

// TestContrib: the service files that releases carry are those that `ccdir service install`
// writes, for a person who installs them by hand.
func TestContrib(t *testing.T) {
	const home = "/HOME"
	env := []string{"HOME=" + home, "PATH=" + home + "/.local/bin:/usr/local/bin:/usr/bin:/bin"}
	p, err := paths.New(func(key string) string {
		if key == "HOME" {
			return home
		}
		return ""
	}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	s := &Service{o: Options{Exe: "/usr/bin/ccdir", Paths: p, Env: env, UID: 1000}}
	for file, content := range map[string]string{
		"systemd/ccdir.service": strings.ReplaceAll(systemd{s}.content(), home, "%h"),
		"launchd/ccdir.plist":   strings.ReplaceAll(launchd{s}.content(), home, "/Users/YOU"),
	} {
		content = strings.Replace(content, "# Written by ccdir service install; ccdir service uninstall removes it.", "# What ccdir service install writes, with the PATH of its caller.", 1)
		path := filepath.Join("..", "..", "contrib", file)
		if *update {
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if is, err := os.ReadFile(path); err != nil || string(is) != content {
			t.Errorf("contrib/%s is not what is installed (%v): go test ./client/service -update", file, err)
		}
	}
}

// TestUnit: what keeps sessions alive and the daemon running is in the unit, and words are
// quoted.
func TestUnit(t *testing.T) {
	s := &Service{o: Options{Exe: `/opt/a b/$x%/ccdir`, Env: []string{"HOME=/h", `PATH=/a:/b "c"%d`}}}
	text := systemd{s}.content()
	for _, line := range []string{"Type=notify", "KillMode=process", "Restart=on-failure", "OOMPolicy=continue", "WantedBy=default.target",
		`ExecStart="/opt/a b/$$x%%/ccdir" daemon run`, `Environment="PATH=/a:/b \"c\"%%d"`} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("the unit lacks %s:\n%s", line, text)
		}
	}
}

// TestPlist: the property list is well-formed XML and has what keeps sessions alive. launchd
// itself was never asked.
func TestPlist(t *testing.T) {
	s := &Service{o: Options{Exe: `/opt/a&b/ccdir`, Env: []string{"HOME=/h", "PATH=/a:/<b>"}}}
	text := launchd{s}.content()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
	}
	for _, part := range []string{"<key>AbandonProcessGroup</key><true/>", "<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>",
		"<string>/opt/a&amp;b/ccdir</string><string>daemon</string><string>run</string>", "<key>PATH</key><string>/a:/&lt;b&gt;</string>"} {
		if !strings.Contains(text, part) {
			t.Errorf("the list lacks %s:\n%s", part, text)
		}
	}
}

// TestCompletePath: the service's PATH is the caller's and, behind it, what only the login
// shell has, whatever else that prints; without such a shell it is the caller's.
func TestCompletePath(t *testing.T) {
	shell := filepath.Join(t.TempDir(), "shell")
	if err := os.WriteFile(shell, []byte("#!/bin/sh\n[ \"$1\" = -l ] || exit 1\necho welcome\nPATH=/b:/login/bin:relative:/a\nshift\nexec /bin/sh \"$@\"\n"), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	for _, tc := range []struct{ shell, want string }{
		{shell, "/a:/b:/login/bin"}, {"", "/a:/b"}, {"/nowhere/shell", "/a:/b"}, {"/bin/false", "/a:/b"},
	} {
		s := &Service{o: Options{Env: []string{"PATH=/a:/b", "SHELL=" + tc.shell}, Run: run}}
		if got := s.completePath(context.Background()); got != tc.want {
			t.Errorf("SHELL=%s: %s, want %s", tc.shell, got, tc.want)
		}
	}
}
