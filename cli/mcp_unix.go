//go:build unix

package cli

import (
	"fmt"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"ccdir/agents"
	"ccdir/api"
)

func newMCPCmd(a *app) *cobra.Command {
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
		Args:              noArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if show {
				return a.printJSON(map[string]any{"mcpServers": map[string]any{api.MCPServer: mcpEntry(a.Exe)}})
			}
			shim, err := a.shim(cmd.Context())
			if err != nil {
				return err
			}
			env := a.Env
			if a.getenv(api.EnvSocket) == "" {
				c, err := a.connect(cmd.Context()) // starts the daemon if none runs
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
