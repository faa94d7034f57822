// Ccdir-bench measures ccdir beside tmux and a bare PTY in one run, on the same
// work, interleaved, so that the ratios hold on a noisy machine. It plays the
// outer terminal: each system's client runs in a PTY whose other end is here.
//
//	ccdir-bench all     everything, in one table of medians and ratios (make bench)
//	ccdir-bench echo    a key press until its echo is written to the outer terminal, and the bytes of it
//	ccdir-bench output  bytes of an Ink repaint, throughput of a flood, time to attach
//	ccdir-bench link    a key's echo beside a flood over a slow line
//	ccdir-bench hooks   a hook process until its state is visible, events accepted a second, the process by itself
//	ccdir-bench attach  what attaching to full panes costs, also beside another build (-than DIR)
//	ccdir-bench nodes   another machine over ssh: echo at three delays, floods, a killed ssh, a stalled line (needs sshd)
//	ccdir-bench panes   CPU, wake-ups, memory and bytes with many panes, idle and with a spinner in each
//
// It runs on Linux (it reads /proc) and needs tmux, except for hooks.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// manyCols and manyRows are the terminal's size where 16 panes are measured: each of them has the
// 80x25 cells below which the grid shows a session as a row of text.
const manyCols, manyRows = 370, 112

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "ccdir-bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("which benchmark? all, echo, output, attach, link, panes or hooks")
	}
	if args[0] == "load" { // what a measured pane runs
		return runLoad(args[1:])
	}
	fs := flag.NewFlagSet(args[0], flag.ExitOnError)
	opts := options{cols: 120, rows: 40}
	fs.StringVar(&opts.bin, "bin", "bin", "directory of ccdir and ccdir-shim")
	fs.IntVar(&opts.rounds, "rounds", 5, "rounds; the systems take turns within each")
	fs.IntVar(&opts.keys, "keys", 200, "keys per round and system (echo)")
	fs.IntVar(&opts.panes, "panes", 16, "panes (panes), or noisy panes beside the measured one (echo)")
	fs.IntVar(&opts.seconds, "seconds", 5, "seconds per round, system and load (panes), or per line (hooks)")
	fs.IntVar(&opts.hookSessions, "sessions", 32, "sessions that fire (hooks)")
	fs.IntVar(&opts.busy, "busy", 0, "only hooks that decide, beside so many busy loops (hooks)")
	fs.IntVar(&opts.busyHooks, "busy-hooks", 200, "how many of them, for 50 s at most (hooks)")
	fs.IntVar(&opts.events, "events", 30_000, "events posted to the listener (hooks)")
	fs.IntVar(&opts.conns, "conns", 64, "connections that post them (hooks)")
	fs.BoolVar(&opts.quick, "quick", false, "in less than a minute, and fail if a ratio is 3 times the recorded one (all)")
	fs.BoolVar(&opts.json, "json", false, "print one JSON document (all)")
	fs.StringVar(&opts.only, "only", "", "parts to measure, separated by commas: echo, noisy, throughput, bytes, panes, memory, attach, link, daemon (all); alone, noisy, agents, logs (echo)")
	fs.StringVar(&opts.than, "than", "", "directories of other builds, separated by commas, measured in turn with -bin (attach, echo)")
	if err := fs.Parse(args[1:]); err != nil {
		return err
	}
	if opts.quick {
		opts.rounds, opts.keys, opts.seconds = min(opts.rounds, 2), min(opts.keys, 75), min(opts.seconds, 1)
	}
	bin, err := filepath.Abs(opts.bin)
	if err != nil {
		return err
	}
	opts.bin = bin
	if args[0] != "all" {
		printMachine(os.Stdout)
	}
	switch args[0] {
	case "all":
		return benchAll(ctx, opts)
	case "echo":
		return benchEcho(ctx, opts)
	case "output":
		return benchOutput(ctx, opts)
	case "attach":
		return benchAttach(ctx, opts)
	case "link":
		return benchLink(ctx, opts)
	case "panes":
		return benchPanes(ctx, opts)
	case "hooks":
		return benchHooks(ctx, opts)
	case "nodes":
		return benchNodes(ctx, opts)
	}
	return fmt.Errorf("no benchmark %q: all, echo, output, attach, link, panes, hooks or nodes", args[0])
}

// options are the flags of every benchmark.
type options struct {
	bin                          string
	rounds, keys, panes, seconds int
	cols, rows                   int
	busy, busyHooks              int
	hookSessions, events, conns  int
	// history is the scrollback of tmux's panes in lines, 0 its own; ccdir's is
	// 10,000.
	history int
	// settle is the time between the start of the panes and the measurement; 0 is two
	// seconds.
	settle time.Duration
	// fullWidth: a single pane has all columns, as in tmux, without a sidebar.
	fullWidth bool

	quick, json bool
	only, than  string
}
