package vconsole

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// ioctls of consoles (linux/vt.h, linux/kd.h).
const (
	vtOpenQry     = 0x5600
	vtDisallocate = 0x5608
)

// zeroWidth is what the kernel keeps in the second column of a wide character.
const zeroWidth = 0x200b

// Console is one virtual terminal. It is not safe for concurrent use.
type Console struct {
	t   testing.TB
	n   int
	tty *os.File
}

// Open takes a free virtual terminal and clears it; cols and rows are in cells. The
// test is skipped where there is none, and gives it back at its end.
func Open(t testing.TB, cols, rows int) *Console {
	t.Helper()
	c, err := open(t)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) || errors.Is(err, unix.ENXIO) || errors.Is(err, unix.ENODEV) {
		t.Skip("no console of the Linux kernel here, or not for this user: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.tty.Close()
		if all, err := os.Open("/dev/tty0"); err == nil {
			_ = unix.IoctlSetInt(int(all.Fd()), vtDisallocate, c.n) // busy while a child has it
			_ = all.Close()
		}
	})
	c.Resize(cols, rows)
	c.Write("\x1bc\x1b%G") // reset, UTF-8
	return c
}

// open takes the first virtual terminal that nobody has. Two that were told the same
// number settle it by a lock.
func open(t testing.TB) (*Console, error) {
	all, err := os.OpenFile("/dev/tty0", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	defer all.Close()
	for range 100 {
		n, err := unix.IoctlGetInt(int(all.Fd()), vtOpenQry)
		if err != nil {
			return nil, fmt.Errorf("asking for a free console: %w", err)
		}
		if n <= 0 {
			return nil, errors.New("every console is in use")
		}
		tty, err := os.OpenFile(fmt.Sprintf("/dev/tty%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
		if err != nil {
			return nil, err
		}
		if unix.Flock(int(tty.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			c := &Console{t: t, n: n, tty: tty}
			_, err := c.look()
			return c, err
		}
		_ = tty.Close()
		time.Sleep(time.Millisecond)
	}
	return nil, errors.New("no console stays free")
}

// Write writes to the console as a program does. The kernel has made the picture when
// it returns.
func (c *Console) Write(s string) {
	c.t.Helper()
	if _, err := c.tty.WriteString(s); err != nil {
		c.t.Fatal(err)
	}
}

// Raw switches off what the line discipline does to output and input.
func (c *Console) Raw() {
	c.t.Helper()
	tio, err := unix.IoctlGetTermios(int(c.tty.Fd()), unix.TCGETS)
	if err != nil {
		c.t.Fatal(err)
	}
	tio.Oflag &^= unix.OPOST
	tio.Lflag &^= unix.ICANON | unix.ECHO | unix.ISIG | unix.IEXTEN
	if err := unix.IoctlSetTermios(int(c.tty.Fd()), unix.TCSETS, tio); err != nil {
		c.t.Fatal(err)
	}
}

// Resize gives the console another size in cells; programs on it get SIGWINCH.
func (c *Console) Resize(cols, rows int) {
	c.t.Helper()
	err := unix.IoctlSetWinsize(int(c.tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(cols), Row: uint16(rows)})
	if err != nil {
		c.t.Fatal("the size of the console: ", err)
	}
}

// Start runs cmd with the console as its terminal.
func (c *Console) Start(cmd *exec.Cmd) {
	c.t.Helper()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.tty, c.tty, c.tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
}

// Type types s, byte by byte, as the keyboard does.
func (c *Console) Type(s string) {
	c.t.Helper()
	for i := range len(s) {
		b := s[i]
		if err := unix.IoctlSetPointerInt(int(c.tty.Fd()), unix.TIOCSTI, int(b)); err != nil {
			c.t.Fatal("typing: ", err)
		}
	}
}

// Cell is one cell: its character (0 in the second column of a wide one) and its
// attributes as the hardware has them: foreground in bits 0 to 2, bright in bit 3,
// background in bits 4 to 6, blinking in bit 7.
type Cell struct {
	Char rune
	Attr uint8
}

// Screen is what the console shows.
type Screen struct {
	Cols, Rows int
	X, Y       int // the cursor, zero-based cells, 255 at most
	Cells      []Cell
}

// Screen reads what the console shows now.
func (c *Console) Screen() Screen {
	c.t.Helper()
	s, err := c.look()
	if err != nil {
		c.t.Fatal(err)
	}
	return s
}

func (c *Console) look() (Screen, error) {
	size, err := unix.IoctlGetWinsize(int(c.tty.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return Screen{}, err
	}
	s := Screen{Cols: int(size.Col), Rows: int(size.Row)}
	n := s.Cols * s.Rows
	attrs, err := readAll(fmt.Sprintf("/dev/vcsa%d", c.n), 4+2*n)
	if err != nil {
		return Screen{}, err
	}
	chars, err := readAll(fmt.Sprintf("/dev/vcsu%d", c.n), 4*n)
	if err != nil {
		return Screen{}, err
	}
	if len(attrs) != 4+2*n || len(chars) != 4*n {
		return Screen{}, fmt.Errorf("%d and %d bytes of a screen of %dx%d", len(attrs), len(chars), s.Cols, s.Rows)
	}
	s.X, s.Y = int(attrs[2]), int(attrs[3])
	s.Cells = make([]Cell, n)
	for i := range s.Cells {
		r := rune(binary.NativeEndian.Uint32(chars[4*i:]))
		if r == zeroWidth {
			r = 0
		}
		s.Cells[i] = Cell{r, attrs[4+2*i+1]}
	}
	return s, nil
}

// readAll reads at most size bytes of a device, without Go's poller: the kernel takes
// 40 ms to let go of one of these that was polled.
func readAll(path string, size int) ([]byte, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer unix.Close(fd)
	out := make([]byte, size)
	n := 0
	for n < size {
		more, err := unix.Read(fd, out[n:])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if more == 0 {
			break
		}
		n += more
	}
	return out[:n], nil
}

// Row is the text of row y.
func (s Screen) Row(y int) string {
	var b strings.Builder
	for _, c := range s.Cells[y*s.Cols : (y+1)*s.Cols] {
		if c.Char != 0 {
			b.WriteRune(c.Char)
		}
	}
	return b.String()
}

// Text is the text of all rows, each with "\n" at its end.
func (s Screen) Text() string {
	var b strings.Builder
	for y := range s.Rows {
		b.WriteString(s.Row(y) + "\n")
	}
	return b.String()
}
