//go:build unix

package setup

import (
	"fmt"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/cli/verb"
)

// MCP makes the verb `mcp`.
func MCP(a *verb.App) *cobra.Command {
	show := false
	cmd := &cobra.Command{
		Use:   "mcp [--print-config]",
		Short: "Serve ccdir's tools to an agent on standard input and output",
		Long: `Join an agent's MCP client on standard input and output to the daemon, which
serves tools that compile, test, search and edit. Sessions of ccdir get them by
themselves, with tools for working together; an agent that was started elsewhere
is a guest: it has the tools for projects and files in its own directory.

With --print-config it prints the entry for the configuration of such an agent
(.mcp.json of Claude Code, for example; ` + "`ccdir init`" + ` can write that).`,
		Example: `  ccdir mcp --print-config
  claude mcp add ccdir -- ccdir mcp`,
		Args:              verb.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if show {
				return a.PrintJSON(map[string]any{"mcpServers": map[string]any{api.MCPServer: mcpEntry(a.Exe)}})
			}
			shim, err := a.Shim(cmd.Context())
			if err != nil {
				return err
			}
			env := a.Env
			if a.Getenv(api.EnvSocket) == "" {
				c, err := a.Connect(cmd.Context()) // starts the daemon if none runs
				if err != nil {
					return err
				}
				env = agents.SetEnv(env, api.EnvSocket+"="+c.Paths().Socket())
			}
			if err := unix.Exec(shim, []string{shim, "mcp"}, env); err != nil {
				return fmt.Errorf("cannot start %s: %w", shim, err)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&show, "print-config", false, "print the entry for an agent's configuration, as JSON")
	return cmd
}

// mcpEntry returns the entry by which an agent starts `ccdir mcp`. It has the program's
// path, because agents run with another PATH than shells.
func mcpEntry(exe string) map[string]any {
	return map[string]any{"type": "stdio", "command": exe, "args": []string{"mcp"}}
}
