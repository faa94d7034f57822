// Package doctor has `ccdir doctor` and `ccdir agents`: what this machine has, and what is wrong
// with it. A check changes nothing.
package doctor

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/cli/verb"
)

// Outcomes of a check.
const (
	checkOK   = "ok"
	checkWarn = "warn" // works, but not as well as it could
	checkFail = "fail" // ccdir or a part of it cannot work
)

// check is one line of `ccdir doctor`.
type check struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	// Detail is the finding, Hint the advice; "" if there is none.
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"`
}

// diagnosis is `ccdir doctor --json`. OK: no check failed.
type diagnosis struct {
	OK     bool    `json:"ok"`
	Checks []check `json:"checks"`
}

// doctorTimeout bounds each program that doctor runs.
const doctorTimeout = 10 * time.Second

// Doctor makes the verb `doctor`.
func Doctor(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor [--json]",
		Short: "Check everything that ccdir needs, and say what to do",
		Example: `  ccdir doctor
  ccdir doctor --json | jq -r '.checks[] | select(.status != "ok") | .name'`,
		Args: verb.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := diagnose(cmd.Context(), a)
			if a.JSON {
				if err := a.PrintJSON(d); err != nil {
					return err
				}
			} else if err := printDiagnosis(a, d); err != nil {
				return err
			}
			if !d.OK {
				return verb.QuietError{}
			}
			return nil
		},
	}
	a.JSONFlag(cmd, "print as JSON")
	return cmd
}

// diagnose runs every check.
func diagnose(ctx context.Context, a *verb.App) diagnosis {
	d := diagnosis{OK: true}
	for _, run := range []func(context.Context, *verb.App) []check{
		checkTerminal, checkTerm, checkTmux, checkLocale, checkShim, checkDaemonProgram, checkConfig, checkDaemon, checkHosts, checkGuards, checkPast, checkPage, checkSockets, checkSSHAgent,
		checkState, checkLogind, checkAgents, checkGit, checkSandbox, checkPTY, checkFiles,
	} {
		d.Checks = append(d.Checks, run(ctx, a)...)
	}
	for _, c := range d.Checks {
		d.OK = d.OK && c.Status != checkFail
	}
	return d
}

func printDiagnosis(a *verb.App, d diagnosis) error {
	sgr := map[string]string{checkOK: "32", checkWarn: "33", checkFail: "31"}
	t := verb.Table{}
	for _, c := range d.Checks {
		text := c.Detail
		if c.Hint != "" {
			text += ": " + c.Hint
		}
		t.Row(verb.Cell{Text: c.Status, Sgr: sgr[c.Status]}, verb.Plain(c.Name)[0], verb.Plain(text)[0])
	}
	return t.Write(a.Out, a.Colours())
}

// one returns a list with one check.
func one(name, status, detail, hint string) []check {
	return []check{{Name: name, Status: status, Detail: detail, Hint: hint}}
}

func checkTerminal(_ context.Context, a *verb.App) []check {
	if verb.Terminal(a.Stdin) && verb.Terminal(a.Stdout) {
		return one("terminal", checkOK, "standard input and output are a terminal", "")
	}
	return one("terminal", checkWarn, "standard input or output is not a terminal", "the grid needs one; the other verbs do not")
}

func checkTerm(_ context.Context, a *verb.App) []check {
	switch t := a.Getenv("TERM"); t {
	case "":
		return one("TERM", checkWarn, "not set", "set TERM to what your terminal is, such as xterm-256color")
	case "dumb":
		return one("TERM", checkWarn, "dumb", "the grid needs a terminal that can place its cursor")
	default:
		return one("TERM", checkOK, t, "")
	}
}

// checkTmux warns if tmux takes the key that is ccdir's.
func checkTmux(ctx context.Context, a *verb.App) []check {
	if a.Getenv("TMUX") == "" {
		return nil
	}
	const usual = "C-b" // of both
	theirs := usual
	if said, err := runs(ctx, a.Env, "tmux", "show-options", "-gv", "prefix"); err == nil {
		theirs = strings.TrimSpace(said)
	}
	ours := usual
	if keys := a.Config().Keys["prefix"]; len(keys) > 0 {
		ours = keys[0]
	}
	if ours != theirs {
		return one("tmux", checkOK, "its prefix is "+theirs+", ccdir's "+ours, "")
	}
	other := "C-a"
	if theirs == other {
		other = usual
	}
	return one("tmux", checkWarn, "its prefix "+theirs+" is ccdir's, too, and has to be pressed twice for ccdir", "`ccdir config set keys.prefix "+other+"` changes ccdir's")
}

func checkLocale(_ context.Context, a *verb.App) []check {
	for _, key := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		v := a.Getenv(key)
		if v == "" {
			continue
		}
		if u := strings.ToUpper(v); strings.Contains(u, "UTF-8") || strings.Contains(u, "UTF8") {
			return one("locale", checkOK, key+"="+v, "")
		}
		return one("locale", checkWarn, key+"="+v+" is not UTF-8", "set LANG=C.UTF-8 or another UTF-8 locale")
	}
	return one("locale", checkWarn, "no locale is set", "set LANG=C.UTF-8 or another UTF-8 locale")
}

// runs returns the first line that a program prints within doctorTimeout.
func runs(ctx context.Context, env []string, path string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = env
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s does not run: %w", path, err)
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return strings.TrimSpace(line), nil
}
