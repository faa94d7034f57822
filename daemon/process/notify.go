package process

import (
	"net"
	"slices"
	"strings"
)

// serviceVariables are what systemd sets for the main process of a service (systemd.exec(5)).
// They are no business of sessions: a program there could pass for the daemon.
var serviceVariables = []string{"NOTIFY_SOCKET", "INVOCATION_ID", "JOURNAL_STREAM", "SYSTEMD_EXEC_PID", "MANAGERPID", "MEMORY_PRESSURE_WATCH", "MEMORY_PRESSURE_WRITE", "WATCHDOG_PID", "WATCHDOG_USEC"}

// ownEnv returns env without the variables of the service manager.
func ownEnv(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		key, _, _ := strings.Cut(kv, "=")
		return slices.Contains(serviceVariables, key)
	})
}

// notify sends a state to the service manager that started this process (sd_notify(3)).
// Without one it does nothing. A manager that cannot be reached waits in vain and says so.
func notify(env []string, state string) {
	path := lookup(env, "NOTIFY_SOCKET")
	if path == "" {
		return
	}
	c, err := net.Dial("unixgram", path) // net takes a leading @ for the abstract namespace
	if err != nil {
		return
	}
	defer c.Close()
	_, _ = c.Write([]byte(state))
}
