// Ccdir-man writes the manual pages of ccdir, one per verb, from the verbs' help:
//
//	ccdir-man DIR
//
// It is a tool of the repository (`make install` runs it) and is not installed.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ccdir/cli"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: ccdir-man DIR")
		os.Exit(2)
	}
	if err := write(cli.Verbs(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "ccdir-man:", err)
		os.Exit(1)
	}
}

// write writes the pages of cmd and all verbs below it to dir, which it makes. Pages that
// an earlier version wrote there and this one has not are removed.
func write(cmd *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(dir, "ccdir*.1"))
	if err != nil {
		return err
	}
	for _, name := range old {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	return each(cmd, func(cmd *cobra.Command) error {
		return os.WriteFile(filepath.Join(dir, name(cmd)+".1"), []byte(page(cmd)), 0o600)
	})
}

// each calls do for cmd and all verbs below it that the help shows.
func each(cmd *cobra.Command, do func(*cobra.Command) error) error {
	if err := do(cmd); err != nil {
		return err
	}
	for _, sub := range shown(cmd) {
		if err := each(sub, do); err != nil {
			return err
		}
	}
	return nil
}

// shown returns the verbs right below cmd that the help shows.
func shown(cmd *cobra.Command) (list []*cobra.Command) {
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			list = append(list, sub)
		}
	}
	return list
}

// name is the name of a verb's page: ccdir-task-add.
func name(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }
