package cli_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/test/programs"
)

// releases serves a release of that version over TLS, as the install script fetches it, and
// returns its address and the certificate that it shows.
func releases(t *testing.T, version, dir string) (url, certificate string) {
	t.Helper()
	srv := httptest.NewTLSServer(http.StripPrefix("/releases/latest/download/", http.FileServer(http.Dir(dir))))
	t.Cleanup(srv.Close)
	certificate = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	pack(t, bin, version, dir)
	return srv.URL + "/releases", certificate
}

// pack makes the archive of a release with the programs of a directory, and its checksums.
func pack(t *testing.T, from, version, dir string) {
	t.Helper()
	name := fmt.Sprintf("ccdir_%s_%s_%s", version, runtime.GOOS, runtime.GOARCH)
	top := filepath.Join(t.TempDir(), name)
	put := func(file, text string, mode os.FileMode) {
		t.Helper()
		path := filepath.Join(top, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, program := range []string{programs.Ccdir, programs.Shim, programs.Daemon} {
		data, err := os.ReadFile(filepath.Join(from, program))
		if err != nil {
			t.Fatal(err)
		}
		put(program, string(data), 0o755)
	}
	put(programs.Fleet, "#!/bin/sh\n", 0o755) // it is put beside the others, and not run
	script, err := os.ReadFile("../contrib/install.sh")
	if err != nil {
		t.Fatal(err)
	}
	put("install.sh", string(script), 0o755)
	for _, file := range []string{"man/ccdir.1", "LICENSE", "NOTICE", "CHANGELOG.md", "contrib/systemd/ccdir.service", "contrib/launchd/ccdir.plist", "completions/ccdir.bash", "completions/_ccdir", "completions/ccdir.fish"} {
		put(file, file, 0o644)
	}
	archive := filepath.Join(dir, name+".tar.gz")
	if out, err := exec.Command("tar", "-czf", archive, "-C", filepath.Dir(top), name).CombinedOutput(); err != nil {
		t.Fatalf("tar: %v: %s", err, out)
	}
	data, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	if err := os.WriteFile(filepath.Join(dir, "checksums.txt"), []byte(hex.EncodeToString(sum[:])+"  "+name+".tar.gz\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestUpdateOverTLS installs by the script, then updates under a running session, over https: a
// certificate that nobody vouches for and an archive with another checksum change nothing.
func TestUpdateOverTLS(t *testing.T) {
	programs.Need(t, "curl", "tar")
	h := newHome(t)
	served, prefix := t.TempDir(), filepath.Join(h.paths.Home, "prefix")
	url, certificate := releases(t, api.Version, served)
	run := func(trusts bool, argv ...string) (string, error) {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Env, cmd.Dir = h.env, h.paths.Home
		if trusts {
			cmd.Env = append(cmd.Env, "CURL_CA_BUNDLE="+certificate)
		}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	script, err := filepath.Abs("../contrib/install.sh")
	if err != nil {
		t.Fatal(err)
	}
	ccdir := filepath.Join(prefix, "bin", "ccdir")
	if out, err := run(false, "sh", script, "--prefix", prefix, "--from", url); err == nil || !strings.Contains(out, "cannot be fetched") {
		t.Errorf("a server that nobody vouches for: %v, %s", err, out)
	}
	if _, err := os.Stat(ccdir); err == nil {
		t.Error("something was installed from it")
	}
	if out, err := run(true, "sh", script, "--prefix", prefix, "--from", url); err != nil {
		t.Fatalf("installing: %v, %s", err, out)
	}
	must := func(want string, args ...string) {
		t.Helper()
		if out, err := run(true, append([]string{ccdir}, args...)...); err != nil || !strings.Contains(out, want) {
			t.Errorf("ccdir %s: %v, %s", strings.Join(args, " "), err, out)
		}
	}
	must("ccdir "+api.Version, "--version")
	must("", "new", "-n", "one", "--", "sleep", "1000")
	newer := t.TempDir()
	if err := programs.BuildVersion(newer, "9.8.7"); err != nil {
		t.Fatal(err)
	}
	pack(t, newer, "9.8.7", served)
	must("the newest is 9.8.7: run `ccdir update`", "update", "--check")
	if out, err := run(false, ccdir, "update"); err == nil || !strings.Contains(out, "nothing was updated") {
		t.Errorf("an update from a server that nobody vouches for: %v, %s", err, out)
	}
	must("`ccdir daemon restart` takes the new version, and no agent is interrupted", "update")
	must("ccdir 9.8.7", "--version")
	must("", "daemon", "restart")
	must(`"state": "idle"`, "show", "one", "--json")
	archive, _ := filepath.Glob(filepath.Join(served, "ccdir_9.8.7_*"))
	if err := os.WriteFile(archive[0], []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := run(true, ccdir, "update"); err == nil || !strings.Contains(out, "not what the release's checksums say") {
		t.Errorf("an archive with another checksum: %v, %s", err, out)
	}
	must("ccdir 9.8.7", "--version")
	must("", "daemon", "stop", "--kill-sessions")
}
