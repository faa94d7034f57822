package claude

import (
	"encoding/json"
	"path/filepath"

	"ccdir/internal/disk/untrusted"
)

// maxStateFile bounds .claude.json, in bytes.
const maxStateFile = 32 << 20

// Cost reads lastCost, which Claude Code keeps per project in .claude.json: in its
// configuration directory if CLAUDE_CONFIG_DIR is set, else beside it (2.1.329). A
// process that is killed writes none.
func (Adapter) Cost(transcript, conversation string) (usd float64, ok bool) {
	// …/projects/DIR/CONVERSATION.jsonl
	config := filepath.Dir(filepath.Dir(filepath.Dir(transcript)))
	if !filepath.IsAbs(transcript) || conversation == "" {
		return 0, false
	}
	for _, dir := range []string{config, filepath.Dir(config)} {
		if usd, ok = lastCost(filepath.Join(dir, ".claude.json"), conversation); ok {
			return usd, true
		}
	}
	return 0, false
}

func lastCost(path, conversation string) (usd float64, ok bool) {
	data, err := untrusted.Read(path, maxStateFile)
	if err != nil {
		return 0, false
	}
	var in struct {
		Projects map[string]struct {
			Cost    float64 `json:"lastCost"`
			Session string  `json:"lastSessionId"`
		} `json:"projects"`
	}
	if json.Unmarshal(data, &in) != nil {
		return 0, false
	}
	for _, p := range in.Projects {
		if p.Session == conversation && p.Cost >= 0 {
			return p.Cost, true
		}
	}
	return 0, false
}
