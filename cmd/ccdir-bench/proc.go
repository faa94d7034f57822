package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// usage is the use of resources by a set of processes so far, from /proc.
type usage struct {
	processes int
	cpu       time.Duration
	// wakeups are voluntary context switches of all threads.
	wakeups int64
	// pss and rss are in bytes, as of now.
	pss, rss int64
}

// clockTick is the unit of CPU times in /proc/PID/stat; 100 Hz on every Linux
// that Go runs on.
const clockTick = time.Second / 100

func readUsage(pids []int) usage {
	u := usage{processes: len(pids)}
	for _, pid := range pids {
		dir := fmt.Sprintf("/proc/%d", pid)
		u.cpu += cpuTime(dir)
		tasks, _ := filepath.Glob(dir + "/task/*/status")
		for _, t := range tasks {
			u.wakeups += field(t, "voluntary_ctxt_switches:")
		}
		u.rss += field(dir+"/status", "VmRSS:") * 1024
		u.pss += field(dir+"/smaps_rollup", "Pss:") * 1024
	}
	return u
}

// since is the use between before and u, with the memory as of u.
func (u usage) since(before usage) usage {
	u.cpu -= before.cpu
	u.wakeups -= before.wakeups
	return u
}

func (u usage) plus(v usage) usage {
	return usage{u.processes + v.processes, u.cpu + v.cpu, u.wakeups + v.wakeups, u.pss + v.pss, u.rss + v.rss}
}

// cpuTime prefers the nanoseconds of schedstat, summed over threads, to the
// ticks of stat.
func cpuTime(dir string) time.Duration {
	tasks, _ := filepath.Glob(dir + "/task/*/schedstat")
	var sum time.Duration
	for _, t := range tasks {
		data, err := os.ReadFile(t)
		if err != nil {
			continue
		}
		first, _, _ := strings.Cut(string(data), " ")
		ns, _ := strconv.ParseInt(first, 10, 64)
		sum += time.Duration(ns)
	}
	if sum > 0 {
		return sum
	}
	data, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(data), ") ")
	f := strings.Fields(after)
	if len(f) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(f[11], 10, 64)
	sys, _ := strconv.ParseInt(f[12], 10, 64)
	return time.Duration(user+sys) * clockTick
}

// field returns the first number after name in a file of "name value" lines.
func field(path, name string) int64 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if rest, ok := strings.CutPrefix(s.Text(), name); ok {
			words := strings.Fields(rest)
			if len(words) == 0 {
				return 0
			}
			n, _ := strconv.ParseInt(words[0], 10, 64)
			return n
		}
	}
	return 0
}

// printMachine describes the machine that the figures are from.
func printMachine(w io.Writer) { fmt.Fprintln(w, machine()) }

func machine() string {
	model := "unknown CPU"
	if data, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if _, rest, ok := strings.Cut(string(data), "model name"); ok {
			line, _, _ := strings.Cut(rest, "\n")
			model = strings.TrimSpace(strings.TrimLeft(line, "\t :"))
		}
	}
	return fmt.Sprintf("%s, %s/%s, %s, %d CPUs, %s", time.Now().UTC().Format("2006-01-02 15:04 MST"),
		runtime.GOOS, runtime.GOARCH, model, runtime.NumCPU(), runtime.Version())
}
