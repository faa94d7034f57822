package service

import (
	"context"
	"encoding/xml"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// launchd is the launch agent of macOS. It was never run there: no test machine has it.
type launchd struct{ *Service }

func (m launchd) name() string { return "launchd" }

func (m launchd) file() string {
	return filepath.Join(m.env("HOME"), "Library", "LaunchAgents", m.unit()+".plist")
}

// domain is launchctl's name of the user's login; target that of the agent in it.
func (m launchd) domain() string { return "gui/" + strconv.Itoa(m.o.UID) }
func (m launchd) target() string { return m.domain() + "/" + m.unit() }

// content is the property list. AbandonProcessGroup keeps hosts when the agent ends;
// KeepAlive starts it again after a crash, and not after `ccdir daemon stop`.
func (m launchd) content() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key><string>%s</string>
	<key>ProgramArguments</key>
	<array><string>%s</string><string>daemon</string><string>run</string></array>
	<key>RunAtLoad</key><true/>
	<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
	<key>AbandonProcessGroup</key><true/>
	<key>ProcessType</key><string>Interactive</string>
	<key>StandardOutPath</key><string>%s</string>
	<key>StandardErrorPath</key><string>%[3]s</string>
	<key>EnvironmentVariables</key>
	<dict>
`, quoteXML(m.unit()), quoteXML(m.o.Exe), quoteXML(m.o.Paths.DaemonLog()))
	for _, v := range m.variables() {
		fmt.Fprintf(&b, "\t\t<key>%s</key><string>%s</string>\n", quoteXML(v[0]), quoteXML(v[1]))
	}
	b.WriteString("\t</dict>\n</dict>\n</plist>\n")
	return b.String()
}

func quoteXML(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder takes all
	return b.String()
}

func (m launchd) launchctl(ctx context.Context, args ...string) (string, error) {
	return m.o.Run(ctx, m.o.Env, append([]string{"launchctl"}, args...)...)
}

func (m launchd) load(ctx context.Context) error {
	_, _ = m.launchctl(ctx, "bootout", m.target()) // fails unless an older one is loaded
	_, err := m.launchctl(ctx, "bootstrap", m.domain(), m.file())
	return err
}

func (m launchd) disable(context.Context) error { return nil } // the file decides

func (m launchd) stop(ctx context.Context) error {
	_, err := m.launchctl(ctx, "bootout", m.target())
	return err
}

func (m launchd) start(ctx context.Context) error {
	_, err := m.launchctl(ctx, "kickstart", m.target())
	return err
}

func (m launchd) status(ctx context.Context, s *Status) error {
	out, err := m.launchctl(ctx, "print", m.target())
	if err != nil {
		return nil // it is not loaded
	}
	s.Enabled = true
	for line := range strings.Lines(out) {
		switch key, value, _ := strings.Cut(strings.TrimSpace(line), " = "); key {
		case "state":
			s.Active = value == "running"
		case "pid":
			s.PID = number(value)
		}
	}
	return nil
}
