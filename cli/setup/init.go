package setup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/internal/disk/atomicfile"
	"ccdir/mcpserver/project"
)

// projectFile and mcpFile are the files that init writes.
const (
	projectFile = ".ccdir.toml"
	mcpFile     = ".mcp.json"
)

// Init makes the verb `init`.
func Init(a *verb.App) *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use:   "init [--yes] [DIR]",
		Short: "Write a project's .ccdir.toml, and offer an entry in its .mcp.json",
		Long: `Look at the project in DIR (or the current directory) and write .ccdir.toml: the
commands that compile, test, lint, type_check and format will use there, as
comments to change. Then offer to add ccdir's tools to .mcp.json, for agents that
are started outside of ccdir. Neither file is overwritten: .ccdir.toml stays if it
is there, and .mcp.json only gets an entry.`,
		Example: `  ccdir init
  ccdir init --yes ~/src/api`,
		Args: verb.AtMostOne,
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := a.FromHere(strings.Join(args, ""), "an absolute DIR")
			if err != nil {
				return err
			}
			return initProject(a, dir, yes)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "write .mcp.json without asking")
	return cmd
}

func initProject(a *verb.App, dir string, yes bool) error {
	p, err := project.Detect(dir)
	if err != nil {
		return err
	}
	if err := writeProject(a, p); err != nil {
		return err
	}
	file := filepath.Join(dir, mcpFile)
	merged, has, err := addServer(file, a.Exe)
	switch {
	case err != nil:
		return err
	case has:
		a.Tell("%s has an entry %q already", file, api.MCPServer)
		return nil
	}
	if !yes && (!verb.Terminal(a.Stdin) || a.Confirm("add ccdir's tools to "+a.Safe("%s", file)+"?") != nil) {
		a.Tell("%s was left alone: --yes writes it, `ccdir mcp --print-config` prints the entry", file)
		return nil
	}
	if err := replace(file, merged); err != nil {
		return fmt.Errorf("cannot write %s: %w", file, err)
	}
	_, err = fmt.Fprintln(a.Out, "wrote", file)
	return err
}

// writeProject writes .ccdir.toml, unless there is one.
func writeProject(a *verb.App, p *project.Project) error {
	file := filepath.Join(p.Dir, projectFile)
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		a.Tell("%s is there already and stays as it is", file)
		return nil
	}
	if err == nil {
		_, err = f.WriteString(projectText(p))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", file, err)
	}
	_, err = fmt.Fprintln(a.Out, "wrote", file)
	return err
}

// projectText returns the content of projectFile: comments only.
func projectText(p *project.Project) string {
	var b strings.Builder
	b.WriteString("# How ccdir's tools compile, test and check this project.\n")
	if len(p.Kinds) > 0 {
		fmt.Fprintf(&b, "# Detected: %s.", strings.Join(p.Kinds, ", "))
	} else {
		b.WriteString("# No known build system was detected.")
	}
	b.WriteString(` What follows is what is done without
# this file; remove the # of a table to change it. run is the program with its
# arguments (no shell). decoder makes diagnostics of the output; patterns (regular
# expressions with the groups file, line, column, severity, code, message) or
# errorformat (as Vim has it) decode the output of any other tool.
`)
	for _, action := range append(append([]string{}, project.Actions...), "format_check") {
		c, err := command(p, action)
		if c.Listing {
			continue // that its output names files is not to be said in the file
		}
		fmt.Fprintf(&b, "\n# [commands.%s]\n", action)
		if err != nil {
			b.WriteString("# run = [\"PROGRAM\", \"ARGUMENT\"]\n")
			continue
		}
		fmt.Fprintf(&b, "# run = %s\n", tomlList(c.Argv))
		if c.Decoder != "" {
			fmt.Fprintf(&b, "# decoder = %q\n", c.Decoder)
		}
		if len(c.Reports) > 0 {
			fmt.Fprintf(&b, "# reports = %s\n", tomlList(c.Reports))
		}
		for _, next := range c.Then {
			fmt.Fprintf(&b, "# # then: %s\n", strings.Join(next.Argv, " "))
		}
	}
	return b.String()
}

func command(p *project.Project, action string) (project.Command, error) {
	if action == "format_check" {
		return p.Command(project.Format, project.TestOptions{}, false)
	}
	return p.Command(action, project.TestOptions{}, true)
}

// tomlList formats a TOML array, whose basic strings have the syntax of JSON's.
func tomlList(list []string) string {
	parts := make([]string, 0, len(list))
	for _, s := range list {
		data, _ := json.Marshal(s) // cannot fail
		parts = append(parts, string(data))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// addServer returns the content of .mcp.json with our entry; has: the entry was there.
func addServer(file, exe string) (merged []byte, has bool, err error) {
	doc, servers := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &doc)
		if err == nil && len(doc["mcpServers"]) > 0 {
			err = json.Unmarshal(doc["mcpServers"], &servers)
		}
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("%s cannot be read and was left alone: %w", file, err)
	}
	if doc == nil { // null
		doc = map[string]json.RawMessage{}
	}
	if _, has := servers[api.MCPServer]; has {
		return nil, true, nil
	}
	if servers == nil {
		servers = map[string]json.RawMessage{}
	}
	if servers[api.MCPServer], err = json.Marshal(mcpEntry(exe)); err != nil {
		return nil, false, err
	}
	if doc["mcpServers"], err = json.Marshal(servers); err != nil {
		return nil, false, err
	}
	merged, err = json.MarshalIndent(doc, "", "  ")
	return append(merged, '\n'), false, err
}

// replace replaces a file, which keeps its mode.
func replace(file string, data []byte) error {
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	return atomicfile.WriteMode(file, data, mode)
}
