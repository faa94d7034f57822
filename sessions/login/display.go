package login

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/disk/paths"
	"ccdir/internal/disk/untrusted"
)

// Variables of a login's display. They are replaced together: the key of one display does not
// open another one.
const (
	envX11     = "DISPLAY"
	envWayland = "WAYLAND_DISPLAY"
	envKey     = "XAUTHORITY"
)

// maxDisplay bounds the file with the variables of a display, in bytes.
const maxDisplay = 16 << 10

// renewDisplay keeps the display of this login, if it has one that answers and is of the user
// uid, for what starts again.
func renewDisplay(p paths.Paths, uid int, env []string) {
	if !displayAnswers(env, uid) {
		return
	}
	data, err := json.Marshal(displayOf(env))
	if err != nil {
		return // never: texts
	}
	if was, err := untrusted.Read(p.Display(), maxDisplay); err == nil && bytes.Equal(was, data) {
		return
	}
	_ = atomicfile.WriteUnsynced(p.Display(), data) // a full disk: sessions keep the display of an earlier login
}

// WithDisplay returns env with the display of the newest login in place of its own, if both have
// one and the newest login's answers the user uid. It may wait for some 0.2 s.
func WithDisplay(p paths.Paths, uid int, env []string) []string {
	var newest []string
	data, err := untrusted.Read(p.Display(), maxDisplay)
	if err != nil || json.Unmarshal(data, &newest) != nil || len(displayOf(env)) == 0 {
		return env
	}
	out := slices.DeleteFunc(slices.Clone(env), IsDisplay)
	for _, kv := range displayOf(newest) {
		if strings.Contains(kv, "=") && !strings.ContainsRune(kv, 0) { // what a process can get
			out = append(out, kv)
		}
	}
	if !displayAnswers(out, uid) {
		return env
	}
	return out
}

// displayOf are the entries of env that are about its display.
func displayOf(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return !IsDisplay(kv) })
}

// IsDisplay reports whether an entry of an environment, or its name alone, is about the display.
func IsDisplay(kv string) bool {
	key, _, _ := strings.Cut(kv, "=")
	return key == envX11 || key == envWayland || key == envKey
}

// value is that of the first entry for key, "" if there is none.
func value(env []string, key string) string {
	for _, kv := range env {
		if k, v, _ := strings.Cut(kv, "="); k == key {
			return v
		}
	}
	return ""
}

// displayAnswers reports whether env names a display that answers. A socket of Wayland and the
// key of X11 have to be the user's; an X11 server is often root's and asks for the key. Servers of X11 on
// other machines are not asked.
func displayAnswers(env []string, uid int) bool {
	x11, wayland, key := value(env, envX11), value(env, envWayland), value(env, envKey)
	if key != "" && !ownedBy(key, uid) {
		return false
	}
	if wayland != "" {
		if !filepath.IsAbs(wayland) {
			wayland = filepath.Join(value(env, "XDG_RUNTIME_DIR"), wayland)
		}
		return ownedBy(wayland, uid) && accepts("unix", wayland)
	}
	if filepath.IsAbs(x11) { // of launchd, which starts the server at the first connection
		return ownedBy(x11, uid)
	}
	at := strings.LastIndexByte(x11, ':')
	if at < 0 {
		return false
	}
	number, _, _ := strings.Cut(x11[at+1:], ".")
	n, err := strconv.ParseUint(number, 10, 16)
	switch host := x11[:at]; {
	case err != nil:
		return false
	case host == "" || host == "unix":
		return accepts("unix", "/tmp/.X11-unix/X"+number)
	case host == "localhost" || net.ParseIP(host).IsLoopback():
		return accepts("tcp", net.JoinHostPort(host, strconv.FormatUint(6000+n, 10)))
	}
	return true
}

// accepts reports whether a server accepts a connection in time.
func accepts(network, address string) bool {
	conn, err := net.DialTimeout(network, address, agentTime)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

// ownedBy reports whether something at the path is the user's.
func ownedBy(path string, uid int) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int64(st.Uid) == int64(uid)
}
