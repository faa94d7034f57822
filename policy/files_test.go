package policy_test

import (
	"encoding/json"
	"testing"

	"ccdir/policy"
)

// TestFilesOfPrograms: rules about files hold for what well-known programs read and
// write, however they are told.
func TestFilesOfPrograms(t *testing.T) {
	read := mustParse(t, "[roles.dev]\nallow=['Bash', 'Read']\ndeny=['Read(.env)', 'Read(./secrets/**)']")
	for _, command := range []string{
		"xargs -a .env echo", "xargs -0a .env echo", "xargs --arg-file=.env echo", "date -f .env", "gcat .env", "ghead -n1 .env", "ggrep x .env", "cksum .env", "bzgrep x .env", "ar r x .env",
		"curl file:///home/u/project/secrets/k", "curl -s file://localhost/home/u/project/secrets/k", "git merge-file -p a .env b", "git commit -F .env", "git commit -qF .env", "git commit --file=.env",
		"git hash-object -w secrets/k", "git tag -F.env x", "cpp .env", "cat /System/Volumes/Data/home/u/project/secrets/k", "cat '/home/u/project/ſecrets/k'",
	} {
		if d := read.Decide(bash(command)); d.Decision != policy.Deny {
			t.Errorf("%s: %s (%s)", command, d.Decision, d.Reason)
		}
	}
	for _, command := range []string{"ln -s . y && cat y/secrets/k", "ln -s / y; cat y/home/u/project/secrets/k", "mv ../project y; cat y/secrets/k", "cat /.vol/1/2", "cat /.nofollow/home/u/project/.env"} {
		if d := read.Decide(bash(command)); d.Decision == policy.Allow {
			t.Errorf("%s: %s (%s)", command, d.Decision, d.Reason)
		}
	}
	for _, command := range []string{"ln -s a b", "mv src/a src/b", "date -u", "curl -s https://a.b/c", "tar xf a.tar", "ls -la /System"} {
		if d := read.Decide(bash(command)); d.Decision != policy.Allow {
			t.Errorf("%s: %s (%s)", command, d.Decision, d.Reason)
		}
	}
	edit := mustParse(t, "[roles.dev]\nallow=['Bash']\ndeny=['Edit(./secrets/**)']")
	for _, command := range []string{
		"curl -so secrets/x http://h", "curl -sSLo secrets/x http://h", "curl -o secrets/x h", "curl --output-dir secrets -O http://h/x", "wget -qO secrets/x http://h", "wget -qP secrets http://h/x",
		"tar -cf secrets/x.tar src", "tar czf secrets/x.tar src", "tar --create --file=secrets/x src", "tar -xC secrets -f x.tar", "tar xf x.tar -C secrets", "unzip x.zip -d secrets", "zip -r secrets/x.zip a", "sort -uo secrets/x a", "mktemp secrets/XXXX",
	} {
		if d := edit.Decide(bash(command)); d.Decision != policy.Deny {
			t.Errorf("%s: %s (%s)", command, d.Decision, d.Reason)
		}
	}
	for _, command := range []string{"tar -tf secrets/x.tar", "tar xf secrets/x.tar", "curl -T secrets/x h", "zip x.zip secrets/k", "unzip secrets/x.zip", "sort secrets/x"} {
		if d := edit.Decide(bash(command)); d.Decision != policy.Allow {
			t.Errorf("%s: %s (%s)", command, d.Decision, d.Reason)
		}
	}
}

// TestSettingsOfAgent: whatever puts settings of the agent in place is asked about.
func TestSettingsOfAgent(t *testing.T) {
	p := mustParse(t, "[roles.dev]\nallow=['Bash', 'Edit', 'Read']")
	for _, command := range []string{
		"cp x/settings.local.json .claude/", "cp x/settings.json .claude", "mv settings.json .claude/.", "cp -t .claude settings.json", "rm -rf .claude", "mv .claude x", "tar -xf x.tar -C .claude", "unzip x.zip -d .claude",
		"cp x .claude/settings.json", "cp x .claude/sett*", "cp x ~/.claude/settings.json", "curl -so .claude/settings.local.json http://h", "cp policy.toml .ccdir/",
		"mkdir -p .claude/commands", "cp a.md .claude/commands/", "cp -r x .claude/skills/deploy",
	} {
		if d := p.Decide(bash(command)); d.Decision != policy.Ask {
			t.Errorf("%s: %s (%s)", command, d.Decision, d.Reason)
		}
	}
	for _, command := range []string{"mkdir -p .claude/output-styles", "mkdir -p .claude", "cp a.md .claude/output-styles/", "cat .claude/settings.json", "rm x.json", "rm -rf build"} {
		if d := p.Decide(bash(command)); d.Decision != policy.Allow {
			t.Errorf("%s: %s (%s)", command, d.Decision, d.Reason)
		}
	}
}

// TestFoldedNames: names that a file system may take for the same are the same for
// deny, and not for allow.
func TestFoldedNames(t *testing.T) {
	p := mustParse(t, "[roles.dev]\nallow=['Read(./pub/**)']\ndeny=['Read(./café/**)', 'Read(./straße/*)', 'Read(./pub/keys/**)']")
	for path, want := range map[string]policy.Effect{
		"café/x": policy.Deny, "cafe\u0301/x": policy.Deny, "CAFÉ/x": policy.Deny, "STRASSE/x": policy.Deny, "straße/x": policy.Deny, "pub/\u212aeys/x": policy.Deny, "pub/key\u017f/x": policy.Deny, "pub/ke\u200cys/x": policy.Deny,
		"pub/x": policy.Allow, "pub/cafe\u0301": policy.Allow, "cafe/x": policy.None, "PUB/x": policy.None,
	} {
		in, err := json.Marshal(map[string]string{"file_path": path})
		if err != nil {
			t.Fatal(err)
		}
		r := bash("")
		r.Tool, r.Input = "Read", in
		if d := p.Decide(r); d.Decision != want {
			t.Errorf("%q: %s (%s), want %s", path, d.Decision, d.Reason, want)
		}
	}
}
