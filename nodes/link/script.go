package link

import (
	_ "embed"
	"fmt"
	"strings"
)

// Node says how a node is reached: its entry in config.toml.
type Node struct {
	Name string `json:"name"`
	// Target is ssh's destination, Options what is put before it.
	Target  string   `json:"target"`
	Options []string `json:"options,omitempty"`
	// Program is the path of ccdir-shim there, "": it is looked for. Home is CCDIR_HOME there.
	Program string `json:"program,omitempty"`
	Home    string `json:"home,omitempty"`
}

// script.sh finds ccdir on the node. Every POSIX shell runs it; the login shell only has to be
// able to run `sh`.
//
//go:embed script.sh
var scriptBody string

// script returns what `sh` there reads. The shell has read all of it before it runs any, so that
// what follows on its standard input is the bridge's.
func (n Node) script(nonce string, install bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s %s\n", greetingWord, nonce)
	fmt.Fprintf(&b, "nonce=%s program=%s protocols='%d %d' install=%t\n", quote(nonce), quote(n.Program), muxMin, muxMax, install)
	if n.Home != "" {
		fmt.Fprintf(&b, "CCDIR_HOME=%s; export CCDIR_HOME\n", quote(n.Home))
	}
	b.WriteString(scriptBody)
	fmt.Fprintf(&b, "main %s\n", endMark(nonce)) // nothing of the script is left unread
	return b.String()
}

// endMark ends the script's last line, for a bridge that sshd runs instead of sh.
func endMark(nonce string) string { return "# end " + nonce }

// quote quotes a word for sh.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// Command returns ssh's arguments. Without batch it may ask, by SSH_ASKPASS.
func (n Node) Command(batch bool) []string {
	argv := []string{"ssh", "-T", "-a", "-x",
		"-o", "ClearAllForwardings=yes", "-o", "PermitLocalCommand=no", "-o", "ControlMaster=no", "-o", "RemoteCommand=none",
		"-o", "ConnectTimeout=15"}
	if batch {
		argv = append(argv, "-o", "BatchMode=yes")
	}
	argv = append(argv, n.Options...)
	return append(argv, "--", n.Target, "sh")
}
