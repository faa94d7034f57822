package link

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Programs are installed on a node together.
var Programs = []string{"ccdir", "ccdir-daemon", "ccdir-shim"}

// install sends programs to the script, which compares their SHA-256 and puts them into place
// together.
func (c *connection) install(nonce string, h hello, what Install) error {
	want, err := systemOf(h.system, h.machine)
	if err != nil {
		return err
	}
	if !plainVersion(what.Version) {
		return fmt.Errorf("%q is no version", what.Version)
	}
	if _, err := fmt.Fprintf(c.in, "install %s\n", what.Version); err != nil {
		return err
	}
	for _, name := range Programs {
		c.k.change(func(s *Status) { s.Reason = "installing " + name })
		data, err := os.ReadFile(filepath.Join(what.Dir, name))
		if err != nil {
			return fmt.Errorf("a program to install is missing: %w", err)
		}
		if have, err := programSystem(data); err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(what.Dir, name), err)
		} else if have != want {
			return fmt.Errorf("the node is %s, the programs in %s are for %s: unpack those of its system and name their directory by --from", want, what.Dir, have)
		}
		if err := c.sendProgram(nonce, name, data); err != nil {
			return err
		}
	}
	_, err = io.WriteString(c.in, "end 0 0\n")
	if err == nil {
		c.k.change(func(s *Status) { s.Installed = "~/.local/share/ccdir/" + what.Version })
	}
	return err
}

// sendProgram sends one program, gzipped, when the script asks for it.
func (c *connection) sendProgram(nonce, name string, data []byte) error {
	sum := sha256.Sum256(data)
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		return err
	}
	if _, err := z.Write(data); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(c.in, "%s %d %s\n", name, packed.Len(), hex.EncodeToString(sum[:])); err != nil {
		return err
	}
	line, err := c.out.ReadString('\n')
	if err != nil {
		return err
	}
	if want := greetingWord + " " + nonce + " next " + name; strings.TrimSpace(line) != want {
		return fmt.Errorf("installing %s failed: the node says %q", name, tail([]byte(line)))
	}
	_, err = c.in.Write(packed.Bytes())
	return err
}

// plainVersion reports whether a version can be a directory's name.
func plainVersion(v string) bool {
	return v != "" && len(v) < 64 && v[0] != '.' && strings.Trim(v, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.+-_") == ""
}

// systemOf returns what uname says in Go's words.
func systemOf(system, machine string) (string, error) {
	os := map[string]string{"Linux": "linux", "Darwin": "darwin"}[system]
	arch := map[string]string{"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}[machine]
	if os == "" || arch == "" {
		return "", fmt.Errorf("ccdir does not run on %s %s", system, machine)
	}
	return os + "/" + arch, nil
}

// programSystem returns the system that a program is for, by its first bytes (ELF, Mach-O).
func programSystem(data []byte) (string, error) {
	if len(data) >= 20 {
		elf := map[uint16]string{62: "linux/amd64", 183: "linux/arm64"}[binary.LittleEndian.Uint16(data[18:])]
		if elf != "" && string(data[:5]) == "\x7fELF\x02" {
			return elf, nil
		}
		macho := map[uint32]string{0x01000007: "darwin/amd64", 0x0100000c: "darwin/arm64"}[binary.LittleEndian.Uint32(data[4:])]
		if macho != "" && binary.LittleEndian.Uint32(data) == 0xfeedfacf {
			return macho, nil
		}
	}
	return "", errors.New("it is no program of a system that ccdir runs on")
}
