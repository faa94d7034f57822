package gemini

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ccdir/agents"
	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/disk/untrusted"
)

// Names in a home of Gemini CLI.
const (
	configDir    = ".gemini"
	settingsFile = "settings.json"
	overlayDir   = "gemini-home"
)

// Bounds of what is read of the user's home.
const (
	maxSettings = 1 << 20
	maxEntries  = 1000
)

// copied are files that Gemini CLI replaces by a rename, which would end a link; made are those
// that each home has for itself.
var (
	copied = map[string]bool{"projects.json": true}
	made   = map[string]bool{settingsFile: true, "state.json": true, trustFile: true}
)

// The file of the trusted folders is replaced by a rename too, but an environment variable names
// it, so that what a person trusts in a session is trusted everywhere.
const (
	trustFile = "trustedFolders.json"
	envTrust  = "GEMINI_CLI_TRUSTED_FOLDERS_PATH"
)

// trustEnv is that variable, unless the user has it.
func trustEnv(env []string) []string {
	if agents.Getenv(env, envTrust) != "" {
		return nil
	}
	return []string{envTrust + "=" + filepath.Join(userHome(env), configDir, trustFile)}
}

// linked are the names that are linked even where the user has none yet: what is written
// there in a session is the user's. The folders exist in every home that was used.
var (
	linkedFolders = []string{"tmp", "history"}
	linkedFiles   = []string{"oauth_creds.json", "google_accounts.json", "mcp-oauth-tokens.json", "mcp-oauth-tokens-v2.json",
		"installation_id", "user_id", "GEMINI.md"}
)

// userHome is the home that the user's Gemini CLI would have; "" if the environment names
// none.
func userHome(env []string) string {
	if home := agents.Getenv(env, "GEMINI_CLI_HOME"); home != "" {
		return home
	}
	return agents.Getenv(env, "HOME")
}

// overlay makes the session's own home and returns its path: the user's settings with our hooks
// and our MCP server in a file of its own, links to everything else of the user's. Nothing of
// the user's is changed but for the folders that Gemini CLI makes at its first start.
func overlay(s agents.Start) (string, error) {
	user := userHome(s.Env)
	if !filepath.IsAbs(user) {
		return "", errors.New("gemini needs a home: set HOME or GEMINI_CLI_HOME to an absolute path")
	}
	from, home := filepath.Join(user, configDir), filepath.Join(s.Dir, overlayDir)
	to := filepath.Join(home, configDir)
	if err := os.MkdirAll(to, 0o700); err != nil {
		return "", fmt.Errorf("cannot make the agent's home: %w", err)
	}
	if err := linkHome(from, to); err != nil {
		return "", fmt.Errorf("cannot fill the agent's home: %w", err)
	}
	own, err := userSettings(filepath.Join(from, settingsFile))
	if err != nil {
		return "", err
	}
	data, err := json.MarshalIndent(managedSettings(s, own), "", "  ")
	if err != nil {
		return "", err
	}
	if err := atomicfile.WriteUnsynced(filepath.Join(to, settingsFile), data); err != nil {
		return "", fmt.Errorf("cannot write the agent's settings: %w", err)
	}
	return home, nil
}

// linkHome links what is in the user's folder. Links of an earlier start are replaced.
func linkHome(from, to string) error {
	for _, name := range linkedFolders {
		if err := os.MkdirAll(filepath.Join(from, name), 0o700); err != nil {
			return err
		}
	}
	dir, err := os.Open(from)
	if err != nil {
		return err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(maxEntries)
	if err != nil {
		return err
	}
	for _, name := range append(names, linkedFiles...) {
		source, target := filepath.Join(from, name), filepath.Join(to, name)
		switch {
		case made[name]:
		case copied[name]:
			err = copyFile(source, target)
		default:
			err = link(source, target)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// link makes target a link to source, in place of an older link.
func link(source, target string) error {
	if old, err := os.Readlink(target); err == nil && old == source {
		return nil
	}
	if info, err := os.Lstat(target); err == nil && info.Mode()&fs.ModeSymlink == 0 {
		return nil // a former process of the session made it
	}
	_ = os.Remove(target)
	return os.Symlink(source, target)
}

// copyFile copies a file unless the target exists: a former process of the session wrote it.
func copyFile(source, target string) error {
	if _, err := os.Lstat(target); err == nil {
		return nil
	}
	data, err := untrusted.Read(source, maxSettings)
	if err != nil {
		return err
	}
	return atomicfile.WriteUnsynced(target, data)
}
