package config

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/text/redact"
)

// key is one row of the table of keys.
type key struct {
	name string
	doc  string
	// set checks a decoded TOML value and stores it in c; its error says what
	// is expected.
	set func(c *Config, v any) error
	// get returns the value as it would be written in TOML.
	get func(c *Config) any
}

// keys is the table of all top-level scalar keys, in the order of the documentation.
// Tables (see tables) have files of their own.
var keys = []key{
	{"default_agent", "agent of a session when none is named", text(func(c *Config) *string { return &c.DefaultAgent }),
		func(c *Config) any { return c.DefaultAgent }},
	{"max_sessions", "most sessions that run at once (1 to 1000)", number(func(c *Config) *int { return &c.MaxSessions }, 1, maxSessionsLimit),
		func(c *Config) any { return c.MaxSessions }},
	{"kill_grace", "how long a session may take to end before it is killed (0s to 10m)", duration(func(c *Config) *time.Duration { return &c.KillGrace }, 0, 10*time.Minute),
		func(c *Config) any { return c.KillGrace.String() }},
	{"scrollback", "history of a session, in lines (0 to 1000000)", number(func(c *Config) *int { return &c.Scrollback }, 0, MaxScrollback),
		func(c *Config) any { return c.Scrollback }},
	{"ring_bytes", "raw output kept of a session, in bytes (65536 to 268435456)", number(func(c *Config) *int { return &c.RingBytes }, 64<<10, 256<<20),
		func(c *Config) any { return c.RingBytes }},
	{"engine", `terminal engine: "vt", "vt10x", or "" for the default`, oneOf(func(c *Config) *string { return &c.Engine }, "", "vt", "vt10x"),
		func(c *Config) any { return c.Engine }},
	{"kitty_keyboard", "offer the kitty keyboard protocol to applications", boolean(func(c *Config) *bool { return &c.KittyKeyboard }),
		func(c *Config) any { return c.KittyKeyboard }},
	{"send_timeout", "how long a prompt may stay unacknowledged (1s to 10m)", duration(func(c *Config) *time.Duration { return &c.SendTimeout }, time.Second, 10*time.Minute),
		func(c *Config) any { return c.SendTimeout.String() }},
	{"events_kept", "events kept in the log (0 keeps all)", number(func(c *Config) *int { return &c.EventsKept }, 0, math.MaxInt32),
		func(c *Config) any { return c.EventsKept }},
	{"queue_mode", `mode of a queue that was never changed: "manual" or "auto"`, oneOf(func(c *Config) *string { return &c.Queue.Mode }, "manual", "auto"),
		func(c *Config) any { return c.Queue.Mode }},
	{"queue_limit", "tasks that run at once, until `ccdir task limit` changes it (1 to 1000)", number(func(c *Config) *int { return &c.Queue.Limit }, 1, 1000),
		func(c *Config) any { return c.Queue.Limit }},
	{"task_stall", "how long a task may make no progress until it is flagged (1m to 24h)", duration(func(c *Config) *time.Duration { return &c.Queue.Stall }, time.Minute, 24*time.Hour),
		func(c *Config) any { return c.Queue.Stall.String() }},
	{"task_resume", "tasks whose session was lost, by a reboot for example, resume their conversation", boolean(func(c *Config) *bool { return &c.Queue.ResumeLost }),
		func(c *Config) any { return c.Queue.ResumeLost }},
	{"ended_task_panes", `which ended tasks keep their pane: "failed" (those that failed, until 10 minutes after you looked at them), "all" (the last 20) or "none"; what a pane showed stays in the history`, oneOf(func(c *Config) *string { return &c.Queue.EndedPanes }, PanesFailed, PanesAll, PanesNone),
		func(c *Config) any { return c.Queue.EndedPanes }},
	{"history_kept", "ended tasks and archived sessions kept (0 keeps all)", number(func(c *Config) *int { return &c.Queue.Kept }, 0, math.MaxInt32),
		func(c *Config) any { return c.Queue.Kept }},
	{"history_max_age", "how long ended tasks and archived sessions are kept (0s for ever)", duration(func(c *Config) *time.Duration { return &c.Queue.MaxAge }, 0, 100*365*24*time.Hour),
		func(c *Config) any { return c.Queue.MaxAge.String() }},
	{"stale_timeout", "end sessions without output and without a client for that long (0s never)", duration(func(c *Config) *time.Duration { return &c.StaleTimeout }, 0, 365*24*time.Hour),
		func(c *Config) any { return c.StaleTimeout.String() }},
	{"park_after", "end the process of agents that have been idle and unwatched for that long, to free its memory; the pane stays, and whatever needs the agent starts it again in its conversation (0s never)", duration(func(c *Config) *time.Duration { return &c.ParkAfter }, 0, 365*24*time.Hour),
		func(c *Config) any { return c.ParkAfter.String() }},
	{"park_keep", "how many idle agents park_after leaves running: those that were used last", number(func(c *Config) *int { return &c.ParkKeep }, 0, 1000),
		func(c *Config) any { return c.ParkKeep }},
	{"park_memory", "while the machine has less memory available than so many MiB, park the agent that has been idle for longest, one after the other (0 never)", number(func(c *Config) *int { return &c.ParkMemory }, 0, math.MaxInt32),
		func(c *Config) any { return c.ParkMemory }},
	{"permission_timeout", "how long a permission request can be answered outside of its pane; afterwards only the dialog there can answer it (0s: as long as the agent waits, up to 24h)", duration(func(c *Config) *time.Duration { return &c.PermissionTimeout }, 0, 24*time.Hour),
		func(c *Config) any { return c.PermissionTimeout.String() }},
	{"resume_after_limit", `what becomes of a session that met a usage limit, once that has ended: "on" (ccdir has it go on, in its turn), "own" (the agent goes on by itself, if it can), "ask" (you are asked: ccdir resume) or "off"; tasks always go on`, oneOf(func(c *Config) *string { return &c.ResumeAfterLimit }, "on", "own", "ask", "off"),
		func(c *Config) any { return c.ResumeAfterLimit }},
	{"usage_probe", "ask an agent for the limits of an account of which nothing was said for an hour, or since a window ended, by a process that sends no message (Claude Code; its answer is experimental)", boolean(func(c *Config) *bool { return &c.UsageProbe }),
		func(c *Config) any { return c.UsageProbe }},
	{"role", "role of a session when none is named, unless its repository ([[repos]] role) has one", role(func(c *Config) *string { return &c.Role }),
		func(c *Config) any { return c.Role }},
	{"shells_are_yours", "programs in panes of shells and plain commands have your rights (approve, start sessions); otherwise they count as agents", boolean(func(c *Config) *bool { return &c.ShellsAreYours }),
		func(c *Config) any { return c.ShellsAreYours }},
	{"worktree_place", `where git work trees are made: a path with {root}, {repo} and {branch}, such as "{root}.{branch}"; "" is in ccdir's state directory (a project's .ccdir.toml: [worktree] place)`, text(func(c *Config) *string { return &c.WorktreePlace }),
		func(c *Config) any { return c.WorktreePlace }},
	{"pull_requests", "show the pull requests of branches that were pushed: where gh or glab is signed in, it is asked about once a minute while one is open, every five minutes otherwise; off: only ccdir pr asks", boolean(func(c *Config) *bool { return &c.PullRequests }),
		func(c *Config) any { return c.PullRequests }},
	{"fast_path", "typed text goes directly to the program, and its echo directly to your terminal (Linux); off: through the session's host", boolean(func(c *Config) *bool { return &c.FastPath }),
		func(c *Config) any { return c.FastPath }},
	{"pulse", "the signs of sessions that work turn", boolean(func(c *Config) *bool { return &c.Pulse }),
		func(c *Config) any { return c.Pulse }},
	{"signs", `signs of what sessions do, in the grid and in ccdir ls: "unicode", "nerd" (icons, for terminals whose font is a Nerd Font) or "ascii"; a terminal that lacks them gets ASCII`, oneOf(func(c *Config) *string { return &c.Signs }, string(api.SignsUnicode), string(api.SignsNerd), string(api.SignsASCII)),
		func(c *Config) any { return c.Signs }},
	{"prefix_help", "how long after the prefix key, without another key, a panel lists the keys that may follow (0s: never; to 10s)", duration(func(c *Config) *time.Duration { return &c.PrefixHelp }, 0, 10*time.Second),
		func(c *Config) any { return c.PrefixHelp.String() }},
	{"gaps", "leave a blank column and row between panes and the rules around them", boolean(func(c *Config) *bool { return &c.Gaps }),
		func(c *Config) any { return c.Gaps }},
	{"terminal_title", "the title of the terminal's window says who needs you while the grid is open; it is put back at the end", boolean(func(c *Config) *bool { return &c.TerminalTitle }),
		func(c *Config) any { return c.TerminalTitle }},
	{"sidebar", "what the grid shows at the left at first: \"both\" (sessions and events), \"sessions\", \"events\" or \"none\"; the keys that show and hide them are remembered", sidebar,
		func(c *Config) any { return c.Sidebar }},
	{"sidebar_width", "columns of the events where the sessions are not shown (16 to 200)", number(func(c *Config) *int { return &c.SidebarWidth }, 16, 200),
		func(c *Config) any { return c.SidebarWidth }},
	{"mouse", "use mouse clicks, and pass them to applications that ask for them", boolean(func(c *Config) *bool { return &c.Mouse }),
		func(c *Config) any { return c.Mouse }},
	{"clipboard", "what the program in the focused pane copies (OSC 52) goes into your clipboard; no program can read it", boolean(func(c *Config) *bool { return &c.Clipboard }),
		func(c *Config) any { return c.Clipboard }},
	{"copy_command", `shell command that reads copied text, such as "wl-copy", "pbcopy" or "tmux load-buffer -w -"; "" asks the terminal (OSC 52)`, text(func(c *Config) *string { return &c.CopyCommand }),
		func(c *Config) any { return redact.Text(c.CopyCommand) }},
}

// tables are the keys that hold tables, with their documentation.
var tables = []struct{ name, doc string }{
	{"keys", `bindings: action = "key" or ["key", …]`},
	{"theme", `base = "auto" (by the terminal's background), "dark", "light" or "contrast"; colours: state or part = "#rrggbb", an ANSI number or a colour name`},
	{"notify", `how events are announced while you look elsewhere: permission, question, done, failed, lost = ["bell", "osc9", "osc777", "command"]; command = ["notify-send"]`},
	{"agents", "[agents.NAME]: kind, command, args, env; [[agents.NAME.screen]]: state, match, lines; [agents.command]: of `new -- CMD`"},
	{"accounts", `[accounts.NAME]: agent, dir (CLAUDE_CONFIG_DIR, CODEX_HOME, GEMINI_CLI_HOME; opencode: XDG_DATA_HOME), env, repositories = ["DIR", …] and roles = ["ROLE", …] in and with which it is used unless another one is named`},
	{"quota", `what the queue may use: stop_at, reserve, windows; [quota.budgets.NAME]: dollars, tokens, days, agent, account, label`},
	{"tools", `[tools.NAME]: command, key, where = "floating", "pane" or "none"; started in the directory of the focused session`},
	{"templates", `[templates.NAME]: layout, focus, zoom, and [[templates.NAME.session]] with name, dir and what else a layout file has; opened by ccdir open NAME, C-b n and the palette`},
	{"repos", "[[repos]]: name, path, role, sandbox; offered for new sessions, which get that role and that sandbox profile"},
	{"sandbox", "walls around sessions: default = the profile when none is named (none: no walls), tasks = that of tasks, roles = {ROLE = that of a role}, strict = true refuses what this machine cannot hold; [sandbox.NAME]: base, write, read, hide, network = \"all\", \"loopback\", \"none\" or a list of hosts"},
	{"schedule", `[[schedule]]: name, when or at, zone, missed, overlap, to, and the keys of a task; see docs/schedules.md`},
	{"watch", `[[watch]]: name, dir, label or query (gh, glab) or command, every, limit, trust, comment, mark, and the keys of a task; issues that become tasks, see docs/watches.md`},
	{"on", `[[on]]: event (a name, or several), if, run (a line for sh), timeout; started by events of the log, see docs/events.md`},
	{"nodes", `[nodes.NAME]: ssh (a name of ~/.ssh/config, or user@host), options of ssh, program (the path of ccdir-shim there), home (CCDIR_HOME there), clipboard = true lets its panes set the clipboard and show links`},
	{"mcp", "the tools of ccdir for agents: limits, [mcp.timeouts], [mcp.roles]"},
	{"api", "the API over TCP: off unless listen is set"},
	{"web", "the page: where it is served, once `ccdir web` has turned it on"},
}

func text(at func(*Config) *string) func(*Config, any) error {
	return func(c *Config, v any) error {
		s, ok := v.(string)
		if !ok {
			return fmt.Errorf("expected a string, found %s", typeName(v))
		}
		*at(c) = s
		return nil
	}
}

// role is a key that names a role.
func role(at func(*Config) *string) func(*Config, any) error {
	return func(c *Config, v any) error {
		s, _ := v.(string)
		if !api.ValidRole(s) {
			return errRole(v)
		}
		*at(c) = s
		return nil
	}
}

func errRole(v any) error {
	return fmt.Errorf("expected the name of a role (lower-case letters, digits, - and _; not %q), found %s", api.RoleGuest, show(v))
}

func oneOf(at func(*Config) *string, values ...string) func(*Config, any) error {
	return func(c *Config, v any) error {
		s, ok := v.(string)
		if !ok || !slices.Contains(values, s) {
			return fmt.Errorf("expected one of %s, found %s", quoteAll(values), show(v))
		}
		*at(c) = s
		return nil
	}
}

// sidebar also takes true for both parts and false for none.
func sidebar(c *Config, v any) error {
	if both, ok := v.(bool); ok {
		if v = SidebarNone; both {
			v = SidebarBoth
		}
	}
	return oneOf(func(c *Config) *string { return &c.Sidebar }, SidebarBoth, SidebarSessions, SidebarEvents, SidebarNone)(c, v)
}

func number(at func(*Config) *int, lo, hi int) func(*Config, any) error {
	return func(c *Config, v any) error {
		n, ok := v.(int64)
		if !ok {
			return fmt.Errorf("expected a whole number, found %s", typeName(v))
		}
		if n < int64(lo) || n > int64(hi) {
			return fmt.Errorf("expected a number from %d to %d, found %d", lo, hi, n)
		}
		*at(c) = int(n)
		return nil
	}
}

func boolean(at func(*Config) *bool) func(*Config, any) error {
	return func(c *Config, v any) error {
		b, ok := v.(bool)
		if !ok {
			return fmt.Errorf("expected true or false, found %s", show(v))
		}
		*at(c) = b
		return nil
	}
}

func duration(at func(*Config) *time.Duration, lo, hi time.Duration) func(*Config, any) error {
	return func(c *Config, v any) error {
		s, ok := v.(string)
		if !ok {
			return fmt.Errorf(`expected a duration such as "5s", found %s`, show(v))
		}
		d, err := time.ParseDuration(s)
		if err != nil {
			return fmt.Errorf(`expected a duration such as "5s", found %q`, s)
		}
		if d < lo || d > hi {
			return fmt.Errorf("expected a duration from %s to %s, found %s", lo, hi, d)
		}
		*at(c) = d
		return nil
	}
}

// Colour is a colour of a theme: a palette index, or, with Direct, red, green and blue;
// neither is the terminal's default colour.
type Colour struct {
	Indexed, Direct bool
	Index           uint8
	R, G, B         uint8
}

// ParseColour reads a colour as a theme names it; ok is false if it is none.
func ParseColour(s string) (Colour, bool) {
	if hex, ok := strings.CutPrefix(s, "#"); ok {
		v, err := strconv.ParseUint(hex, 16, 24)
		return Colour{Direct: true, R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v)}, err == nil && len(hex) == 6
	}
	if n, err := strconv.ParseUint(s, 10, 8); err == nil {
		return Colour{Indexed: true, Index: uint8(n)}, true
	}
	i := slices.Index(colourNames, s)
	if i < 1 {
		return Colour{}, i == 0
	}
	return Colour{Indexed: true, Index: uint8(i - 1)}, true
}

// colourNames are the names a theme may use for the sixteen ANSI colours.
var colourNames = []string{
	"default", "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
	"bright-black", "bright-red", "bright-green", "bright-yellow", "bright-blue",
	"bright-magenta", "bright-cyan", "bright-white",
}

// expandPath makes "~" and "~/…" absolute.
func expandPath(p, home string) string {
	if p == "~" {
		return home
	}
	if rest, ok := strings.CutPrefix(p, "~/"); ok {
		return filepath.Join(home, rest)
	}
	return p
}

// typeName names the TOML type of a decoded value.
func typeName(v any) string {
	switch v.(type) {
	case string:
		return "a string"
	case int64:
		return "a whole number"
	case float64:
		return "a fraction"
	case bool:
		return "true or false"
	case map[string]any:
		return "a table"
	case []any:
		return "a list"
	}
	return "something else"
}

// show formats v for an error message, cut to a readable length.
func show(v any) string {
	switch v.(type) {
	case map[string]any, []any:
		return typeName(v)
	}
	s := fmt.Sprintf("%#v", v)
	if len(s) > 60 {
		s = s[:57] + "…"
	}
	return s
}

func quoteAll(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = strconv.Quote(v)
	}
	return strings.Join(quoted, ", ")
}
