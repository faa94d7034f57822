package agents

import (
	"encoding/json"
	"path/filepath"

	"ccdir/internal/disk/untrusted"
)

// packageVersion is the version of the npm package whose program path is, from its package.json;
// "" if it is none. Some agents need seconds to tell theirs.
func packageVersion(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	for dir, n := filepath.Dir(real), 0; n < 3; dir, n = filepath.Dir(dir), n+1 {
		data, err := untrusted.Read(filepath.Join(dir, "package.json"), maxPackage)
		if err != nil {
			continue
		}
		version, programs := readPackage(data)
		for _, program := range programs {
			if filepath.Join(dir, program) == real {
				return version
			}
		}
		return ""
	}
	return ""
}

// readPackage reads a package.json: its version, and the paths of its programs.
func readPackage(data []byte) (version string, programs []string) {
	var p struct {
		Version string          `json:"version"`
		Bin     json.RawMessage `json:"bin"`
	}
	if json.Unmarshal(data, &p) != nil {
		return "", nil
	}
	var one string
	var several map[string]string
	if json.Unmarshal(p.Bin, &one) == nil {
		programs = []string{one}
	} else if json.Unmarshal(p.Bin, &several) == nil {
		for _, program := range several {
			programs = append(programs, program)
		}
	}
	return Visible(p.Version, 100), programs
}

// maxPackage bounds a package.json, in bytes.
const maxPackage = 1 << 20
