package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

// picturing is a program that draws thirty frames per second.
type picturing struct {
	name, title string
	frame       func(n int) string
}

// pictures are the programs whose bytes the suite counts.
var pictures = []picturing{
	{"ink", fmt.Sprintf("Ink repaint of %dx%d", inkCols, inkRows), inkFrame},
	{"repaint", "repaint of a whole screen with other text", repaintFrame},
	{"burst", "bursts of 200 lines", burstFrame},
	{"scroll", "five lines at a time", scrollFrame},
}

func inkFrame(f int) string {
	var b strings.Builder
	if f == 0 {
		b.WriteString("\x1b[2J\x1b[H")
	} else {
		b.WriteString(strings.Repeat("\x1b[2K\x1b[1A", inkRows-1) + "\x1b[2K\x1b[G")
	}
	for i := range inkRows {
		line := strings.Repeat(fmt.Sprintf("\x1b[3%dmline %02d of the region\x1b[39m ", i%8, i), 4)
		if i == inkRows-2 {
			line = fmt.Sprintf("\x1b[36m%c\x1b[39m Thinking (%d tokens)", `|/-\`[f%4], f*37)
		}
		b.WriteString(line)
		if i < inkRows-1 {
			b.WriteString("\r\n")
		}
	}
	return b.String()
}

// repaintFrame changes the words on every line, as a pager does.
func repaintFrame(f int) string {
	var b strings.Builder
	b.WriteString("\x1b[H")
	for i := range inkRows {
		fmt.Fprintf(&b, "\x1b[3%dm%s\x1b[39m\x1b[K\r\n", (i+f)%8, sentence(f*inkRows+i))
	}
	return b.String()
}

func burstFrame(f int) string { return lines(200*f, 200) }

func scrollFrame(f int) string { return lines(5*f, 5) }

func lines(first, n int) string {
	var b strings.Builder
	for i := first; i < first+n; i++ {
		fmt.Fprintf(&b, "\x1b[3%dm%6d\x1b[39m %s\r\n", i%8, i, sentence(i))
	}
	return b.String()
}

var words = strings.Fields("build cache check daemon event frame grid host input journal kernel layout mirror notice output pane queue row screen task update view watch yield")

// sentence is a line of words that differs from its neighbours.
func sentence(n int) string {
	var b strings.Builder
	for i := range 10 {
		b.WriteString(words[(n*7+i*(n%5+1))%len(words)])
		b.WriteByte(' ')
	}
	return b.String()
}

// loadFrames draws that many frames of a picture after a key.
func loadFrames(out *bufio.Writer, name string, frames int) error {
	if err := waitKey(out); err != nil {
		return err
	}
	for _, p := range pictures {
		if p.name != name {
			continue
		}
		for f := range frames {
			fmt.Fprint(out, p.frame(f))
			if err := out.Flush(); err != nil {
				return err
			}
			time.Sleep(time.Second / 30)
		}
		fmt.Fprint(out, "\r\n", done)
		if err := out.Flush(); err != nil {
			return err
		}
		select {}
	}
	return fmt.Errorf("no picture %q", name)
}

// loadBurst prints that many MB once the file "go" exists beside file, and creates
// file.done when the last byte was accepted.
func loadBurst(out *bufio.Writer, file string, mb int) error {
	fmt.Fprint(out, ready)
	if err := out.Flush(); err != nil {
		return err
	}
	start := file[:strings.LastIndexByte(file, '/')+1] + "go"
	for {
		_, err := os.Stat(start)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		time.Sleep(2 * time.Millisecond)
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
	if err := os.WriteFile(file+".done", nil, 0o600); err != nil {
		return err
	}
	select {}
}

// loadLines prints n coloured lines and stays.
func loadLines(out *bufio.Writer, n int) error {
	fmt.Fprint(out, lines(0, n), ready)
	if err := out.Flush(); err != nil {
		return err
	}
	select {}
}
