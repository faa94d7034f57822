package policy

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
)

// Role makes the verb `role`.
func Role(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:         "role SESSION [ROLE] [--json]",
		Annotations: verb.FirstRef(),
		Short:       "Show or change a session's role",
		Long: `Show or change the role of a session: which rules of the policy hold for it, and
which tools it has. A change holds from its next use of a tool on.`,
		Example:           "  ccdir role api\n  ccdir role api lead",
		Args:              verb.Between(1, 2, "SESSION, and the new ROLE"),
		ValidArgsFunction: a.CompleteSession,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
			if len(args) == 2 {
				_, err := c.SetRole(ctx, args[0], args[1])
				return err
			}
			p, err := c.SessionPolicy(ctx, args[0])
			if err != nil {
				return err
			}
			return a.Output(p, func() error {
				_, err := fmt.Fprintln(a.Out, p.Role)
				return err
			})
		}),
	}
	a.JSONFlag(cmd, "print the role and what else holds for the session as JSON")
	return cmd
}

// Override makes the verb `override`.
func Override(a *verb.App) *cobra.Command {
	span := api.DefaultOverride
	cmd := &cobra.Command{
		Use:         "override SESSION MODE|end [--for TIME]",
		Annotations: verb.FirstRef(),
		Short:       "Relax or tighten the policy for one session, for a while",
		Long: `Say how the policy is to take one session until the time is over. Deny rules hold
in every mode.

  allow-reads      allow reading files where no rule is about it
  accept-edits     the same, and editing inside the project
  ask-everything   ask about every use of a tool
  hands-off        leave everything to the agent's own permission mode
  end              the policy as it is written`,
		Example:           "  ccdir override api accept-edits --for 1h\n  ccdir override api end",
		Args:              verb.Exactly(2, "SESSION and MODE"),
		ValidArgsFunction: a.CompleteSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			o := api.SetOverride{Mode: api.OverrideMode(args[1]), Seconds: int(span / time.Second)}
			if args[1] == "end" {
				o = api.SetOverride{}
			} else if !slices.Contains(api.OverrideModes(), o.Mode) {
				return verb.Usagef(cmd, "no mode is called %q: there are %v, and end", args[1], api.OverrideModes())
			} else if span < time.Second || span > api.MaxOverride {
				return verb.Usagef(cmd, "--for is from 1s to %s", api.MaxOverride)
			}
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			s, err := c.SetOverride(cmd.Context(), args[0], o)
			if err != nil || s.Override == nil {
				return err
			}
			_, err = fmt.Fprintf(a.Out, "%s until %s\n", s.Override.Mode, s.Override.Until.Local().Format(time.TimeOnly))
			return err
		},
	}
	cmd.Flags().DurationVar(&span, "for", span, "`TIME` that it holds")
	return cmd
}

// Rules makes the verb `rules`.
func Rules(a *verb.App) *cobra.Command {
	cmd := verb.ShowVerb(a, &cobra.Command{
		Use:         "rules SESSION [--json] | rules [--json] | rules add … | rules revoke SESSION RULE",
		Annotations: verb.FirstRef(),
		Short:       "List, add and revoke rules of sessions",
		Long: `List what holds for a session besides the policy files: the rules that approvals
gave it. Without SESSION, list roles, overrides and rules of all sessions.`,
		Example: `  ccdir rules
  ccdir rules api
  ccdir rules add api 'Bash(go test *)'
  ccdir rules add --row 1200 --scope project
  ccdir rules revoke api 'Bash(go test *)'`,
		ValidArgsFunction: a.CompleteSession,
	}, "SESSION, or add or revoke", "print what holds for the session as JSON", (*client.Client).SessionPolicy, printRules)
	one := cmd.RunE
	cmd.Args = verb.AtMostOne
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			return one(cmd, args)
		}
		return a.Connected(func(ctx context.Context, c *client.Client, _ []string) error { return allRules(ctx, a, c) })(cmd, args)
	}
	cmd.AddCommand(newRulesAdd(a), newRulesRevoke(a))
	return cmd
}

// namedPolicy is the policy in force for a session, with its name.
type namedPolicy struct {
	Name string `json:"name"`
	api.SessionPolicy
}

// allRules lists what holds for every session.
func allRules(ctx context.Context, a *verb.App, c *client.Client) error {
	list, err := c.Sessions(ctx)
	if err != nil {
		return err
	}
	all := []namedPolicy{}
	for _, s := range list {
		if s.External {
			continue // the policy is not asked about it
		}
		p, err := c.SessionPolicy(ctx, s.ID)
		if api.CodeOf(err) == api.CodeNotFound {
			continue // removed meanwhile
		}
		if err != nil {
			return err
		}
		all = append(all, namedPolicy{s.Name, p})
	}
	return a.Output(all, func() error {
		if len(all) == 0 {
			fmt.Fprintln(a.Stderr, "no sessions: start one with `ccdir new`")
			return nil
		}
		t := verb.Table{}
		t.Row(verb.Plain("SESSION", "ROLE", "HOLDS BESIDES THE POLICY")...)
		for _, p := range all {
			holds := []string{}
			if p.Override != nil {
				holds = append(holds, string(p.Override.Mode)+" until "+p.Override.Until.Local().Format(time.TimeOnly))
			}
			for _, r := range p.Rules {
				holds = append(holds, "allow "+r.Rule)
			}
			t.Row(verb.Plain(p.Name, p.Role, verb.OrNone(strings.Join(holds, ", ")))...)
		}
		return t.WriteWithin(a.Out, a.Colours(), a.Columns())
	})
}

func printRules(a *verb.App, p api.SessionPolicy) error {
	t := verb.Table{}
	t.Row(verb.Plain("role", p.Role)...)
	files := "none: the agent's own permission mode decides"
	if p.InForce {
		var short []string
		for _, f := range p.Files {
			short = append(short, a.ShortPath(f))
		}
		files = strings.Join(short, ", ")
	}
	t.Row(verb.Plain("policy", files)...)
	if p.Error != "" {
		t.Row(verb.Plain("faulty", p.Error)...)
	}
	if p.Override != nil {
		t.Row(verb.Plain("override", string(p.Override.Mode)+" until "+p.Override.Until.Local().Format(time.DateTime))...)
	}
	for _, r := range p.Rules {
		t.Row(verb.Plain("allow", r.Rule+"  (since "+r.At.Local().Format(time.DateTime)+")")...)
	}
	return t.Write(a.Out, a.Colours())
}

func newRulesAdd(a *verb.App) *cobra.Command {
	n := api.NewRule{}
	cmd := &cobra.Command{
		Use:         "add SESSION RULE [--scope SCOPE] [--effect EFFECT] | add --row ROW [--scope SCOPE] [--effect EFFECT]",
		Annotations: verb.FirstRef(),
		Short:       "Write a rule, or make one of a row of the ledger",
		Long: `Write a rule for a session, or into the policy file of its project or of the user,
in the list of the session's role. With --row the rule is the narrowest one about
what that row of ` + "`ccdir decisions`" + ` is about. The file keeps its comments; one that
is faulty is not touched.`,
		Example: `  ccdir rules add api 'Bash(go test *)'
  ccdir rules add --row 1200 --scope project`,
		Args:              verb.Between(0, 2, "SESSION and RULE, or --row ROW"),
		ValidArgsFunction: a.CompleteSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case n.Row > 0 && len(args) == 0:
			case n.Row == 0 && len(args) == 2:
				n.Session, n.Rule = args[0], args[1]
			default:
				return verb.Usagef(cmd, "expected SESSION and RULE, or --row ROW")
			}
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			row, err := c.NewRule(cmd.Context(), n)
			if err != nil {
				return err
			}
			where := "the session"
			if row.Scope != api.ScopeSession {
				where = a.ShortPath(row.File) + ":" + strconv.Itoa(row.Line)
			}
			_, err = fmt.Fprintln(a.Out, verb.Plain(row.Rule + " written to " + where)[0].Text)
			return err
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&n.Scope, "scope", api.ScopeSession, "the `SCOPE`: session, project or user")
	fl.StringVar(&n.Effect, "effect", api.EffectAllow, "the `EFFECT`: allow, ask or deny (for a session only allow)")
	fl.Int64Var(&n.Row, "row", 0, "make the rule of this `ROW` of the ledger")
	return cmd
}

func newRulesRevoke(a *verb.App) *cobra.Command {
	return &cobra.Command{
		Use:               "revoke SESSION RULE",
		Annotations:       verb.FirstRef(),
		Short:             "Take a session's rule back",
		Long:              "Take back a rule that an approval or `ccdir rules add` gave a session. Rules in policy files are edited there.",
		Example:           `  ccdir rules revoke api 'Bash(go test *)'`,
		Args:              verb.Exactly(2, "SESSION and RULE"),
		ValidArgsFunction: a.CompleteSession,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
			return c.RevokeRule(ctx, args[0], args[1])
		}),
	}
}
