package shell

import (
	"slices"
	"strings"
)

// openPrograms are the programs of which a rule may leave all arguments open: they show
// something, or check or test a project as its own files say. None of them is told by its
// arguments to run another program, and what they may do to files is in no argument.
var openPrograms = set(`echo printf pwd which type basename dirname uname date ls stat du df mkdir
	pytest mypy ruff black isort flake8 pylint pyright eslint prettier stylelint tsc jest vitest gofmt goimports golangci-lint staticcheck govulncheck
	shellcheck rustfmt phpunit phpstan rspec rubocop ktlint swiftlint clang-format hadolint yamllint markdownlint`)

// openVerbs are, by program, the subcommands of which a rule may leave the other arguments open,
// for the same reason. "_" stands for a blank, "*" for the name of a project's own script.
var openVerbs = map[string][]string{
	"git":       strings.Fields("status log show diff blame add commit rev-parse rev-list describe ls-files ls-tree shortlog merge-base name-rev show-ref cat-file"),
	"go":        strings.Fields("test build vet list doc fmt version"),
	"cargo":     strings.Fields("test build check clippy fmt doc tree bench metadata"),
	"npm":       strings.Fields("test run_* ls outdated view"),
	"pnpm":      strings.Fields("test run_* ls outdated"),
	"yarn":      strings.Fields("test run_* list outdated"),
	"pip":       strings.Fields("list show check"),
	"gh":        strings.Fields("pr_view pr_list pr_diff pr_checks pr_status issue_view issue_list issue_status run_view run_list run_watch release_view release_list repo_view"),
	"glab":      strings.Fields("mr_view mr_list mr_diff issue_view issue_list ci_view ci_list"),
	"docker":    strings.Fields("ps images logs inspect version compose_ps compose_logs"),
	"kubectl":   strings.Fields("get describe logs top explain version"),
	"helm":      strings.Fields("list status lint"),
	"terraform": strings.Fields("fmt validate show version"),
	"dotnet":    strings.Fields("test build"),
	"mix":       strings.Fields("test format"),
}

// Fixed returns how many of a command's words a rule for commands like it must keep, so that
// what it leaves open lets neither another program nor another subcommand run: 0 if no rule
// should leave anything open. The words must be plain.
func Fixed(words []Word) int {
	if len(words) == 0 || !words[0].Known() {
		return 0
	}
	name := words[0].Text
	if openPrograms[name] {
		return 1
	}
	for _, verb := range openVerbs[name] {
		parts := strings.Split(verb, "_")
		if len(words) > len(parts) && slices.EqualFunc(parts, words[1:1+len(parts)], sameVerb) {
			return 1 + len(parts)
		}
	}
	return 0
}

func sameVerb(want string, w Word) bool {
	return w.Known() && (w.Text == want || want == "*" && w.Text != "" && w.Text[0] != '-')
}
