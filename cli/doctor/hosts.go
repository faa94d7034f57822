package doctor

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/sessions/login"
)

// running returns a client of a running daemon of this version; nil if there is none, which
// checkDaemon reports.
func running(ctx context.Context, a *verb.App) *client.Client {
	c, err := a.NewClient("cli")
	if err != nil {
		return nil
	}
	if srv, err := c.Health(ctx); err != nil || srv.Version != api.Version {
		return nil
	}
	return c
}

// checkHosts reports hosts of older versions: they keep running after an upgrade, without
// its changes.
func checkHosts(ctx context.Context, a *verb.App) []check {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	c := running(ctx, a)
	if c == nil {
		return nil
	}
	list, err := c.Sessions(ctx)
	if err != nil {
		return one("hosts", checkWarn, err.Error(), "")
	}
	hosts := 0
	var old []string
	for _, v := range list {
		if v.HostPID == 0 {
			continue
		}
		if hosts++; v.HostVersion != "" && v.HostVersion != api.Version {
			old = append(old, fmt.Sprintf("%s (%s)", v.Name, v.HostVersion))
		}
	}
	if len(old) > 0 {
		return one("hosts", checkWarn, fmt.Sprintf("%d of %d are of another version than %s: %s", len(old), hosts, api.Version, strings.Join(old, ", ")),
			"they go on; `ccdir restart SESSION` takes this version when it suits you")
	}
	return one("hosts", checkOK, fmt.Sprintf("%d, all of version %s", hosts, api.Version), "")
}

// checkSSHAgent reports that the ssh agent which sessions reach is gone. Before the first login
// with one there is none, and nothing to say.
func checkSSHAgent(_ context.Context, a *verb.App) []check {
	p, err := a.Paths()
	if err != nil {
		return nil
	}
	socket, err := os.Readlink(p.SSHAgent())
	if err != nil {
		return nil
	}
	if err := login.CheckSSHAgent(socket, a.UID); err != nil {
		return one("ssh agent", checkWarn, "sessions have that of a login that is gone, "+socket, "log in with one (`ssh -A`) and call `ccdir ls` there: sessions reach it then")
	}
	return one("ssh agent", checkOK, socket, "")
}

// checkGuards reports sessions for which no policy holds now.
func checkGuards(ctx context.Context, a *verb.App) (out []check) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	c := running(ctx, a)
	if c == nil {
		return nil
	}
	list, err := c.Sessions(ctx)
	if err != nil {
		return one("hooks", checkWarn, err.Error(), "")
	}
	for _, v := range list {
		if v.Unguarded != "" && !v.State.Ended() {
			out = append(out, check{"hooks", checkWarn, v.Name + ": " + v.Unguarded, "mend that, or end it: `ccdir kill " + v.Name + "`"})
		}
	}
	return out
}

// checkPast reports sessions that can be restored.
func checkPast(ctx context.Context, a *verb.App) []check {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	c := running(ctx, a)
	if c == nil {
		return nil
	}
	o, err := c.RestoreOffer(ctx, 0)
	switch {
	case err != nil:
		return one("restore", checkWarn, err.Error(), "")
	case len(o.Sessions) > 0:
		return one("restore", checkWarn, fmt.Sprintf("%d session(s) of before %s do not run", len(o.Sessions), o.At.Local().Format(time.DateTime)),
			"`ccdir restore` lists them and begins them again")
	}
	return nil
}
