package claude

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"ccdir/agents"
	"ccdir/agents/statusline"
)

// statusLine is the setting of that name of a session: our command, which shows the person's own,
// with all else that they set beside it; nil for a version of which it is not known that it
// works. own is the object of the user's --settings argument, args are the other arguments.
func statusLine(s agents.Start, version agents.Version, own map[string]any, args []string) map[string]any {
	if version.Before(sinceStatusLine) {
		return nil
	}
	line := statusline.Line{Hook: HookStatusLine, Files: settingsFiles(s, args)}
	theirs, given := own["statusLine"].(map[string]any)
	for _, file := range line.Files {
		if given {
			break
		}
		if read, ok := statusline.Read(file); ok && read.Object != nil {
			theirs, given = read.Object, true
		}
	}
	if _, first := own["statusLine"]; first {
		line.Files, line.Command = nil, statusline.Settings{Object: theirs}.Command()
	}
	if off, _ := own["disableAllHooks"].(bool); off {
		line.Files, line.Command = nil, ""
	}
	out := maps.Clone(theirs)
	if out == nil {
		out = map[string]any{}
	}
	command := agents.ShellQuote(s.Shim) + " statusline"
	for _, arg := range line.Args() {
		command += " " + agents.ShellQuote(arg)
	}
	out["type"], out["command"] = "command", command
	return out
}

// settingsFiles are the settings files that the session reads besides ours, the one that counts most
// first.
func settingsFiles(s agents.Start, args []string) (files []string) {
	user := agents.Getenv(s.Env, "CLAUDE_CONFIG_DIR")
	if home := agents.Getenv(s.Env, "HOME"); user == "" && home != "" {
		user = filepath.Join(home, ".claude")
	}
	project := filepath.Join(s.CWD, ".claude")
	for _, source := range []struct{ name, path string }{
		{"local", filepath.Join(project, "settings.local.json")}, {"project", filepath.Join(project, "settings.json")}, {"user", filepath.Join(user, "settings.json")},
	} {
		if filepath.IsAbs(source.path) && reads(args, source.name) {
			files = append(files, source.path)
		}
	}
	return files
}

// reads reports whether the arguments let the session read that source of settings.
func reads(args []string, source string) bool {
	const flag = "--setting-sources"
	for i, arg := range args {
		value, joined := strings.CutPrefix(arg, flag+"=")
		switch {
		case arg == "--":
			return true
		case arg == flag && i+1 < len(args):
			value = args[i+1]
		case !joined:
			continue
		}
		return slices.ContainsFunc(strings.Split(value, ","), func(s string) bool { return strings.TrimSpace(s) == source })
	}
	return true
}
