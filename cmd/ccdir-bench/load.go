package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync/atomic"
	"time"
)

// self is the command of a pane that runs one of our own loads.
func self(args ...string) []string {
	exe, err := os.Executable()
	if err != nil {
		exe = os.Args[0]
	}
	return append([]string{exe, "load"}, args...)
}

// done is printed by a load at its end.
const done = "<done>"

// runLoad runs a load in a measured pane: ccdir-bench load KIND ….
func runLoad(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("load: frames PICTURE N, lines N, flood MB, burst FILE MB, forever FILE, full NAME, noise FILE, logs FILE or hooks FIRING")
	}
	out := bufio.NewWriterSize(os.Stdout, 16<<10)
	switch n, _ := strconv.Atoi(args[1]); args[0] {
	case "lines":
		return loadLines(out, n)
	case "flood":
		return loadFlood(out, n)
	case "forever":
		return loadForever(args[1])
	case "full":
		return loadFull(out, args[1])
	case "noise":
		return loadNoise(out, args[1])
	case "logs":
		return loadLogs(out, args[1])
	case "frames", "burst":
		if len(args) < 3 {
			break
		}
		n, err := strconv.Atoi(args[2])
		if err != nil {
			return err
		}
		if args[0] == "burst" {
			return loadBurst(out, args[1], n)
		}
		return loadFrames(out, args[1], n)
	case "hooks":
		return loadHooks(out, args[1])
	}
	return fmt.Errorf("load: no kind %q", args[0])
}

// waitKey prints the ready text and waits for a key. The terminal is in cooked mode, so
// the key is Enter.
func waitKey(out *bufio.Writer) error {
	fmt.Fprint(out, ready)
	if err := out.Flush(); err != nil {
		return err
	}
	_, err := os.Stdin.Read(make([]byte, 16))
	return err
}

// inkRows and inkCols are the region that an Ink program repaints.
const inkRows, inkCols = 30, 98

// floodLine is about a hundred bytes.
const floodLine = "\x1b[3%dm%08d\x1b[39m the quick brown fox jumps over the lazy dog, again and again and again and again\r\n"

// loadFlood prints that many MB as fast as it can, after a key.
func loadFlood(out *bufio.Writer, mb int) error {
	if err := waitKey(out); err != nil {
		return err
	}
	for i, n := 0, 0; n < mb<<20; i++ {
		m, err := fmt.Fprintf(out, floodLine, i%8, i)
		if n += m; err != nil {
			return err
		}
	}
	fmt.Fprint(out, "\r\n", done)
	if err := out.Flush(); err != nil {
		return err
	}
	select {}
}

// loadForever prints without end and writes the number of bytes to file.
func loadForever(file string) error {
	var total atomic.Int64
	go func() {
		for range time.Tick(50 * time.Millisecond) {
			// Renamed into place: the reader must not see an empty file.
			if os.WriteFile(file+".new", []byte(strconv.FormatInt(total.Load(), 10)), 0o600) == nil {
				_ = os.Rename(file+".new", file)
			}
		}
	}()
	out := bufio.NewWriterSize(counting{os.Stdout, &total}, 16<<10)
	for i := 0; ; i++ {
		if _, err := fmt.Fprintf(out, floodLine, i%8, i); err != nil {
			return err
		}
	}
}

type counting struct {
	w io.Writer
	n *atomic.Int64
}

func (c counting) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n.Add(int64(n))
	return n, err
}

// loadFull fills the screen and ends with its name.
func loadFull(out *bufio.Writer, name string) error {
	for i := range 100 {
		fmt.Fprintf(out, floodLine, i%8, i)
	}
	fmt.Fprintf(out, "%s%s", ready, name)
	if err := out.Flush(); err != nil {
		return err
	}
	select {}
}
