// Package service makes the daemon a service of its user: a unit of systemd --user, or an
// agent of launchd. The service manager starts it with the machine or at login, and again
// after a crash. Sessions are no part of the service: stopping or restarting it ends none.
//
// Contract: Install and Uninstall may be repeated. The service belongs to one state
// directory: with CCDIR_HOME set it has a name of its own. A daemon that a client starts
// while the service is installed is started by the service manager (Start), so that there
// is one that both know.
package service

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/disk/paths"
)

// ErrNoManager: there is no service manager of the user that can be reached.
var ErrNoManager = errors.New("no service manager of yours can be reached")

// Options describe the service.
type Options struct {
	// Exe is the absolute path of ccdir.
	Exe   string
	Paths paths.Paths
	// Env is the environment of the person's shell: the service gets its PATH, by which
	// agents are found, with what only the login shell's has.
	Env []string
	UID int
	// Run runs a program of the service manager and returns what it wrote; nil: as a
	// process.
	Run func(ctx context.Context, env []string, argv ...string) (string, error)
}

// Status is the service manager's report.
type Status struct {
	// Manager is systemd or launchd.
	Manager string `json:"manager"`
	// Name is the unit's or agent's, File its file.
	Name string `json:"name"`
	File string `json:"file"`
	// Installed: the file is there. Enabled: the manager starts it by itself.
	Installed bool `json:"installed"`
	Enabled   bool `json:"enabled"`
	// Active: the service runs; PID is its process, 0 if it does not run.
	Active bool `json:"active"`
	PID    int  `json:"pid"`
	// Linger: the manager outlives the last logout. Nil: not known, or there is no such
	// setting.
	Linger *bool `json:"linger"`
}

// Service is the daemon's service. Make one with New.
type Service struct {
	o       Options
	manager manager
	// path is the PATH of the service; "": that of the environment.
	path string
}

// manager is a service manager. Methods run its programs and block until these end.
type manager interface {
	name() string
	// file is the path of the service's file, content what it has.
	file() string
	content() string
	// load makes the manager read the file, and start the service now and by itself.
	load(ctx context.Context) error
	// disable keeps the manager from starting the service by itself, stop stops it.
	disable(ctx context.Context) error
	stop(ctx context.Context) error
	start(ctx context.Context) error
	status(ctx context.Context, s *Status) error
}

// New returns the service on this system; ErrNoManager where there is none.
func New(o Options) (*Service, error) {
	if o.Run == nil {
		o.Run = run
	}
	s := &Service{o: o}
	switch runtime.GOOS {
	case "linux":
		s.manager = systemd{s}
	case "darwin":
		s.manager = launchd{s}
	default:
		return nil, ErrNoManager
	}
	return s, nil
}

// Install writes the service's file and starts the service; in between it calls handOver,
// which has to end a daemon that is not the service's. A client that needs a daemon
// meanwhile starts the service. changed: the file was not there, or had another content.
// After an error a file that was not there before is removed.
func (s *Service) Install(ctx context.Context, handOver func(context.Context) error) (changed bool, err error) {
	s.path = s.completePath(ctx)
	file, content := s.manager.file(), s.manager.content()
	old, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return false, err
	}
	isNew := err != nil
	if isNew || string(old) != content {
		changed = true
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return false, err
		}
		if err := atomicfile.WriteMode(file, []byte(content), 0o644); err != nil {
			return false, err
		}
	}
	if err = handOver(ctx); err == nil {
		err = s.manager.load(ctx)
	}
	if err != nil && isNew {
		_ = os.Remove(file) // the error matters more
	}
	return changed, err
}

// Uninstall removes the service's file and stops the service; false if it was not installed.
// A manager that cannot be reached is no error: without the file there is no service.
func (s *Service) Uninstall(ctx context.Context) (bool, error) {
	file := s.manager.file()
	if _, err := os.Stat(file); os.IsNotExist(err) {
		return false, nil
	}
	disabled := s.manager.disable(ctx)
	if disabled != nil && !errors.Is(disabled, ErrNoManager) {
		return false, disabled
	}
	// Removed before the service is stopped: a client that needs a daemon would start it again.
	if err := os.Remove(file); err != nil || disabled != nil {
		return err == nil, err
	}
	return true, s.manager.stop(ctx)
}

// Installed reports whether the service's file is there.
func (s *Service) Installed() bool {
	_, err := os.Stat(s.manager.file())
	return err == nil
}

// Start starts the service and blocks until it serves. An error that is ErrNoManager means
// that nothing was tried.
func (s *Service) Start(ctx context.Context) error { return s.manager.start(ctx) }

// Status asks the service manager.
func (s *Service) Status(ctx context.Context) (Status, error) {
	out := Status{Manager: s.manager.name(), Name: s.unit(), File: s.manager.file(), Installed: s.Installed()}
	return out, s.manager.status(ctx, &out)
}

// unit is the service's name without a suffix. That of a CCDIR_HOME has the digits of its
// runtime directory.
func (s *Service) unit() string {
	if s.o.Paths.Home == "" {
		return "ccdir"
	}
	return "ccdir-" + filepath.Base(s.o.Paths.Runtime)
}

// env returns a variable of the person's environment.
func (s *Service) env(key string) (value string) {
	for _, kv := range s.o.Env {
		if v, ok := strings.CutPrefix(kv, key+"="); ok {
			value = v
		}
	}
	return value
}

// variables are the environment of the service.
func (s *Service) variables() [][2]string {
	list := [][2]string{{"PATH", cmp.Or(s.path, s.env("PATH"))}}
	for _, key := range []string{"CCDIR_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "LANG", "LC_ALL", "LC_CTYPE", "SHELL"} {
		if v := s.env(key); v != "" {
			list = append(list, [2]string{key, v})
		}
	}
	return list
}

// run runs a program. Its error has what the program said.
func run(ctx context.Context, env []string, argv ...string) (string, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env, cmd.WaitDelay = env, time.Second // what a login shell starts may keep its output open
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	switch text := strings.TrimSpace(said.String()); {
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("%w: %s is not installed", ErrNoManager, argv[0])
	case err != nil && (strings.Contains(text, "Failed to connect to") || strings.Contains(text, "not been booted with systemd")):
		return "", fmt.Errorf("%w: %s", ErrNoManager, text)
	case err != nil && text != "":
		first, _, _ := strings.Cut(text, "\n")
		return out.String(), fmt.Errorf("%s: %s", strings.Join(argv, " "), first)
	case err != nil:
		return out.String(), fmt.Errorf("%s: %w", strings.Join(argv, " "), err)
	}
	return out.String(), nil
}

// number reads a pid; 0 if there is none.
func number(text string) int {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		return 0
	}
	return n
}
