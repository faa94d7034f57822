package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"time"
)

// shellNoise prints a coloured line fifty times a second while the file $1 exists. Each
// sleep is a process: fifteen panes start 750 per second, and keys have to wait for
// those.
const shellNoise = `i=0
while :; do
	if [ ! -e "$1" ]; then sleep 0.1; continue; fi
	i=$((i+1)); printf '\033[3%dmline %d of a noisy pane\033[m\r\n' $((i%8)) $i; sleep 0.02
done`

// The region that an agent's CLI repaints in a pane of the noisy grid.
const noiseRows, noiseCols = 9, 24

// loadNoise repaints twenty times a second while the file turn exists, as an agent's
// CLI does while an answer streams in.
func loadNoise(out *bufio.Writer, turn string) error {
	return whileTurn(out, turn, noiseFrame)
}

// logLines is how many lines loadLogs prints at a time.
const logLines = 40

// loadLogs prints forty lines twenty times a second while the file turn exists, about
// 70 KB per second, as builds, test runs and installations do.
func loadLogs(out *bufio.Writer, turn string) error {
	return whileTurn(out, turn, func(f int) string {
		var b strings.Builder
		for i := range logLines {
			n := f*logLines + i
			fmt.Fprintf(&b, "\x1b[3%dm[%6d]\x1b[39m %s\r\n", n%8, n, sentence(n))
		}
		return b.String()
	})
}

// whileTurn prints one picture after the other, twenty a second, while the file
// turn exists.
func whileTurn(out *bufio.Writer, turn string, picture func(int) string) error {
	for f := 0; ; {
		if _, err := os.Stat(turn); err != nil {
			time.Sleep(100 * time.Millisecond)
			continue
		}
		fmt.Fprint(out, picture(f))
		if err := out.Flush(); err != nil {
			return err
		}
		f++
		time.Sleep(50 * time.Millisecond)
	}
}

// noiseFrame erases the frame before it, line by line, and writes this one.
func noiseFrame(f int) string {
	var b strings.Builder
	if f > 0 {
		b.WriteString(strings.Repeat("\x1b[2K\x1b[1A", noiseRows-1) + "\x1b[2K\x1b[G")
	}
	for i := range noiseRows - 1 {
		text := sentence(f/8 + i)
		if i == noiseRows-2 { // the line that grows
			text = text[:min(len(text), f%8*3)]
		}
		fmt.Fprintf(&b, "\x1b[3%dm%.*s\x1b[39m\r\n", (f/8+i)%8, noiseCols, text)
	}
	fmt.Fprintf(&b, "\x1b[36m%c\x1b[39m Thinking (%d tokens)", `|/-\`[f%4], f*7)
	return b.String()
}
