// Package installed tells how this ccdir was installed, and with that what updates it: each
// way of installing has a command of its own, and an update by another one would be undone
// or leave two of them.
//
// Contract: it reads one small file and looks at paths; it runs nothing. What installs
// ccdir writes its name into Marker, relative to the directory above that of the programs;
// where nobody could (Homebrew, Nix, go install), the path tells.
package installed

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"ccdir/internal/disk/untrusted"
)

// Marker is the file that names the kind in its first line, below the prefix. The second one
// may say from where: "from URL".
const Marker = "share/ccdir/installed-by"

// ScriptFile is the path, below the prefix, of the script that installed a Script kind.
const ScriptFile = "share/ccdir/install.sh"

// maxMarker bounds the marker in bytes.
const maxMarker = 4096

// Kind is a way of installing.
type Kind string

// The kinds.
const (
	Script   Kind = "script" // install.sh
	Make     Kind = "make"   // make install
	Checkout Kind = "checkout"
	Go       Kind = "go" // go install
	Brew     Kind = "brew"
	Nix      Kind = "nix"
	Deb      Kind = "deb"
	RPM      Kind = "rpm"
	APK      Kind = "apk"
	Pacman   Kind = "pacman"
	Unknown  Kind = "unknown"
)

// Install is one installation.
type Install struct {
	Kind Kind `json:"kind"`
	// Prefix is the directory above that of the programs; absolute.
	Prefix string `json:"prefix"`
	// From is where a Script install came from; "" for others.
	From string `json:"from,omitempty"`
	// Command updates it; "" if that is not known.
	Command string `json:"command"`
}

// Find tells how the program at exe was installed. getenv reads the person's environment.
func Find(exe string, getenv func(string) string) Install {
	if to, err := filepath.EvalSymlinks(exe); err == nil {
		exe = to
	}
	dir := filepath.Dir(exe)
	in := Install{Prefix: filepath.Dir(dir)}
	in.Kind, in.From = marked(filepath.Join(in.Prefix, Marker))
	if in.Kind == Unknown {
		in.Kind = byPath(exe, getenv)
	}
	in.Command = in.command()
	return in
}

// marked reads the marker; Unknown if there is none, or of a kind that is not known.
func marked(path string) (kind Kind, from string) {
	data, err := untrusted.Read(path, maxMarker)
	if err != nil {
		return Unknown, ""
	}
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if i == 0 {
			kind = Kind(line)
		} else if url, ok := strings.CutPrefix(line, "from "); ok {
			from = strings.TrimSpace(url)
		}
	}
	if (Install{Kind: kind}).command() == "" {
		return Unknown, ""
	}
	return kind, from
}

// byPath tells the kind by the place of the program.
func byPath(exe string, getenv func(string) string) Kind {
	dir := filepath.Dir(exe)
	switch {
	case strings.HasPrefix(exe, "/nix/store/"):
		return Nix
	case strings.Contains(exe, "/Cellar/ccdir/"):
		return Brew
	case exists(filepath.Join(filepath.Dir(dir), "go.mod")) && filepath.Base(dir) == "bin":
		return Checkout
	case exists(filepath.Join(dir, "go.mod")):
		return Checkout
	}
	goBin := []string{getenv("GOBIN"), filepath.Join(getenv("HOME"), "go", "bin")}
	for _, path := range filepath.SplitList(getenv("GOPATH")) {
		goBin = append(goBin, filepath.Join(path, "bin"))
	}
	for _, candidate := range goBin {
		if to, err := filepath.EvalSymlinks(candidate); err == nil && filepath.IsAbs(candidate) && to == dir {
			return Go
		}
	}
	return Unknown
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// command is the command that updates this kind.
func (in Install) command() string {
	switch in.Kind {
	case Script:
		return "ccdir update"
	case Make:
		return "git pull && make install PREFIX=" + in.Prefix
	case Checkout:
		return "git pull && make build"
	case Go:
		return "go install " + module() + "@latest"
	case Brew:
		return "brew upgrade ccdir"
	case Nix:
		return "nix profile upgrade ccdir"
	case Deb:
		return "sudo apt-get install --only-upgrade ccdir"
	case RPM:
		return "sudo dnf upgrade ccdir"
	case APK:
		return "sudo apk upgrade ccdir"
	case Pacman:
		return "paru -S ccdir-bin"
	default:
		return ""
	}
}

// module is the path by which go install finds this program.
func module() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" {
		return info.Path
	}
	return "ccdir"
}

// Words says in a sentence how it was installed and what updates it, for kinds other than
// Script.
func (in Install) Words() string {
	by := map[Kind]string{
		Make: "by make install: run `%s` in its checkout", Checkout: "in a checkout: run `%s` there", Go: "by go install: run `%s`",
		Brew: "by Homebrew: run `%s`", Nix: "by Nix: run `%s`", Pacman: "by pacman from the AUR: run `%s`, or that of your AUR helper",
		Deb: "as a Debian package: run `%s`, or install the new package", RPM: "as an RPM package: run `%s`, or install the new package",
		APK: "as an Alpine package: run `%s`, or install the new package",
	}[in.Kind]
	if by == "" {
		return "in a way that is not known: install the new version as you installed this one"
	}
	return strings.Replace(by, "%s", in.Command, 1)
}
