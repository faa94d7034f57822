package journal

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"ccdir/internal/disk/atomicfile"
)

// OverflowSize is the default size of the overflow file in bytes: room for some
// thousands of hook calls.
const OverflowSize = 8 << 20

// The overflow file has two headers, of which the valid one with the higher generation
// counts, and records from recordsAt on. A record is its length, its checksum (both 32
// bits, little endian) and its bytes. The checksum includes the generation, so that
// records of earlier generations are not valid. The file is written in place: its blocks
// are allocated when it is made, so that it can be written when the disk is full.
const (
	fileMagic  = "ccdirres"
	slotSize   = 512 // one sector: it is written whole or not at all
	headerSize = len(fileMagic) + 8 + 4
	recordsAt  = 2 * slotSize
	recordHead = 8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errFull: the file has no room for the record.
var errFull = errors.New("the overflow file is full")

// overflowFile is the open file. It belongs to one goroutine at a time.
type overflowFile struct {
	f          *os.File
	size       int64
	generation uint64
	at         int64 // where the next record goes
}

// openOverflow opens the file, or makes it with size bytes, and returns its records. An
// existing smaller file is used as it is if the disk has no room to extend it.
func openOverflow(path string, size int64) (*overflowFile, [][]byte, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, err
	}
	r := &overflowFile{f: f}
	if err := r.allocate(size); err != nil {
		f.Close()
		return nil, nil, err
	}
	records, err := r.load()
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return r, records, nil
}

// allocate reserves the blocks of the file by writing zeros.
func (r *overflowFile) allocate(size int64) error {
	info, err := r.f.Stat()
	if err != nil {
		return err
	}
	had := info.Size()
	zeros := make([]byte, 64<<10)
	for r.size = had; r.size < size; {
		n, err := r.f.WriteAt(zeros[:min(int64(len(zeros)), size-r.size)], r.size)
		r.size += int64(n)
		if err == nil {
			continue
		}
		if err := r.f.Truncate(had); err != nil {
			return err
		}
		if r.size = had; had >= recordsAt {
			return nil
		}
		return fmt.Errorf("no room for the overflow file: %w", err)
	}
	return nil
}

// load reads the current generation and its records.
func (r *overflowFile) load() (records [][]byte, err error) {
	found := false
	for slot := range int64(2) {
		head := make([]byte, headerSize)
		if _, err := r.f.ReadAt(head, slot*slotSize); err != nil {
			return nil, err
		}
		if g, ok := readHeader(head); ok && (!found || g > r.generation) {
			r.generation, found = g, true
		}
	}
	r.at = recordsAt
	if !found { // new, or never used
		return nil, errors.Join(r.reset(), atomicfile.SyncDir(filepath.Dir(r.f.Name())))
	}
	in := bufio.NewReader(io.NewSectionReader(r.f, recordsAt, r.size-recordsAt))
	records, used := readRecords(in, r.generation, r.size-recordsAt)
	r.at += used
	return records, nil
}

func readHeader(head []byte) (generation uint64, ok bool) {
	if len(head) < headerSize || string(head[:len(fileMagic)]) != fileMagic {
		return 0, false
	}
	sum := binary.LittleEndian.Uint32(head[headerSize-4:])
	return binary.LittleEndian.Uint64(head[len(fileMagic):]), crc32.Checksum(head[:headerSize-4], castagnoli) == sum
}

// readRecords reads the valid records of the generation from at most room bytes, and
// returns how many bytes they take.
func readRecords(in io.Reader, generation uint64, room int64) (records [][]byte, used int64) {
	for {
		var head [recordHead]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return records, used
		}
		length := int64(binary.LittleEndian.Uint32(head[:]))
		if length == 0 || length > room-used-recordHead {
			return records, used
		}
		data := make([]byte, length)
		if _, err := io.ReadFull(in, data); err != nil || checksum(generation, data) != binary.LittleEndian.Uint32(head[4:]) {
			return records, used
		}
		records, used = append(records, data), used+recordHead+length
	}
}

func checksum(generation uint64, data []byte) uint32 {
	sum := crc32.Checksum(binary.LittleEndian.AppendUint64(nil, generation), castagnoli)
	return crc32.Update(sum, castagnoli, data)
}

// append writes a record. It is on disk when append returns nil.
func (r *overflowFile) append(data []byte) error {
	if int64(len(data)) > r.size-r.at-recordHead {
		return errFull
	}
	b := make([]byte, 0, recordHead+len(data))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(data))) //nolint:gosec // it fits into the file
	b = binary.LittleEndian.AppendUint32(b, checksum(r.generation, data))
	b = append(b, data...)
	if _, err := r.f.WriteAt(b, r.at); err != nil {
		return err
	}
	if err := r.f.Sync(); err != nil {
		return err
	}
	r.at += int64(len(b))
	return nil
}

// reset deletes all records by a header with the next generation, on disk when it
// returns nil.
func (r *overflowFile) reset() error {
	next := r.generation + 1
	head := append(make([]byte, 0, headerSize), fileMagic...)
	head = binary.LittleEndian.AppendUint64(head, next)
	head = binary.LittleEndian.AppendUint32(head, crc32.Checksum(head, castagnoli))
	if _, err := r.f.WriteAt(head, int64(next%2)*slotSize); err != nil {
		return err
	}
	if err := r.f.Sync(); err != nil {
		return err
	}
	r.generation, r.at = next, recordsAt
	return nil
}

// inPlace reports whether the path still names the file. An error other than a missing
// file says nothing.
func (r *overflowFile) inPlace() bool {
	there, err := os.Stat(r.f.Name())
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
	}
	own, err := r.f.Stat()
	return err != nil || os.SameFile(there, own)
}

func (r *overflowFile) path() string { return r.f.Name() }

func (r *overflowFile) close() error { return r.f.Close() }

// giveUp truncates or removes the file, so that the next daemon finds no records, and
// closes it. It fails if neither works.
func (r *overflowFile) giveUp() error {
	defer r.f.Close()
	err := r.f.Truncate(0)
	if err == nil {
		err = r.f.Sync()
	}
	if err == nil {
		return nil
	}
	if gone := os.Remove(r.f.Name()); gone != nil {
		return errors.Join(err, gone)
	}
	return atomicfile.SyncDir(filepath.Dir(r.f.Name()))
}
