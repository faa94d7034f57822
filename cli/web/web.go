// Package web has the verbs of the page.
package web

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/tui/widget/format"
)

// Web makes the verb `web` and those below it.
func Web(a *verb.App) *cobra.Command {
	var open bool
	cmd := &cobra.Command{
		Use:   "web [--open] [--json]",
		Short: "The page: sessions and approvals in a browser, also on the phone",
		Long: `Turn the page on, and print its address. It stays on, also after a restart of the
daemon, until ` + "`ccdir web off`" + `. It listens on this machine only, unless config.toml
says otherwise ([web]; an address that others reach needs TLS).

A browser needs to be paired once (` + "`ccdir web pair`" + `): it then has a key of its own,
with the rights that you gave it. Processes inside sessions get nothing from the
page, whatever they know. docs/web.md says how to reach it from a phone.`,
		Example: `  ccdir web --open
  ccdir web pair --rights type
  ccdir web devices`,
		Args:              verb.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, _ []string) error {
			state, err := c.SetWeb(ctx, true)
			if err != nil {
				return err
			}
			if err := a.Output(state, func() error { _, err := fmt.Fprintln(a.Out, state.URL); return err }); err != nil {
				return err
			}
			if open {
				return openPage(ctx, a, c)
			}
			if state.Devices == 0 && !a.JSON {
				a.Tell("note: no browser is paired yet: `ccdir web pair`")
			}
			return nil
		}),
	}
	cmd.Flags().BoolVar(&open, "open", false, "open it in this machine's browser, with a code by which that is paired (rights type)")
	a.JSONFlag(cmd, "print the state as JSON")
	cmd.AddCommand(off(a), pair(a), list(a), revoke(a))
	return cmd
}

// openPage opens the page in the person's browser.
func openPage(ctx context.Context, a *verb.App, c *client.Client) error {
	program := ""
	switch {
	case runtime.GOOS == "darwin":
		program = "open"
	case a.Getenv("DISPLAY")+a.Getenv("WAYLAND_DISPLAY") != "":
		program = "xdg-open"
	}
	if a.Getenv("SSH_CONNECTION") != "" || program == "" {
		return errors.New("no browser is in front of you here: `ccdir web pair` shows an address to open elsewhere (docs/web.md)")
	}
	code, err := c.WebCode(ctx, api.WebType)
	if err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, program, code.URL).CombinedOutput(); err != nil {
		return fmt.Errorf("%s could not open the page: %w: %s", program, err, strings.TrimSpace(string(out)))
	}
	return nil
}

func off(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "off [--json]",
		Short: "Turn the page off",
		Long: `Turn the page off: open pages end, nothing listens any more. Devices stay paired, for
when it is turned on again.`,
		Example:           `  ccdir web off`,
		Args:              verb.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, _ []string) error {
			state, err := c.SetWeb(ctx, false)
			if err != nil {
				return err
			}
			return a.Output(state, func() error { return nil })
		}),
	}
	a.JSONFlag(cmd, "print the state as JSON")
	return cmd
}

func pair(a *verb.App) *cobra.Command {
	var rights string
	names := make([]string, 0, len(api.AllWebRights()))
	for _, r := range api.AllWebRights() {
		names = append(names, string(r))
	}
	cmd := &cobra.Command{
		Use:   "pair [--rights RIGHTS] [--json]",
		Short: "Pair a browser with the page",
		Long: `Make a code by which one browser can pair with the page, within a minute, and show its
address, as a picture for a phone's camera too. The code is in the address's fragment,
which a browser does not send. Five wrong codes end it.

RIGHTS are see (look), approve (and answer requests; the default) or type (and give
prompts, end and restart sessions).`,
		Example: `  ccdir web pair
  ccdir web pair --rights see --json`,
		Args:              verb.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(names, rights) {
				return verb.Usagef(cmd, "--rights is one of %s, not %q", strings.Join(names, ", "), rights)
			}
			return a.Connected(func(ctx context.Context, c *client.Client, _ []string) error {
				code, err := c.WebCode(ctx, api.WebRights(rights))
				if err != nil {
					return err
				}
				return a.Output(code, func() error { return showCode(a, code) })
			})(cmd, args)
		},
	}
	cmd.Flags().StringVar(&rights, "rights", string(api.WebApprove), "what the browser may do: `RIGHTS` is "+strings.Join(names, ", "))
	_ = cmd.RegisterFlagCompletionFunc("rights", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	a.JSONFlag(cmd, "print address, code, rights and time as JSON")
	return cmd
}

// showCode prints the picture, the address and the code.
func showCode(a *verb.App, code api.WebCode) error {
	if a.Unicode() {
		if picture, err := picture(code.URL, a.Colours()); err == nil { // too long a name: the address is there
			fmt.Fprint(a.Out, picture)
		}
	}
	fmt.Fprintf(a.Out, "%s\ncode %s, may %s, until %s\n", code.URL, code.Code, code.Rights, code.ExpiresAt.Local().Format("15:04:05"))
	if strings.HasPrefix(code.URL, "http://") {
		a.Tell("note: this address is of this machine alone; docs/web.md says how a phone reaches it")
	}
	return nil
}

func list(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "devices [--json]",
		Short:             "List the browsers that are paired",
		Example:           `  ccdir web devices --json | jq -r '.[].name'`,
		Args:              verb.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, _ []string) error {
			devices, err := c.WebDevices(ctx)
			if err != nil {
				return err
			}
			return verb.PrintList(a, devices, false, func(d api.WebDevice) string { return d.ID }, func() error {
				if len(devices) == 0 {
					a.Tell("no browser is paired: `ccdir web pair`")
					return nil
				}
				t := verb.Table{}
				t.Row(verb.Plain("ID", "NAME", "MAY", "PAIRED", "LAST SEEN")...)
				now := time.Now()
				for _, d := range devices {
					t.Row(verb.Plain(d.ID, a.Safe("%s", d.Name), string(d.Rights), format.Age(now, d.Created), format.Age(now, d.LastSeen))...)
				}
				return t.Write(a.Out, a.Colours())
			})
		}),
	}
	a.JSONFlag(cmd, "print the devices as JSON")
	return cmd
}

func revoke(a *verb.App) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke DEVICE",
		Short: "Forget a browser: its pages end at once",
		Long: `Forget a browser by its id, the beginning of one, or its name. Its open pages end at
once, and it needs to be paired again.`,
		Example: `  ccdir web revoke "Chrome on Android"`,
		Args:    verb.Exactly(1, "DEVICE"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return completeDevice(cmd.Context(), a, args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
			gone, err := c.RevokeDevice(ctx, args[0])
			if err != nil {
				return err
			}
			a.Tell("%s (%s) is not paired any more", gone.Name, gone.ID)
			return nil
		}),
	}
}

// completeDevice lists the devices, if the daemon runs.
func completeDevice(ctx context.Context, a *verb.App, args []string) (out []string) {
	ctx, cancel := context.WithTimeout(ctx, verb.CompleteTimeout)
	defer cancel()
	c, err := a.NewClient("cli")
	if err != nil || len(args) > 0 {
		return nil
	}
	devices, _ := c.WebDevices(ctx) // none, if no daemon runs
	for _, d := range devices {
		out = append(out, cobra.CompletionWithDesc(d.ID, a.Safe("%s", d.Name)))
	}
	return out
}
