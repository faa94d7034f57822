// Package patchtext reads patches in the notation of the tool apply_patch.
package patchtext

import "strings"

// Changes of a file.
const (
	Add    = "add"
	Update = "update"
	Delete = "delete"
)

// File is one part of a patch.
type File struct {
	Path   string `json:"path"`
	Change string `json:"change"`
	// MoveTo is the new path of a file that is moved too, "" for others.
	MoveTo string `json:"move_to,omitempty"`
	Edits  []Edit `json:"edits,omitempty"`
}

// Edit is one replacement in a file; Old is "" for a new file.
type Edit struct {
	Old string `json:"old_string"`
	New string `json:"new_string"`
}

// heads begin the parts of a patch.
var heads = []struct{ text, change string }{
	{"*** Add File: ", Add}, {"*** Update File: ", Update}, {"*** Delete File: ", Delete},
}

const (
	moves = "*** Move to: "
	begin = "*** Begin Patch"
)

// Parse returns the files that a patch changes. The agents' readers forgive blanks around
// the marks, and not all in the same places: whatever one of them may read as a mark is one,
// so that no file is missing. whole is false for text that is no patch, or has parts outside
// of all files: it may change more than files says.
func Parse(text string) (files []File, whole bool) {
	var at *File
	var old, now strings.Builder
	flush := func() {
		if at != nil && old.Len()+now.Len() > 0 {
			at.Edits = append(at.Edits, Edit{old.String(), now.String()})
		}
		old.Reset()
		now.Reset()
	}
	begun := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		mark := strings.TrimSpace(line)
		if file, ok := headOf(mark); ok {
			flush()
			files = append(files, file)
			at = &files[len(files)-1]
			continue
		}
		if to, ok := strings.CutPrefix(mark, moves); ok && at != nil {
			at.MoveTo = strings.TrimSpace(to)
			continue
		}
		switch {
		case mark == begin:
			begun = true
		case strings.HasPrefix(mark, "*** ") || strings.HasPrefix(mark, "@@"):
			flush()
		case at == nil || line == "":
		case line[0] == '-':
			old.WriteString(line[1:] + "\n")
		case line[0] == '+':
			now.WriteString(line[1:] + "\n")
		case line[0] == ' ':
			old.WriteString(line[1:] + "\n")
			now.WriteString(line[1:] + "\n")
		}
	}
	flush()
	return files, begun && len(files) > 0
}

// headOf reads a line that begins the part of a file.
func headOf(mark string) (File, bool) {
	for _, h := range heads {
		if path, ok := strings.CutPrefix(mark, h.text); ok {
			return File{Path: strings.TrimSpace(path), Change: h.change}, true
		}
	}
	return File{}, false
}
