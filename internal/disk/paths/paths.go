// Package paths names the files and directories of ccdir. It reads nothing but the
// environment passed to it, so that tests and the shim, which links it, can use it.
//
//	runtime  /tmp/ccdir-$UID                 sockets (0700, owner-checked)
//	state    $XDG_STATE_HOME/ccdir           database, sessions, logs
//	config   $XDG_CONFIG_HOME/ccdir          config.toml
//
// With CCDIR_HOME set, state and config lie below it and the sockets in
// /tmp/ccdir-$UID/<8 hex digits of its path>, because a unix socket's path is limited to
// 104 bytes on macOS. XDG_RUNTIME_DIR is not used: it is deleted at the last logout, and
// sessions must survive that.
package paths

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
)

// Paths are the paths of one ccdir installation. All are absolute.
type Paths struct {
	// Home is CCDIR_HOME, "" when not set.
	Home string
	// Runtime holds the sockets.
	Runtime string
	// State holds all files that must survive a reboot.
	State string
	// Config is the directory of config.toml.
	Config string
}

// New derives the paths from the environment. getenv is os.Getenv or a test's; uid is
// the user's id.
func New(getenv func(string) string, uid int) (Paths, error) {
	runtime := filepath.Join("/tmp", "ccdir-"+strconv.Itoa(uid))
	if home := getenv("CCDIR_HOME"); home != "" {
		abs, err := filepath.Abs(home)
		if err != nil {
			return Paths{}, err
		}
		sum := sha256.Sum256([]byte(abs))
		return Paths{
			Home:    abs,
			Runtime: filepath.Join(runtime, hex.EncodeToString(sum[:4])),
			State:   filepath.Join(abs, "state"),
			Config:  filepath.Join(abs, "config"),
		}.checked()
	}
	home := getenv("HOME")
	if !filepath.IsAbs(home) {
		return Paths{}, errors.New("HOME is not set to an absolute path: set it, or set CCDIR_HOME")
	}
	return Paths{
		Runtime: runtime,
		State:   filepath.Join(xdg(getenv("XDG_STATE_HOME"), home, ".local/state"), "ccdir"),
		Config:  filepath.Join(xdg(getenv("XDG_CONFIG_HOME"), home, ".config"), "ccdir"),
	}.checked()
}

// maxDatabase bounds the database's path in bytes: SQLite opens no file whose path has
// more than 512, and its journal files have longer names.
const maxDatabase = 470

func (p Paths) checked() (Paths, error) {
	if n := len(p.Database()); n > maxDatabase {
		return Paths{}, fmt.Errorf("the path of the state directory is %d bytes too long for the database: set CCDIR_HOME to a shorter one", n-maxDatabase)
	}
	return p, nil
}

// xdg returns value if it is absolute, as the XDG base directory specification
// asks, else home/fallback.
func xdg(value, home, fallback string) string {
	if filepath.IsAbs(value) {
		return value
	}
	return filepath.Join(home, fallback)
}

// RuntimeDirs are the directories of sockets, outermost first: each must belong to the
// user and be closed to others, since anybody can create files in /tmp.
func (p Paths) RuntimeDirs() []string {
	if p.Home != "" {
		return []string{filepath.Dir(p.Runtime), p.Runtime}
	}
	return []string{p.Runtime}
}

// Protected are ccdir's own directories, whose files agents change only after asking; trees
// the work trees below them, whose files are like those of any project.
func (p Paths) Protected() (dirs, trees []string) {
	return []string{p.Config, p.State, p.Runtime}, []string{p.Worktrees()}
}

// Socket is the daemon's socket.
func (p Paths) Socket() string { return filepath.Join(p.Runtime, "daemon.sock") }

// HostSocket is the socket of a session's host.
func (p Paths) HostSocket(session string) string {
	return filepath.Join(p.Runtime, "h-"+session+".sock")
}

// SSHAgent is the link to the ssh agent of the newest login, the SSH_AUTH_SOCK of sessions.
func (p Paths) SSHAgent() string { return filepath.Join(p.Runtime, "ssh-agent") }

// Display is the file with the variables of the newest login's display.
func (p Paths) Display() string { return filepath.Join(p.Runtime, "display") }

// NodeSocket is the socket of the link with another machine.
func (p Paths) NodeSocket(node string) string { return filepath.Join(p.Runtime, "n-"+node+".sock") }

// NodeLock is locked (flock) by that link while it runs.
func (p Paths) NodeLock(node string) string { return filepath.Join(p.Runtime, "n-"+node+".lock") }

// NodeLog is the output of that link before it serves.
func (p Paths) NodeLog(node string) string { return filepath.Join(p.State, "nodes", node+".log") }

// NodeDown exists after `ccdir node down`: the link is not started by the way.
func (p Paths) NodeDown(node string) string { return filepath.Join(p.State, "nodes", node+".down") }

// ServerFile describes the running daemon (api.ServerFile).
func (p Paths) ServerFile() string { return filepath.Join(p.State, ServerName) }

// APIToken is the file with the token for calls over TCP (0600).
func (p Paths) APIToken() string { return filepath.Join(p.State, "api-token") }

// WebFile says whether the page is on, and which browsers are paired with it (0600).
func (p Paths) WebFile() string { return filepath.Join(p.State, "web.json") }

// LockFile is locked (flock) by the daemon while it runs.
func (p Paths) LockFile() string { return filepath.Join(p.State, "daemon.lock") }

// GridFile is the saved arrangement of the grid.
func (p Paths) GridFile() string { return filepath.Join(p.State, "grid.json") }

// Snapshots is the directory of generations of the running sessions, to restore them
// after a reboot.
func (p Paths) Snapshots() string { return filepath.Join(p.State, "snapshots") }

// Worktrees is the directory of git work trees that ccdir made. Agents work there.
func (p Paths) Worktrees() string { return filepath.Join(p.State, "worktrees") }

// Trash is the directory of removed git work trees.
func (p Paths) Trash() string { return filepath.Join(p.State, "trash") }

// DaemonLog is the log of a daemon that a client started.
func (p Paths) DaemonLog() string { return filepath.Join(p.State, "daemon.log") }

// Database is the SQLite file.
func (p Paths) Database() string { return filepath.Join(p.State, "ccdir.db") }

// Named is the directory of what the files were that a session's tools named outside of git.
func (p Paths) Named(session string) string { return filepath.Join(p.State, "named", session) }

// Conversations is the folder of copies of conversations of sessions that have ended.
func (p Paths) Conversations() string { return filepath.Join(p.State, "conversations") }

// SaidIndex is the full-text index of conversations; without it they are read again.
func (p Paths) SaidIndex() string { return filepath.Join(p.State, "conversations.db") }

// Docs is the directory of indexes of documentation, which are built again if they are
// missing.
func (p Paths) Docs() string { return filepath.Join(p.State, "docs") }

// Reserve is the preallocated file for events that SQLite cannot store, usually because
// the disk is full.
func (p Paths) Reserve() string { return filepath.Join(p.State, "reserve") }

// MCPLogs is the directory with the full output of commands that agents ran through
// tools.
func (p Paths) MCPLogs() string { return filepath.Join(p.State, "mcp-logs") }

// LedgerHead is the file with the newest row of the ledger, to detect a ledger that was
// cut off.
func (p Paths) LedgerHead() string { return filepath.Join(p.State, "decisions.head") }

// PolicyFile is the user's policy.
func (p Paths) PolicyFile() string { return filepath.Join(p.Config, "policy.toml") }

// SessionDir is the directory of one session's files.
func (p Paths) SessionDir(session string) string {
	return filepath.Join(p.State, "sessions", session)
}

// ConfigFile is the user's configuration.
func (p Paths) ConfigFile() string { return filepath.Join(p.Config, "config.toml") }

// Names of the files in a session's directory.
const (
	ServerName = "server.json" // api.ServerFile, in the state directory
	HostFile   = "host.json"   // wire.HostFile, while a host runs
	FinalFile  = "final.json"  // wire.Final: complete when it exists
	ScreenFile = "screen.bin"  // the last screen and the scrollback (see wire)
	RingFile   = "ring.raw"    // the last bytes of the PTY
	SpoolDir   = "spool"       // hook calls that no daemon took, one file each
	TokenFile  = "token"       // the session's token, 0600
	HookConfig = "agent.json"  // the generated settings of the agent
	// ControlFile is how the agent is reached beside its terminal (agents.Control), 0600.
	ControlFile = "control.json"
	MCPConfig   = "mcp.json" // the agent's MCP servers, with the session's token, 0600

	PrintFile     = "print.json"   // a PrintJob: removed when it has begun
	PrintStdout   = "print.stdout" // the output of a one-shot agent, bounded
	PrintStderr   = "print.stderr"
	LossFile      = "on-daemon-loss" // what hooks answer while no daemon is reachable
	WallFile      = "wall.json"      // the plan of the walls around the process (sandbox.Plan)
	NetworkSocket = "network.sock"   // of the host, which lets the hosts of a plan through
	PrivateDir    = "private"        // temporary files and caches of a process behind walls
)

// Names in a session's spool. A call's file is named by the call's id, which sorts by
// time, and SpoolSuffix. While it is being written, it is named "." + id +
// SpoolUnfinished.
const (
	SpoolSuffix = ".json"
	// SpoolGate has a line for each call that did not run because its hook had failed: the
	// hook's name. Its reader renames it to SpoolGateTaken.
	SpoolGate       = "gate"
	SpoolGateTaken  = ".gate"
	SpoolUnfinished = ".tmp"
	SpoolOverflow   = "overflow" // exists when calls were dropped because there were too many
)

// PrintJob is what `ccdir-shim print DIR` runs: a command with a prompt on its
// standard input.
type PrintJob struct {
	Argv   []string `json:"argv"`
	Prompt string   `json:"prompt"`
}
