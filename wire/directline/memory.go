package directline

import (
	"sync/atomic"
	"time"
)

// words is the shared memory. Its layout is a protocol between processes of possibly
// different builds: only add to its end.
type words struct {
	// turn says who may write to the PTY: one of the turn… constants.
	turn atomic.Uint32
	// open: the host allows the client to write (1) or not (0). Written by the host.
	open atomic.Uint32
	// done counts the client's inputs that the host has written. Written by the host.
	done atomic.Uint64
	// typed counts the texts that the client began to write. Written by the client.
	typed atomic.Uint64
	// at is when the client wrote last, in Unix nanoseconds. Written by the client.
	at atomic.Int64
	// echo is the state of the lent terminal.
	echo echoWords
	// back: the client has finished the text whose turn the host took away (1).
	// Set by the client, cleared by the host.
	back atomic.Uint32
}

// echoWords is the part of words about the lent terminal.
type echoWords struct {
	// turn says who may write to the terminal: one of the turn… constants. It is
	// turnTerminal except while the terminal is lent.
	turn atomic.Uint32
	// room is Loan.Room, in cells.
	room atomic.Uint32
	// shows is Loan.Shows; 0: nothing is lent. The host clears it when it writes.
	shows atomic.Uint64
	// n is how many bytes of text the host has written, or echoBroken.
	n atomic.Uint32
	// text is the host's echo. It belongs to the holder of turn.
	text [MaxEcho]byte
	// next is Loan.Next, packed.
	next atomic.Uint64
	// wrapped is 1 if the text was written at next.
	wrapped atomic.Uint32
}

// echoBroken in echoWords.n: the host has written something unknown.
const echoBroken = MaxEcho + 1

// MaxEcho is the longest text that a host writes to a lent terminal, in bytes.
const MaxEcho = 32

// Holders of a turn.
const (
	turnFree uint32 = iota
	turnHost
	turnTerminal // the client
)

// pageSize is the size of the shared memory, in bytes.
const pageSize = 4096

const (
	// holdWait is how long one side waits for the other to finish a write. A write takes
	// microseconds: a process that takes longer was stopped in the middle of it.
	holdWait = 50 * time.Millisecond
	holdStep = 50 * time.Microsecond
)
