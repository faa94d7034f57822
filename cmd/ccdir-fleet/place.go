package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nats-io/nats.go"

	"ccdir/api"
	"ccdir/client"
	"ccdir/fleet/engine"
	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/disk/paths"
	"ccdir/wire/ancestry"
)

// siblingOf is ccdir's executable beside ccdir-fleet's.
func siblingOf(exe string) string { return filepath.Join(filepath.Dir(exe), "ccdir") }

// inside fails if this process runs inside a session, where no daemon could tell.
func inside(c *client.Client) error {
	if where, in := ancestry.Inside(os.Getpid(), filepath.Dir(c.Paths().SessionDir("x"))); in {
		return api.Errorf(api.CodeForbidden, "this process runs inside a session of ccdir (%s): only the person may do that, from a terminal of their own", where)
	}
	return nil
}

// serverDir is where a server keeps its streams and keys.
func serverDir(p paths.Paths) string { return filepath.Join(p.State, "fleet") }

// invitationFile keeps the invitation that this machine joined with.
func invitationFile(p paths.Paths) string { return filepath.Join(p.State, "fleet-invitation") }

// addressFile says where the server of a directory listens, for the verbs beside it.
func addressFile(dir string) string { return filepath.Join(dir, "address") }

// keep writes the invitation down, for later joins and requests.
func keep(p paths.Paths, i engine.Invitation) error {
	if err := os.MkdirAll(p.State, 0o700); err != nil {
		return err
	}
	return atomicfile.Replace(invitationFile(p), []byte(i.String()+"\n"))
}

// kept reads the invitation of this machine.
func kept(p paths.Paths) (engine.Invitation, error) {
	data, err := os.ReadFile(invitationFile(p))
	if errors.Is(err, os.ErrNotExist) {
		return engine.Invitation{}, errors.New("this machine is in no fleet: `ccdir-fleet invite NAME` on the server prints an invitation, `ccdir-fleet join INVITATION` takes it")
	}
	if err != nil {
		return engine.Invitation{}, err
	}
	return engine.ParseInvitation(string(data))
}

// connect connects to the fleet: as the server's own, if one runs from the directory, else by this
// machine's invitation. name is whose rights the connection has.
func connect(p paths.Paths, dir string) (nc *nats.Conn, name string, err error) {
	if url, err := os.ReadFile(addressFile(dir)); err == nil {
		if nc, err := engine.Admin(dir, strings.TrimSpace(string(url))); err == nil {
			return nc, "server", nil
		}
	}
	i, err := kept(p)
	if err != nil {
		return nil, "", err
	}
	nc, err = engine.Dial(i, nil)
	if err == nil && !nc.IsConnected() {
		why := nc.LastError()
		nc.Close()
		err = fmt.Errorf("the fleet's server (%s) does not answer", strings.Join(i.URLs, ", "))
		if why != nil {
			err = fmt.Errorf("%w: %w", err, why)
		}
	}
	return nc, i.Name, err
}

// printJSON prints a value for programs.
func printJSON(v any) error {
	enc := json.NewEncoder(os.Stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
