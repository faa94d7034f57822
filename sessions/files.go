package sessions

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/disk/paths"
	"ccdir/internal/disk/untrusted"
	"ccdir/sessions/delivery"
	"ccdir/sessions/state"
	"ccdir/wire"
)

// maxFile bounds each JSON file read from a session's directory, in bytes.
const maxFile = 64 << 20

// record is a session in the store.
type record struct {
	Session api.Session `json:"session"`
	Fold    state.Fold  `json:"fold"`
	// Evidence is the number of the last host evidence that was weighed.
	Evidence uint64 `json:"evidence"`
	// Talked is true if the conversation has content.
	Talked bool `json:"talked,omitempty"`
	// Prompted is true if the running process has taken a prompt.
	Prompted bool `json:"prompted,omitempty"`
	// Transcript is the conversation's file, for agents outside; "" if unknown.
	Transcript string `json:"transcript,omitempty"`
	// Left is set if the row shows a process that outlived its host.
	Left *orphan `json:"left,omitempty"`
	// Delivery is the prompt in flight, First the prompt that the session was made with,
	// until its outcome is known.
	Delivery *delivery.InFlight `json:"delivery,omitempty"`
	First    string             `json:"first,omitempty"`
	// Given are the variables with secrets that the caller gave besides the environment.
	Given []string `json:"given,omitempty"`
	// Turn is set in sessions of tasks.
	Turn *turnFacts `json:"turn,omitempty"`
}

// passing reports whether an error comes from a shortage in the system and says nothing
// about the file.
func passing(err error) bool {
	for _, e := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EAGAIN} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// How often and at what interval a file is retried after such an error.
const (
	fileTries = 40
	fileAgain = 50 * time.Millisecond
)

// readJSON reads a JSON file of a session's directory. Decisions such as whether a host
// runs must not depend on a shortage of file descriptors, so it retries for up to two
// seconds.
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

// writeJSON replaces a file atomically.
func writeJSON(path string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return atomicfile.Replace(path, data)
}

// readHost and readFinal read the host's files; os.ErrNotExist if it wrote none.
func readHost(dir string) (hf wire.HostFile, err error) {
	err = readJSON(filepath.Join(dir, paths.HostFile), &hf)
	return hf, err
}

func readFinal(dir string) (f wire.Final, err error) {
	err = readJSON(filepath.Join(dir, paths.FinalFile), &f)
	return f, err
}

// perStart are the files of one process; a restart removes them.
var perStart = []string{paths.FinalFile, paths.HostFile, paths.ScreenFile, paths.RingFile, paths.TokenFile, paths.SpoolDir, delivery.FirstFile}

// clearStart removes the files of the previous process. final.json goes first, so that a
// partial removal does not look like a finished process.
func clearStart(dir string) error {
	for _, name := range perStart {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// goneSuffix marks the directory of a session that is being discarded.
const goneSuffix = ".gone"

// discard removes a directory without a session. A host may be starting in it: discard
// renames the directory first, so that the host cannot write host.json and ends. If the
// host was faster, the directory is restored, and again is true.
func discard(dir string) (again bool, err error) {
	if err := os.Rename(dir, dir+goneSuffix); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return false, nil
		}
		return false, err
	}
	if err := restore(dir); err != nil {
		return false, err
	}
	_, err = os.Stat(dir)
	return err == nil, nil
}

// restore puts a renamed directory back if it has a host, else removes it.
func restore(dir string) error {
	if _, err := os.Stat(filepath.Join(dir+goneSuffix, paths.HostFile)); err == nil {
		return os.Rename(dir+goneSuffix, dir)
	}
	return os.RemoveAll(dir + goneSuffix)
}
