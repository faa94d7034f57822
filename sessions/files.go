package sessions

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/disk/paths"
	"ccdir/internal/disk/untrusted"
	"ccdir/sessions/state"
	"ccdir/wire"
)

// specFile is session.json in a session's directory: what the session is, apart
// from its process. Restarting goes by it, and so does finding a session again
// whose row in the database is gone.
const specFile = "session.json"

// maxFile bounds the JSON files read from a session's directory, in bytes.
const maxFile = 64 << 20

// Spec is the content of session.json.
type Spec struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Agent string `json:"agent"`
	Kind  string `json:"kind"`
	// Role is "" in files from before there were roles: a dev's.
	Role string `json:"role,omitempty"`
	// Parent is the session whose agent started it.
	Parent string `json:"parent,omitempty"`
	// Command and Args before the adapter's additions; Custom: they were given
	// by the caller and not by the configuration.
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Custom  bool     `json:"custom,omitempty"`
	CWD     string   `json:"cwd"`
	// Env is the environment before what is made per start (token, …).
	Env        []string  `json:"env"`
	Cols       int       `json:"cols"`
	Rows       int       `json:"rows"`
	Scrollback int       `json:"scrollback"`
	Created    time.Time `json:"created"`
	// Version is what the agent's executable said at the last start, "" if
	// not known.
	Version string `json:"version,omitempty"`
	// Request is the caller's id of the call that made it, "" if it gave none.
	Request string `json:"request,omitempty"`
	// Run is the attempt of a task that the session was made for, nil for none.
	Run *TaskRun `json:"run,omitempty"`
}

// noStatus: the caller wants the program status (OSC 7501) left unanswered.
func (s Spec) noStatus() bool { return agents.Getenv(s.Env, api.EnvNoStatus) != "" }

// record is what the store keeps of a session.
type record struct {
	Session api.Session `json:"session"`
	Fold    state.Fold  `json:"fold"`
	// Evidence is the number of the last evidence of the host weighed.
	Evidence uint64 `json:"evidence"`
	// Talked: something was said in the session's conversation.
	Talked bool `json:"talked,omitempty"`
	// Prompted: the process that runs has taken a prompt.
	Prompted bool `json:"prompted,omitempty"`
	// Transcript is where an agent outside keeps its conversation.
	Transcript string `json:"transcript,omitempty"`
	// Left: the row is of a process that a dead host left behind.
	Left *left `json:"left,omitempty"`
	// Delivery is the prompt on its way, First the one that the session was
	// made with until its outcome is known.
	Delivery *delivery `json:"delivery,omitempty"`
	First    string    `json:"first,omitempty"`
	// Turn is what is known of the turn of the last prompt delivered; of
	// sessions of tasks alone.
	Turn *turnFacts `json:"turn,omitempty"`
}

// passing reports whether an error says nothing about the file, but that the
// system is short of something at this moment.
func passing(err error) bool {
	for _, e := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EAGAIN} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// How often and how long a file is tried that cannot be opened for the moment.
const (
	fileTries = 40
	fileAgain = 50 * time.Millisecond
)

// readJSON reads a JSON file of a session's directory. What is decided by such
// files (whether a host runs, above all) must not follow from a want of file
// descriptors: it waits for them, a little.
func readJSON(path string, into any) error {
	data, err := untrusted.Read(path, maxFile)
	for n := 1; passing(err) && n < fileTries; n++ {
		time.Sleep(fileAgain)
		data, err = untrusted.Read(path, maxFile)
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// writeJSON replaces a file.
func writeJSON(path string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return atomicfile.Replace(path, data)
}

// readHost and readFinal read what a host wrote. os.ErrNotExist if it didn't.
func readHost(dir string) (hf wire.HostFile, err error) {
	err = readJSON(filepath.Join(dir, paths.HostFile), &hf)
	return hf, err
}

func readFinal(dir string) (f wire.Final, err error) {
	err = readJSON(filepath.Join(dir, paths.FinalFile), &f)
	return f, err
}

// perStart are the files that belong to one process of a session; a restart
// removes them (the agent's settings it has replaced by then).
var perStart = []string{paths.FinalFile, paths.HostFile, paths.ScreenFile, paths.RingFile, paths.TokenFile, paths.SpoolDir, firstFile}

// clearStart removes what the process before has left; final.json first, so
// that a half-done removal does not look like a finished process.
func clearStart(dir string) error {
	for _, name := range perStart {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}
