package daemon

import (
	"encoding/json"
	"os"
	"runtime"
	"time"

	"ccdir/api"
	"ccdir/config"
	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/proc"
)

// announce writes server.json.
func (d *daemon) announce() error {
	start, _ := proc.StartTime(os.Getpid()) // without it nobody can wake this process
	data, err := json.Marshal(api.ServerFile{PID: os.Getpid(), Socket: d.o.Paths.Socket(), Version: api.Version, Start: start})
	if err != nil {
		return err
	}
	return atomicfile.Replace(d.o.Paths.ServerFile(), data)
}

// server is what does not change of GET /v1/health.
func (d *daemon) server() api.Server {
	tcp := ""
	if a := d.tcpAddress.Load(); a != nil {
		tcp = *a
	}
	return api.Server{PID: os.Getpid(), TCP: tcp, Version: api.Version, Revision: api.Revision, Keys: true, Socket: d.o.Paths.Socket(), Started: d.started,
		Uptime: time.Since(d.started).Seconds(), StateDir: d.o.Paths.State, Goroutines: runtime.NumGoroutine(),
		ConfigFile: d.o.Paths.ConfigFile(), PolicyFile: d.o.Paths.PolicyFile()}
}

// note appends an event of the daemon itself.
func (d *daemon) note(eventType, message string) {
	<-d.events.Append(api.WatchMessage{Event: &api.Event{At: time.Now().UTC(), Type: eventType, Source: "daemon", Message: message}}, nil, "")
}

// maxProblems bounds the events about one reading of the configuration.
const maxProblems = 10

func (d *daemon) noteProblems(loaded config.Loaded) {
	for _, p := range loaded.Problems[:min(len(loaded.Problems), maxProblems)] {
		d.log.Warn("configuration", "problem", p.String())
		d.note(api.EventConfigError, p.String())
	}
}
