package transcript

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"ccdir/internal/disk/untrusted"
)

// Packing is how an agent packs files of conversations that have rested: the same lines,
// compressed, in place of the file.
type Packing struct {
	// Suffix is what the packed file's name has behind that of the other.
	Suffix string
	// Unpack reads the lines. It bounds its memory, whatever it is given.
	Unpack func(io.Reader) (io.ReadCloser, error)
}

// maxUnpacked bounds the lines of a packed file, in bytes: little can be a lot.
const maxUnpacked = 2 << 30

// content is a file's lines while they are read.
type content interface {
	io.ReaderAt
	io.Closer
}

// open opens the file, or the packed one where that is in its place. whole: it is packed, and as it was
// when it was read to its end.
func (f *File) open() (c content, info fs.FileInfo, whole bool, err error) {
	file, info, err := untrusted.Open(f.path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) || f.packing.Unpack == nil {
		return file, info, false, err
	}
	if file, info, err = untrusted.Open(f.path + f.packing.Suffix); err != nil {
		return nil, nil, false, err
	}
	if f.whole && os.SameFile(f.info, info) && f.info.Size() == info.Size() && f.info.ModTime().Equal(info.ModTime()) {
		return file, info, true, nil
	}
	lines, err := f.packing.Unpack(file)
	if err != nil {
		_ = file.Close()
		return nil, nil, false, err
	}
	return &unpacked{file: file, lines: lines}, info, false, nil
}

// unpacked reads forward alone.
type unpacked struct {
	file  *os.File
	lines io.ReadCloser
	at    int64
}

// ReadAt implements io.ReaderAt for positions that only grow.
func (u *unpacked) ReadAt(p []byte, offset int64) (n int, err error) {
	switch {
	case offset < u.at:
		return 0, fmt.Errorf("position %d of a packed file was read before", offset)
	case offset+int64(len(p)) > maxUnpacked:
		return 0, fmt.Errorf("it has more than %d bytes", int64(maxUnpacked))
	}
	skipped, err := io.CopyN(io.Discard, u.lines, offset-u.at)
	if u.at += skipped; err != nil {
		return 0, err
	}
	for n < len(p) && err == nil { // not io.ReadFull, for which a file that was cut looks like the end
		var k int
		k, err = u.lines.Read(p[n:])
		n += k
	}
	u.at += int64(n)
	return n, err
}

// again begins at the first line.
func (u *unpacked) again(packing Packing) error {
	_ = u.lines.Close()
	if _, err := u.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	lines, err := packing.Unpack(u.file)
	if err != nil {
		return err
	}
	u.lines, u.at = lines, 0
	return nil
}

// Close implements io.Closer.
func (u *unpacked) Close() error { return errors.Join(u.lines.Close(), u.file.Close()) }

// stat is os.Stat of the file, or of the packed one in its place.
func (f *File) stat() (fs.FileInfo, error) {
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) && f.packing.Unpack != nil {
		return os.Stat(f.path + f.packing.Suffix)
	}
	return info, err
}
