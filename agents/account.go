package agents

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/disk/untrusted"
	"ccdir/sandbox"
)

// Housed is an adapter whose agent keeps sign-in, settings and conversations below one
// directory, which its environment names: several sign-ins are several directories.
type Housed interface {
	// HomeEnv are the K=V pairs that make a directory, absolute, the agent's.
	HomeEnv(dir string) []string
}

// InHome reports whether an environment has the agent use that directory.
func InHome(h Housed, env []string, dir string) bool {
	for _, kv := range h.HomeEnv(dir) {
		if k, v, _ := strings.Cut(kv, "="); Getenv(env, k) != v {
			return false
		}
	}
	return true
}

// Mover is an adapter whose conversations can be moved into another of its agent's directories.
type Mover interface {
	// CopyConversation copies a conversation from the directory that c.Env names to the one that
	// env does, for an agent in c.CWD, so that it can be resumed there; the original stays. No
	// process may be using it. An error says what to do. kept says in a few words what went along,
	// and what did not.
	CopyConversation(c Conversation, env []string) (kept string, err error)
}

// maxConversation bounds the file of a conversation that is copied, in bytes.
const maxConversation = 1 << 30

// CopyGrown copies a file of a conversation that only ever grows. A copy that is there already is
// never shortened: it stays if it has more, and one that went another way is an error.
func CopyGrown(from, to string) error {
	data, err := untrusted.Read(from, maxConversation)
	if err != nil {
		return fmt.Errorf("cannot read the conversation: %w", err)
	}
	there, err := untrusted.Read(to, maxConversation)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("cannot read the conversation's copy: %w", err)
	case bytes.HasPrefix(there, data):
		return nil
	case !bytes.HasPrefix(data, there):
		return fmt.Errorf("the other account has gone on with this conversation in its own way (%s): move that file away, or fork the session", to)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return fmt.Errorf("cannot copy the conversation: %w", err)
	}
	if err := atomicfile.Write(to, data); err != nil {
		return fmt.Errorf("cannot copy the conversation: %w", err)
	}
	return nil
}

// Settled is an adapter whose agent can be told by its environment to keep its settings elsewhere.
type Settled interface {
	// SettingsIn are the files and folders, each from the root or not there at all, by which the
	// agent is set up in an environment that moves them. Those at the usual places are known to
	// the policy by their names.
	SettingsIn(getenv func(key string) string) []string
}

// Below are names below a folder; none where the folder is not from the root.
func Below(dir string, names ...string) (paths []string) {
	if filepath.IsAbs(dir) {
		for _, name := range names {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	return paths
}

// Walled is an adapter whose agent can run behind walls.
type Walled interface {
	// Needs says what the agent writes, and what in it stays as it is, because other sessions
	// obey it; env is its environment before Prepare, dir the session's directory (Start.Dir).
	Needs(env []string, dir string) sandbox.Needs
}

// StateNeeds are the needs of an agent whose state is in dir, "" if it is unknown; keep are
// names in it.
func StateNeeds(dir string, keep ...string) (n sandbox.Needs) {
	if !filepath.IsAbs(dir) {
		return n
	}
	n.Write = []string{filepath.Clean(dir)}
	for _, name := range keep {
		n.Keep = append(n.Keep, filepath.Join(dir, name))
	}
	return n
}

// VendorHosts are the hosts of an agent's vendor: instead of the usual ones, those of the addresses
// that the person has set ("" for none of these); besides them others, as for signing in.
func VendorHosts(set []string, usual string, others ...string) (hosts []string) {
	for _, address := range set {
		u, err := url.Parse(address)
		if err != nil || u.Hostname() == "" {
			continue
		}
		host, port := u.Hostname(), u.Port()
		if port == "" {
			port = map[string]string{"http": "80"}[u.Scheme]
		}
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		if port != "" {
			host += ":" + port
		}
		if _, err := sandbox.ParseHost(host); err == nil { // else the agent does not reach it, as the profile says
			hosts = append(hosts, host)
		}
	}
	if len(hosts) == 0 {
		hosts = strings.Fields(usual)
	}
	return append(hosts, others...)
}

// StateDir is the directory that a variable names, else the one of that name in the home; "" if
// neither is known.
func StateDir(env []string, variable, name string) string {
	if dir := Getenv(env, variable); variable != "" && dir != "" {
		return dir
	}
	if home := Getenv(env, "HOME"); home != "" {
		return filepath.Join(home, name)
	}
	return ""
}
