package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// systemd is the user's instance of systemd.
type systemd struct{ *Service }

func (m systemd) name() string { return "systemd" }

func (m systemd) unitFile() string { return m.unit() + ".service" }

func (m systemd) file() string {
	dir := m.env("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(m.env("HOME"), ".config")
	}
	return filepath.Join(dir, "systemd", "user", m.unitFile())
}

// content is the unit. Hosts are in scopes of their own (sessions/launch); KillMode keeps
// what is in the unit all the same, should that have failed. `ccdir daemon stop` is an
// orderly end, after which systemd leaves the unit stopped.
func (m systemd) content() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Written by ccdir service install; ccdir service uninstall removes it.
[Unit]
Description=ccdir: keeps coding agents running
Documentation=man:ccdir(1)
StartLimitIntervalSec=60
StartLimitBurst=5

[Service]
Type=notify
NotifyAccess=main
ExecStart=%s daemon run
Restart=on-failure
RestartSec=1
KillMode=process
OOMPolicy=continue
StandardOutput=append:%s
StandardError=append:%[2]s
`, quoteUnit(m.o.Exe, true), strings.ReplaceAll(m.o.Paths.DaemonLog(), "%", "%%"))
	for _, v := range m.variables() {
		fmt.Fprintf(&b, "Environment=%s\n", quoteUnit(v[0]+"="+v[1], false))
	}
	b.WriteString("\n[Install]\nWantedBy=default.target\n")
	return b.String()
}

// quoteUnit quotes a word of a unit. In commands a dollar begins a variable.
func quoteUnit(word string, command bool) string {
	pairs := []string{`\`, `\\`, `"`, `\"`, "%", "%%", "\n", `\n`}
	if command {
		pairs = append(pairs, "$", "$$")
	}
	return `"` + strings.NewReplacer(pairs...).Replace(word) + `"`
}

// systemctl runs systemctl --user. Over ssh or su the variable that leads to the user's
// instance may be missing.
func (m systemd) systemctl(ctx context.Context, args ...string) (string, error) {
	env := m.o.Env
	if m.env("XDG_RUNTIME_DIR") == "" {
		env = append(slices.Clone(env), "XDG_RUNTIME_DIR=/run/user/"+strconv.Itoa(m.o.UID))
	}
	return m.o.Run(ctx, env, append([]string{"systemctl", "--user"}, args...)...)
}

func (m systemd) load(ctx context.Context) error {
	// Its log lies there, and systemd makes no directory for it.
	if err := os.MkdirAll(m.o.Paths.State, 0o700); err != nil {
		return err
	}
	if _, err := m.systemctl(ctx, "daemon-reload"); err != nil {
		return err
	}
	_, err := m.systemctl(ctx, "enable", "--now", m.unitFile())
	return err
}

func (m systemd) disable(ctx context.Context) error {
	_, err := m.systemctl(ctx, "disable", m.unitFile())
	return err
}

func (m systemd) stop(ctx context.Context) error {
	if _, err := m.systemctl(ctx, "stop", m.unitFile()); err != nil {
		return err
	}
	_, err := m.systemctl(ctx, "daemon-reload")
	return err
}

// start starts the unit also after it was started too often: that limit is for a daemon that
// crashes again and again, and not for a person or a client that needs one.
func (m systemd) start(ctx context.Context) error {
	_, err := m.systemctl(ctx, "start", m.unitFile())
	if err == nil || errors.Is(err, ErrNoManager) {
		return err
	}
	if _, failed := m.systemctl(ctx, "reset-failed", m.unitFile()); failed != nil {
		return err
	}
	_, err = m.systemctl(ctx, "start", m.unitFile())
	return err
}

func (m systemd) status(ctx context.Context, s *Status) error {
	s.Name = m.unitFile()
	out, err := m.systemctl(ctx, "show", "--property=ActiveState,MainPID,UnitFileState", m.unitFile())
	if err != nil {
		return err
	}
	for line := range strings.Lines(out) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch key {
		case "ActiveState":
			s.Active = value == "active" || value == "reloading"
		case "MainPID":
			s.PID = number(value)
		case "UnitFileState":
			s.Enabled = value == "enabled"
		}
	}
	// Without logind (a container) nobody ends anything at a logout.
	if out, err := m.o.Run(ctx, m.o.Env, "loginctl", "show-user", strconv.Itoa(m.o.UID), "--property=Linger"); err == nil {
		on := strings.TrimSpace(out) == "Linger=yes"
		s.Linger = &on
	}
	return nil
}

// Linger makes the user's services outlive the last logout.
func (s *Service) Linger(ctx context.Context) error {
	_, err := s.o.Run(ctx, s.o.Env, "loginctl", "enable-linger", strconv.Itoa(s.o.UID))
	return err
}
