package faults

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// blockLog is a block device that records every write and every flush, so that the disk can
// be built as a power cut at any moment may leave it: with all writes before the last flush,
// and of the later ones any part, in any order. It is a file system of one file (FUSE) below
// a loop device.
type blockLog struct {
	fd   int
	file string // the mounted file

	mu      sync.Mutex
	content []byte
	log     []blockWrite
	ended   chan struct{}
}

// blockWrite is one write; with data nil it is a flush: all writes before it are on disk.
type blockWrite struct {
	offset int64
	data   []byte
}

// block is what a disk writes whole.
const block = 4096

// The part of the protocol of FUSE (linux/fuse.h) that a single file needs.
const (
	fuseForget, fuseGetattr, fuseSetattr, fuseOpen, fuseRead, fuseWrite          = 2, 3, 4, 14, 15, 16
	fuseRelease, fuseFsync, fuseFlush, fuseInit, fuseInterrupt, fuseBatch        = 18, 20, 25, 26, 36, 42
	fuseHeader, fuseReply, fuseArgs, fuseMaxWrite                                = 40, 16, 40, 128 << 10
	fuseMajor, fuseMinor                                                  uint32 = 7, 31
	fuseBigWrites, fuseMaxPages                                           uint32 = 1 << 5, 1 << 22
)

// newBlockLog makes a device of size bytes with an empty ext4.
func newBlockLog(t *testing.T, size int) *blockLog {
	t.Helper()
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	b := &blockLog{fd: fd, file: filepath.Join(t.TempDir(), "disk"), content: make([]byte, size), ended: make(chan struct{})}
	if err := os.WriteFile(b.file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("ccdir-test", b.file, "fuse", unix.MS_NOSUID|unix.MS_NODEV, fmt.Sprintf("fd=%d,rootmode=100000,user_id=0,group_id=0", fd)); err != nil {
		t.Fatal(err)
	}
	go b.serve()
	t.Cleanup(func() {
		if err := unix.Unmount(b.file, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
		<-b.ended // the kernel ends the connection with the mount
		unix.Close(fd)
	})
	tool(t, "mkfs.ext4", "-q", "-F", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0", b.file)
	return b
}

// position is the number of writes and flushes so far.
func (b *blockLog) position() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.log)
}

// beforeFlush is the position before the first flush from a position on.
func (b *blockLog) beforeFlush(at int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	for at < len(b.log) && b.log[at].data != nil {
		at++
	}
	return at
}

// serve answers the kernel until the file is unmounted.
func (b *blockLog) serve() {
	defer close(b.ended)
	in := make([]byte, fuseMaxWrite+fuseHeader+fuseArgs+block)
	for {
		n, err := unix.Read(b.fd, in)
		switch {
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN), errors.Is(err, unix.ENOENT):
			continue
		case err != nil || n < fuseHeader:
			return
		}
		out, errno, silent := b.answer(binary.LittleEndian.Uint32(in[4:]), in[fuseHeader:n])
		if silent {
			continue
		}
		reply := binary.LittleEndian.AppendUint32(nil, uint32(fuseReply+len(out)))
		reply = binary.LittleEndian.AppendUint32(reply, uint32(-int32(errno)))
		reply = append(append(reply, in[8:16]...), out...)
		_, _ = unix.Write(b.fd, reply) // fails if the call was interrupted
	}
}

// answer carries out one call; silent: it gets no reply.
func (b *blockLog) answer(op uint32, in []byte) (out []byte, errno unix.Errno, silent bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	le := binary.LittleEndian
	place := func() (int64, int64) {
		from := int64(le.Uint64(in[8:]))
		return from, min(from+int64(le.Uint32(in[16:])), int64(len(b.content)))
	}
	switch op {
	case fuseInit:
		out = make([]byte, 64)
		le.PutUint32(out, fuseMajor)
		le.PutUint32(out[4:], fuseMinor)
		le.PutUint32(out[8:], fuseMaxWrite)
		le.PutUint32(out[12:], fuseBigWrites|fuseMaxPages)
		le.PutUint32(out[20:], fuseMaxWrite)
		le.PutUint16(out[28:], fuseMaxWrite/block)
	case fuseGetattr, fuseSetattr:
		out = make([]byte, 104)
		le.PutUint64(out, 1<<30) // valid for that many seconds
		le.PutUint64(out[16:], 1)
		le.PutUint64(out[24:], uint64(len(b.content)))
		le.PutUint64(out[32:], uint64(len(b.content)/512))
		le.PutUint32(out[76:], unix.S_IFREG|0o600)
		le.PutUint32(out[80:], 1)
		le.PutUint32(out[96:], block)
	case fuseOpen:
		out = make([]byte, 16)
	case fuseRead:
		if from, to := place(); from < to {
			out = append(out, b.content[from:to]...)
		}
	case fuseWrite:
		from, to := place()
		data := append([]byte(nil), in[fuseArgs:]...)
		if from > to || int64(len(data)) != to-from {
			return nil, unix.EFBIG, false
		}
		copy(b.content[from:], data)
		b.log = append(b.log, blockWrite{from, data})
		out = le.AppendUint64(nil, uint64(len(data)))
	case fuseFsync:
		b.log = append(b.log, blockWrite{})
	case fuseFlush, fuseRelease:
	case fuseForget, fuseInterrupt, fuseBatch:
		return nil, 0, true
	default:
		return nil, unix.ENOSYS, false
	}
	return out, 0, false
}

// cut writes the disk as a power cut after the first at writes and flushes may leave it, and
// returns how many blocks were lost.
func (b *blockLog) cut(t *testing.T, path string, at int, chance *rand.Rand) (lost int) {
	t.Helper()
	b.mu.Lock()
	disk, log := make([]byte, len(b.content)), b.log[:at]
	b.mu.Unlock()
	flushed := 0
	for i, w := range log {
		if w.data == nil {
			flushed = i
		}
	}
	for _, w := range log[:flushed] {
		copy(disk[w.offset:], w.data)
	}
	keep := chance.Float64() // of some cuts almost all is lost, of some almost nothing
	rest := log[flushed:]
	for _, i := range chance.Perm(len(rest)) {
		w := rest[i]
		for from := 0; from < len(w.data); from += block {
			if chance.Float64() > keep {
				lost++
				continue
			}
			copy(disk[w.offset+int64(from):], w.data[from:min(from+block, len(w.data))])
		}
	}
	if err := os.WriteFile(path, disk, 0o600); err != nil {
		t.Fatal(err)
	}
	return lost
}

// mountDisk mounts a file with an ext4 at a directory, which it makes, and returns what
// unmounts it. Renames wait for no data, and data for no journal, unless a program says so.
func mountDisk(t *testing.T, file, dir string) (unmount func()) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	tool(t, "mount", "-o", "loop,data=writeback,noauto_da_alloc,nodiscard", file, dir)
	var once sync.Once
	unmount = func() {
		once.Do(func() {
			var out []byte
			var err error
			for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) { // processes that end hold it
				if out, err = exec.Command("umount", dir).CombinedOutput(); err == nil || time.Now().After(deadline) {
					break
				}
			}
			if err != nil {
				t.Errorf("umount %s: %v\n%s", dir, err, out)
			}
		})
	}
	t.Cleanup(unmount)
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return unmount
}

func tool(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}
