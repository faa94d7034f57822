package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// manyNodes and manySessions are how many nodes one grid has at once, and sessions each of them.
const manyNodes, manySessions = 10, 10

// many is the echo of a local session in a grid with many nodes, and the memory of their links.
func (r *nodeRig) many() (string, error) {
	if _, err := r.near1("node", "rm", "box"); err != nil {
		return "", err
	}
	if _, err := r.near1("new", "-n", "local", "--", "sh", "-c", "stty raw -echo; exec cat"); err != nil {
		return "", err
	}
	alone, err := r.localEcho(0)
	if err != nil {
		return "", err
	}
	for i := range manyNodes {
		name, home := fmt.Sprint("n", i), fmt.Sprint(r.far, i)
		r.homes = append(r.homes, home)
		if _, err := r.near1("node", "add", "--yes", name, "box", "--home", home, "--program", filepath.Join(r.o.bin, "ccdir-shim"), "--", "-F", r.file("ssh_config")); err != nil {
			return "", err
		}
		for j := range manySessions {
			program := "exec cat"
			if j == 0 { // something changes at each node
				program = "while :; do date; sleep 1; done"
			}
			if _, err := r.near1("new", "-n", fmt.Sprint("s", j), name+"/", "--", "sh", "-c", program); err != nil {
				return "", err
			}
		}
	}
	with, err := r.localEcho(20 * time.Second)
	if err != nil {
		return "", err
	}
	most := 0.0
	links := r.links()
	for _, pid := range links {
		most = max(most, rss(pid))
	}
	for i := range manyNodes {
		if _, err := r.near1("node", "down", fmt.Sprint("n", i)); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%s (alone: %s); %d links, at most %.1f MB", three(with), three(alone), len(links), most), nil
}

// localEcho types into a local session, once the grid has had that long to reach the nodes.
func (r *nodeRig) localEcho(settle time.Duration) ([]time.Duration, error) {
	term, err := r.open("local")
	if err != nil {
		return nil, err
	}
	defer term.close()
	if settle > 0 {
		if _, err := term.drain(settle); err != nil {
			return nil, err
		}
	}
	if _, err := r.typeMarks(term, 10); err != nil {
		return nil, err
	}
	return r.typeMarks(term, r.o.keys)
}

// links are the processes of this laptop's links.
func (r *nodeRig) links() (pids []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err == nil && bytes.Contains(line, []byte("\x00link\x00")) && strings.Contains(string(line), r.dir) {
			pid, _ := strconv.Atoi(filepath.Base(dir))
			pids = append(pids, pid)
		}
	}
	return pids
}
