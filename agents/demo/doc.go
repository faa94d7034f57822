// Package demo is a fake agent CLI: its screen and hooks look like the real ones, but it does
// no work. It ships as the agent "demo" (a hidden verb of the shim) for tours and pictures,
// and tests script it.
//
// It draws as Ink programs do (finished lines once, the rest repainted by moving up and
// erasing lines), sends the terminal the queries that Claude Code sends, reports its state by
// OSC 7501 if the terminal answers, and calls the real hook commands: `SHIM hook NAME` with
// payloads of Claude Code's shape. As with Claude Code no hook reports Esc at a dialog, "No",
// or an interrupted turn.
//
// One goroutine (App.run) owns all state; the turn, the reader of the input and the hooks are
// goroutines that communicate with it by channels. It starts and ends them.
package demo

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// options are the command line's flags.
type options struct {
	name       string
	sessionID  string
	prompt     string
	scene      string
	script     string
	delay      time.Duration
	startDelay time.Duration
	alt        bool
	ignoreHUP  bool
	noPSP      bool
	noHooks    bool
	print      bool
	shim       string
	// hookTimeout is the least time that every hook has; 0: those of Claude Code.
	hookTimeout time.Duration
}

// usage is printed for -h.
const usage = `usage: ccdir-shim demo-agent [flags] [PROMPT]

A fake agent. What it does with a prompt, line by line:

  say TEXT            answer with TEXT
  think DURATION      work for that long
  await FILE          work until FILE exists
  tool NAME INPUT     run a tool that needs no permission
  permit NAME INPUT   ask for permission first; ExitPlanMode A | B: for a plan of these lines
  ask TEXT | A | B    ask a question with choices
  use N MODEL         give an answer of N tokens, as that model
  cost USD            report by its status line that all has cost so much
  flood N             print N lines as fast as possible
  spin [DURATION]     work with a spinner, for ever without DURATION
  background DURATION end the turn and report again after DURATION
  fail TEXT           end the turn as an API error does
  crash [CODE]        exit at once
  exit                leave

Any other text gets an answer that repeats it.

`

// Main runs the agent until it exits and returns its exit code: 0 after its own exit,
// 129 or 143 after HUP or TERM, 2 for a wrong command line.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string) int {
	o, code := parse(args, stderr)
	if o == nil {
		return code
	}
	if o.print {
		return printMain(*o, stdin, stdout, stderr, environ)
	}
	prompts, err := o.firstPrompts()
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "demo-agent:", err)
		return 2
	}
	app, err := newApp(*o, stdin, stdout, environ)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "demo-agent:", err)
		return 1
	}
	return app.run(context.Background(), prompts)
}

func parse(args []string, stderr io.Writer) (*options, int) {
	o := options{}
	fs := flag.NewFlagSet("demo-agent", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() {
		_, _ = io.WriteString(stderr, usage)
		fs.PrintDefaults()
	}
	fs.StringVar(&o.name, "name", "demo", "the name in the title")
	fs.StringVar(&o.sessionID, "session-id", "", "the conversation's id")
	fs.StringVar(&o.scene, "scene", "", "play a built-in script: "+strings.Join(sceneNames(), ", "))
	fs.StringVar(&o.script, "script", "", "play a script: a `FILE` with prompts, blocks of lines apart from each other by blank ones; a first line \"> TEXT\" is the prompt shown")
	fs.DurationVar(&o.delay, "delay", 400*time.Millisecond, "how long a step of work takes")
	fs.DurationVar(&o.startDelay, "start-delay", 0, "how long the start takes")
	fs.BoolVar(&o.alt, "alt", false, "use the alternate screen and the mouse")
	fs.BoolVar(&o.ignoreHUP, "ignore-hup", false, "go on after HUP and TERM")
	fs.BoolVar(&o.noPSP, "no-psp", false, "don't report the state by OSC 7501")
	fs.BoolVar(&o.noHooks, "no-hooks", false, "call no hooks")
	fs.BoolVar(&o.print, "print", false, "read one prompt from standard input, print a result as JSON and leave")
	fs.DurationVar(&o.hookTimeout, "hook-timeout", 0, "how long a hook may take at least")
	fs.StringVar(&o.shim, "shim", "", "the executable that runs hooks (default: this one)")
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil, 0
	case err != nil:
		return nil, 2
	}
	o.prompt = strings.Join(fs.Args(), " ")
	if o.shim == "" {
		// Not os.Executable, which is ccdir if the shim is a link to it.
		if o.shim = os.Args[0]; !filepath.IsAbs(o.shim) {
			o.shim, _ = os.Executable()
		}
	}
	return &o, 0
}

// firstPrompts are the prompts from the command line and the script.
func (o *options) firstPrompts() (prompts []queued, err error) {
	switch {
	case o.scene != "":
		text, ok := scenes[o.scene]
		if !ok {
			return nil, fmt.Errorf("no scene is called %q: there are %s", o.scene, strings.Join(sceneNames(), ", "))
		}
		prompts = readScript(text, o.delay)
	case o.script != "":
		text, err := os.ReadFile(o.script)
		if err != nil {
			return nil, err
		}
		prompts = readScript(string(text), o.delay)
	}
	if o.prompt != "" {
		prompts = append(prompts, queued{prompt: o.prompt})
	}
	return prompts, nil
}
