package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/proc"
)

// writeServerFile writes server.json.
func (d *daemon) writeServerFile() error {
	start, _ := proc.StartTime(os.Getpid()) // without it no other process can signal this one
	data, err := json.Marshal(api.ServerFile{PID: os.Getpid(), Socket: d.o.Paths.Socket(), Version: api.Version, Start: start})
	if err != nil {
		return err
	}
	return atomicfile.Replace(d.o.Paths.ServerFile(), data)
}

// machineOf returns api.Server.Machine.
func machineOf(state string) string {
	host, _ := os.Hostname() // images that are copied have the same machine id
	sum := sha256.Sum256([]byte(strings.Join([]string{proc.MachineID(), host, strconv.Itoa(os.Getuid()), state}, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// health returns GET /v1/health without the counts, which the journal fills in.
func (d *daemon) health() api.Server {
	tcp := ""
	if a := d.tcpAddress.Load(); a != nil {
		tcp = *a
	}
	unsaved := ""
	if p := d.storeProblem.Load(); p != nil {
		unsaved = *p
	}
	var aside []string
	if p := d.aside.Load(); p != nil {
		aside = *p
	}
	return api.Server{PID: os.Getpid(), Unsaved: unsaved, Aside: aside, TCP: tcp, Version: api.Version, Revision: api.Revision, Keys: true, Socket: d.o.Paths.Socket(), Machine: machineOf(d.o.Paths.State), Started: d.started,
		Uptime: time.Since(d.started).Seconds(), StateDir: d.o.Paths.State, Goroutines: runtime.NumGoroutine(),
		ConfigFile: d.o.Paths.ConfigFile(), PolicyFile: d.o.Paths.PolicyFile()}
}
