package config

import (
	"maps"
	"slices"
	"time"

	"ccdir/api"
)

// Config is the content of config.toml, with defaults filled in.
type Config struct {
	// DefaultAgent is the agent of a session that names none.
	DefaultAgent string
	// MaxSessions bounds the sessions with a running process.
	MaxSessions int
	// KillGrace is how long a session may take to end before it is killed.
	KillGrace time.Duration
	// Scrollback is the history's capacity in lines.
	Scrollback int
	// RingBytes is the capacity of a session's raw output ring, in bytes.
	RingBytes int
	// Engine is the terminal engine: "vt", "vt10x", or "" for the default.
	Engine string
	// KittyKeyboard: answer the kitty keyboard query of applications.
	KittyKeyboard bool
	// SendTimeout bounds the wait for a prompt's acknowledgement.
	SendTimeout time.Duration
	// EventsKept bounds the event log, in events; 0 keeps all.
	EventsKept int
	// Queue is the configuration of tasks, Quota what they may use.
	Queue Queue
	Quota Quota
	// PermissionTimeout is how long a permission request can be answered outside
	// of its pane; 0 is as long as the agent waits.
	PermissionTimeout time.Duration
	// ResumeAfterLimit is what becomes of sessions that meet a usage limit, one of
	// api.ResumeModes; tasks always go on.
	ResumeAfterLimit string
	// UsageProbe: agents are asked now and then for the windows of accounts that nobody uses.
	UsageProbe bool
	// Role is a session's role when none is named, unless the repository that it
	// is started in has one.
	Role string
	// ShellsAreYours: programs in panes of shells and plain commands act with the
	// user's own permissions, as they do in the user's own terminal.
	ShellsAreYours bool
	// StaleTimeout ends sessions that had neither output nor a client for that long; 0
	// never does.
	StaleTimeout time.Duration
	// ParkAfter parks agents that have been idle and unwatched for that long; 0 never does. ParkKeep
	// is how many of them stay, those that were used last. ParkMemory parks the one that has been
	// idle for longest while the machine has fewer MiB of memory available; 0 never does.
	ParkAfter  time.Duration
	ParkKeep   int
	ParkMemory int

	// WorktreePlace is the template of places of git work trees; "" is below the state
	// directory.
	WorktreePlace string
	// PullRequests: gh or glab is asked about branches that were pushed.
	PullRequests bool

	// FastPath: typed text goes directly to the program's terminal, and its echo
	// directly to the user's (Linux only).
	FastPath bool
	// PrefixHelp is how long after the prefix key the panel of keys appears; 0: never.
	PrefixHelp time.Duration
	// Pulse: the marks of sessions that wait for the user blink.
	Pulse bool
	// Signs are the signs of standings in grid and lists: an api.Signs.
	Signs string
	// Gaps: the grid leaves a blank column or row between panes.
	Gaps bool
	// TerminalTitle: the title of the terminal says who needs the user.
	TerminalTitle bool
	// Sidebar is the content of the grid's sidebar until the user changes that:
	// SidebarBoth, SidebarSessions, SidebarEvents or SidebarNone. SidebarWidth is the
	// width of the events in columns.
	Sidebar      string
	SidebarWidth int
	// Mouse: clicks focus panes and are passed to applications.
	Mouse bool

	// Clipboard: the program in the focused pane may set the clipboard (OSC 52).
	Clipboard bool
	// CopyCommand receives copied text on its standard input; "" copies through the
	// terminal (OSC 52).
	CopyCommand string

	// Notify maps events (NotifyEvents) to the ways in which a grid announces them
	// (NotifyWays). NotifyCommand is run for "command".
	Notify        map[string][]string
	NotifyCommand []string

	// Keys overrides bindings: action → keys. "prefix" is an action too.
	Keys map[string][]string
	// Theme overrides colours: "base" → one of themeBases; one of ThemeParts →
	// "#rrggbb", an ANSI number 0–255 as a string, or the name of a colour.
	Theme map[string]string

	// MCP is the table [mcp], API the table [api], Web the table [web].
	MCP MCP
	API API
	Web Web

	// Agents by name. The built-in ones are there unless redefined.
	Agents map[string]Agent
	// Accounts are sign-ins of agents besides those that they use by themselves, by name.
	Accounts map[string]Account
	// Command is [agents.command], for sessions of a bare command (`ccdir new -- CMD`).
	// Only Env and Screen are set.
	Command Agent
	// Nodes are other machines, by name.
	Nodes map[string]Node
	// Tools are those that keys start beside the focused session, by name.
	Tools map[string]Tool
	// Templates are layouts that can be opened in any directory, by name.
	Templates map[string]Layout
	// Sandbox is the table [sandbox].
	Sandbox Sandbox
	// Schedules are those of the file, in its order.
	Schedules []Schedule
	// Watches are those of the file, in its order.
	Watches []Watch
	// Reactions are commands that events start, in the file's order.
	Reactions []Reaction
	// Repos are offered in the new-session dialog, in the file's order.
	Repos []Repo
}

// Queue is the configuration of the queue of tasks.
type Queue struct {
	// Mode and Limit are the initial mode and limit of the queue, until the user
	// changes them.
	Mode  string
	Limit int
	// Stall is how long a task may make no progress until it is flagged.
	Stall time.Duration
	// ResumeLost: an interactive task whose session was lost (a reboot) resumes its
	// conversation by itself.
	ResumeLost bool
	// EndedPanes are the ended tasks whose sessions stay in the list of sessions:
	// PanesFailed, PanesAll or PanesNone.
	EndedPanes string
	// Kept bounds the ended tasks and archived transcripts by number, MaxAge by
	// age; 0 is no bound.
	Kept   int
	MaxAge time.Duration
}

// Values of Config.Sidebar.
const (
	SidebarBoth     = "both"
	SidebarSessions = "sessions"
	SidebarEvents   = "events"
	SidebarNone     = "none"
)

// Values of Queue.EndedPanes.
const (
	PanesFailed = "failed" // failed ones, until a person has looked at them
	PanesAll    = "all"
	PanesNone   = "none"
)

// Agent is one entry of [agents.NAME].
type Agent struct {
	// Kind is the adapter: one of Kinds.
	Kind string
	// Command is the executable (a name to look up in PATH, or a path), Args its first
	// arguments. Empty: the adapter's default.
	Command string
	Args    []string
	// Env is added to the session's environment.
	Env map[string]string
	// Screen are patterns that tell the state when no better evidence does; the first
	// that matches the screen counts.
	Screen []ScreenRule
}

// ScreenRule is one [[agents.NAME.screen]] entry.
type ScreenRule struct {
	// State is the agent's state while the pattern matches: one of ScreenStates.
	State api.State
	// Match is a regular expression (RE2; ^ and $ match at every line, blanks at the
	// end of lines are cut). The agent's question is the group named "question", or
	// else the line that matches.
	Match string
	// Lines is how many of the last non-empty lines are searched, from 1 to
	// maxScreenLines.
	Lines int
}

// ScreenStates are the states that a screen rule may tell.
var ScreenStates = []api.State{api.StateIdle, api.StateWorking, api.StateInput, api.StatePermission}

// Repo is one [[repos]] entry.
type Repo struct {
	Name string
	Path string
	// Role is the role of sessions started in the repository that name none; "" is
	// Config.Role.
	Role string
	// Sandbox is the sandbox profile of sessions started in it that name none; "" is the
	// default one.
	Sandbox string
}

// Limits of values.
const (
	// MaxScrollback bounds scrollback, in lines.
	MaxScrollback = 1_000_000
	// maxSessionsLimit bounds max_sessions: each is two processes.
	maxSessionsLimit = 1000
	// maxScreenLines bounds the lines that a screen rule searches, defaultScreenLines
	// is how many it searches by default, maxScreenRules how many rules an agent may
	// have.
	maxScreenLines     = 200
	defaultScreenLines = 1
	maxScreenRules     = 32
)

// Default is the configuration of an empty file.
func Default() Config {
	return Config{
		DefaultAgent: "claude",
		MaxSessions:  32,
		KillGrace:    5 * time.Second,
		Scrollback:   10_000,
		RingBytes:    2 << 20,
		// The kitty keyboard protocol lets agents tell Shift-Enter from Enter.
		KittyKeyboard: true,
		SendTimeout:   20 * time.Second,
		// An event takes some 1 to 2 KB.
		EventsKept:       200_000,
		Queue:            Queue{Mode: "manual", Limit: 4, Stall: 15 * time.Minute, ResumeLost: true, EndedPanes: PanesFailed, Kept: 1000, MaxAge: 90 * 24 * time.Hour},
		Role:             api.RoleDev,
		ResumeAfterLimit: string(api.ResumeAsk), UsageProbe: true,
		FastPath:      true,
		PullRequests:  true,
		Pulse:         true,
		Signs:         string(api.SignsUnicode),
		PrefixHelp:    400 * time.Millisecond,
		TerminalTitle: true, Clipboard: true,
		Sidebar:      SidebarBoth,
		SidebarWidth: 40,
		Mouse:        true,
		Notify:       defaultNotify(),
		Keys:         map[string][]string{},
		Theme:        map[string]string{},
		MCP:          defaultMCP(),
		API:          API{Rate: 100, Origins: []string{}},
		Agents:       builtinAgents(),
	}
}

// builtinAgents are the agents that need no configuration.
func builtinAgents() map[string]Agent {
	return map[string]Agent{
		"claude":   {Kind: "claude", Command: "claude"},
		"codex":    {Kind: "codex", Command: "codex"},
		"gemini":   {Kind: "gemini", Command: "gemini"},
		"opencode": {Kind: "opencode", Command: "opencode"},
		"shell":    {Kind: "shell"},
		"demo":     {Kind: "demo"},
	}
}

// AgentNames lists the agents: the default first, then by name.
func (c Config) AgentNames() []string {
	names := slices.Sorted(maps.Keys(c.Agents))
	if i := slices.Index(names, c.DefaultAgent); i > 0 {
		names = slices.Insert(slices.Delete(names, i, i+1), 0, c.DefaultAgent)
	}
	return names
}
