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
	"ccdir/sessions/state"
	"ccdir/wire"
)

// maxFile bounds the JSON files read from a session's directory, in bytes.
const maxFile = 64 << 20

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
	Left *orphan `json:"left,omitempty"`
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

// goneSuffix marks a session's directory that is being given up.
const goneSuffix = ".gone"

// discard removes a directory in which no session came to be. A host may be
// starting in it at this moment: it is moved away first, so that the host can
// leave no host.json any more and ends. If it had left one by then, the
// directory is put back, and discard reports that it has to be looked at again.
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

// restore puts a directory that was moved away back if it has a host, else it
// removes it.
func restore(dir string) error {
	if _, err := os.Stat(filepath.Join(dir+goneSuffix, paths.HostFile)); err == nil {
		return os.Rename(dir+goneSuffix, dir)
	}
	return os.RemoveAll(dir + goneSuffix)
}
