// Package policy has the verbs that answer requests, read the ledger, and show and change what
// sessions may do.
package policy

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/policy"
	"ccdir/policy/enforce"
	policyfile "ccdir/policy/file"
)

// Policy makes the verb `policy`.
func Policy(a *verb.App) *cobra.Command {
	return verb.Family(&cobra.Command{
		Use:   "policy check|explain|init",
		Short: "Check, try and start the policy of what agents may do",
		Long: `The policy says what agents may do: policy.toml next to config.toml, and
.ccdir/policy.toml of a project, which can only narrow it. These verbs need no
daemon. Without a policy file ccdir changes no decision of an agent.`,
		Example: `  ccdir policy init
  ccdir policy check
  ccdir policy explain --role dev Bash 'git push origin main'
  ccdir policy explain --role dev --json Edit '{"file_path":"src/a.go"}'`,
	}, newPolicyCheck(a), newPolicyExplain(a), newPolicyInit(a))
}

// policyFile returns the path of the user's policy.
func policyFile(a *verb.App) (string, error) {
	p, err := a.Paths()
	if err != nil {
		return "", err
	}
	return p.PolicyFile(), nil
}

// policyOptions returns the policy files that hold in a directory.
func policyOptions(a *verb.App, dir string) (policyfile.Options, error) {
	p, err := a.Paths()
	if err != nil {
		return policyfile.Options{}, err
	}
	home := a.Getenv("HOME")
	protect, trees := p.Protected()
	return policyfile.Options{User: p.PolicyFile(), Project: policyfile.FindProject(dir, home), Home: home, UID: a.UID, Protect: protect, Trees: trees}, nil
}

// checkedFile is the report on one policy file.
type checkedFile struct {
	File        string              `json:"file"`
	Fingerprint string              `json:"fingerprint,omitempty"`
	Roles       []string            `json:"roles"`
	Problems    policyfile.Problems `json:"problems"`
}

func newPolicyCheck(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check [FILE] [--json]",
		Short: "Check policy files; fails if something is wrong",
		Long: `Check FILE, or without it the user's policy and that of the project around the
working directory. Every error is printed as file:line:column: message. The
fingerprint is what [trust] of the user's policy takes for a project's file.`,
		Example: `  ccdir policy check
  ccdir policy check .ccdir/policy.toml`,
		Args: verb.AtMostOne,
		RunE: func(_ *cobra.Command, args []string) error {
			var files []string
			if len(args) == 1 {
				files = []string{verb.Absolute(a.Dir, args[0])}
			} else {
				o, err := policyOptions(a, a.Dir)
				if err != nil {
					return err
				}
				files = []string{o.User}
				if o.Project != "" {
					files = append(files, filepath.Join(o.Project, policyfile.ProjectFile))
				}
			}
			return checkPolicies(a, files, len(args) == 1)
		},
	}
	a.JSONFlag(cmd, "print the result as JSON")
	return cmd
}

// checkPolicies reports on files. A missing file is an error only if it was named.
func checkPolicies(a *verb.App, files []string, named bool) error {
	checked := []checkedFile{}
	bad := 0
	for _, file := range files {
		c := checkedFile{File: file, Roles: []string{}, Problems: policyfile.Problems{}}
		data, err := policyfile.ReadFile(file, a.UID)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !named:
			if !a.JSON {
				fmt.Fprintln(a.Out, verb.Plain("no such file, which is fine: " + file)[0].Text)
			}
			continue
		case err != nil:
			c.Problems = policyfile.Problems{{File: file, Message: err.Error()}}
		default:
			c.Fingerprint = policyfile.Fingerprint(data)
			p, err := policyfile.Parse(data, file)
			if err != nil && !errors.As(err, &c.Problems) {
				return err
			}
			if err == nil {
				c.Roles = append(c.Roles, p.Roles()...)
			}
		}
		bad += len(c.Problems)
		checked = append(checked, c)
	}
	if a.JSON {
		if err := a.PrintJSON(checked); err != nil {
			return err
		}
	} else {
		printChecked(a, checked)
	}
	if bad > 0 {
		return fmt.Errorf("%d problem(s) in the policy: the last good one stays in force; correct them and run `ccdir policy check` again", bad)
	}
	return nil
}

func printChecked(a *verb.App, checked []checkedFile) {
	for _, c := range checked {
		for _, p := range c.Problems {
			fmt.Fprintln(a.Out, verb.Plain(p.Error())[0].Text)
		}
		if len(c.Problems) == 0 {
			roles := "no roles"
			if len(c.Roles) > 0 {
				roles = "roles " + strings.Join(c.Roles, ", ")
			}
			fmt.Fprintln(a.Out, verb.Plain(fmt.Sprintf("ok: %s (%s; %s)", c.File, roles, c.Fingerprint))[0].Text)
		}
	}
}

func newPolicyExplain(a *verb.App) *cobra.Command {
	var role, session, file string
	var facts policy.Facts
	cmd := &cobra.Command{
		Use:   "explain --role ROLE | --session NAME [--policy FILE] [--json] TOOL INPUT",
		Short: "Say what would be decided about a use of a tool, and why",
		Long: `Decide as if a session of ROLE in the working directory used TOOL with INPUT: its
JSON input, or a bare command, path or address. TOOL is a word of the policy or an
agent's own. The decision is allow, deny, ask,
or none: then the agent's own permission mode decides. Nothing is run. With
--session the role, the directory and the agent are those of SESSION; the rules
that approvals gave it and its override are in ` + "`ccdir rules SESSION`" + `.`,
		Example: `  ccdir policy explain --role dev Bash 'git push origin main'
  ccdir policy explain --session api Bash 'git push origin main'
  ccdir policy explain --role dev --policy ./policy.toml --json Read '{"file_path":".env"}'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return errors.New("expected TOOL and INPUT")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := a.Dir
			switch {
			case role != "" && session != "":
				return verb.Usagef(cmd, "--role and --session exclude one another")
			case role == "" && session == "":
				return verb.Usagef(cmd, "missing --role, such as --role dev, or --session SESSION")
			case session != "":
				v, err := sessionOf(cmd.Context(), a, session)
				if err != nil {
					return err
				}
				role, dir = cmp.Or(v.Role, policy.RoleDev), v.CWD
				facts.Agent = cmp.Or(facts.Agent, v.Agent)
				if v.Unguarded != "" && !v.State.Ended() {
					a.Tell("what follows does not hold for %s now: %s", v.Name, v.Unguarded)
				}
			}
			p, err := policyFor(a, file, dir)
			if err != nil {
				return err
			}
			if !p.HasRole(role) {
				has := append(p.Roles(), policy.RoleDev, policy.RoleLead, policy.RolePerson)
				slices.Sort(has)
				return fmt.Errorf("the policy has no role %q; it has %s (sessions in others have the rules of dev)", role, strings.Join(slices.Compact(has), ", "))
			}
			tool, input, sub, err := explained(facts.Agent, args[0], args[1])
			if err != nil {
				return verb.Usagef(cmd, "%s", err)
			}
			if facts.Branch == "" {
				facts.Branch = enforce.Branch(dir)
			}
			facts.Now = time.Now()
			d := p.Decide(policy.Request{Role: role, Tool: tool, Input: input, Root: dir, Cwd: verb.Absolute(dir, sub), Home: a.Getenv("HOME"), Settings: adapters.SettingsIn(a.Getenv), Facts: facts})
			if adapter, _ := adapters.Lookup(facts.Agent); d.Decision == policy.Ask {
				if part, ok := adapter.(agents.PartAsker); ok && !part.AsksAbout(tool) {
					a.Tell("%s cannot ask about this tool: it is told to refuse the call", facts.Agent)
				}
			}
			return printDecision(a, d)
		},
	}
	cmd.Flags().StringVar(&role, "role", "", "`ROLE` of the session: dev, lead, person, or one of the policy")
	cmd.Flags().StringVar(&session, "session", "", "decide as for `SESSION`")
	verb.RefFlag(cmd, "session")
	cmd.Flags().StringVar(&file, "policy", "", "decide by this `FILE` alone")
	cmd.Flags().StringVar(&facts.Branch, "branch", "", "git `BRANCH` for conditions (default: the one checked out)")
	cmd.Flags().StringVar(&facts.Agent, "agent", "", "`AGENT` for conditions")
	cmd.Flags().StringSliceVar(&facts.Labels, "label", nil, "`LABEL` of the task for conditions; may be repeated")
	cmd.Flags().Float64Var(&facts.Cost, "cost", 0, "cost so far for conditions, in `USD`")
	_ = cmd.RegisterFlagCompletionFunc("session", a.CompleteSession)
	a.JSONFlag(cmd, "print the decision as JSON")
	return cmd
}

// explained is a call in ccdir's words, and the directory that it names: of the tool of an
// agent, or of any if agent is "", or in ccdir's words already.
func explained(agent, tool, text string) (name string, input json.RawMessage, dir string, err error) {
	if json.Valid([]byte(text)) {
		if tool, input, dir = adapters.Call(agent, tool, json.RawMessage(text)); policy.Knows(tool) {
			return tool, input, dir, nil
		}
	}
	name = policy.Word(tool)
	input, err = policy.InputOf(name, text)
	return name, input, "", err
}

// sessionOf asks for a session.
func sessionOf(ctx context.Context, a *verb.App, ref string) (api.Session, error) {
	c, err := a.Connect(ctx)
	if err != nil {
		return api.Session{}, err
	}
	return c.Session(ctx, ref)
}

// policyFor loads one file, or those that hold in a directory.
func policyFor(a *verb.App, file, dir string) (*policy.Policy, error) {
	if file != "" {
		file = verb.Absolute(a.Dir, file)
		if _, err := os.Stat(file); err != nil {
			return nil, fmt.Errorf("cannot read the policy of --policy: %w", err)
		}
	}
	o, err := policyOptions(a, dir)
	if err != nil {
		return nil, err
	}
	if file != "" {
		o.User, o.Project = file, ""
	}
	return policyfile.Load(o)
}

func printDecision(a *verb.App, d policy.Decision) error {
	if a.JSON {
		return a.PrintJSON(d)
	}
	where := ""
	if d.File != "" {
		where = fmt.Sprintf("%s:%d", a.ShortPath(d.File), d.Line)
	}
	t := verb.Table{}
	t.Row(verb.Plain("decision", string(d.Decision))...)
	t.Row(verb.Plain("rule", verb.OrNone(d.Rule))...)
	t.Row(verb.Plain("at", verb.OrNone(where))...)
	t.Row(verb.Plain("reason", d.Reason)...)
	return t.Write(a.Out, a.Colours())
}

func newPolicyInit(a *verb.App) *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Write a commented policy to start from",
		Long: `Write policy.toml next to config.toml: reading inside the project is allowed,
commands that destroy or reach out ask. A file that exists is left alone.`,
		Example: `  ccdir policy init`,
		Args:    verb.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			file, err := policyFile(a)
			if err != nil {
				return err
			}
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				return err
			}
			f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("%s exists: edit it, or move it away first", file)
			}
			if err != nil {
				return err
			}
			_, err = f.WriteString(policyfile.Starter)
			if err = errors.Join(err, f.Close()); err != nil {
				return err
			}
			_, err = fmt.Fprintln(a.Out, file)
			return err
		},
	}
}
