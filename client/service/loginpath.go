package service

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// loginTimeout bounds how long the person's login shell may take to start.
const loginTimeout = 5 * time.Second

// pathMark begins the line with the path: the shell's own files may print, too.
const pathMark = "ccdir-path="

// completePath returns the PATH of the service: that of the caller, and behind it what only
// the login shell has. (Over ssh, from cron and from a desktop's menu a PATH lacks where
// agents are; an interactive shell may have more than a login shell.)
func (s *Service) completePath(ctx context.Context) string {
	return join(s.env("PATH"), s.loginPath(ctx))
}

// loginPath asks the login shell; "" if it cannot be asked.
func (s *Service) loginPath(ctx context.Context) string {
	shell := s.env("SHELL")
	if !filepath.IsAbs(shell) {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, loginTimeout)
	defer cancel()
	out, err := s.o.Run(ctx, s.o.Env, shell, "-l", "-c", `echo "`+pathMark+`$PATH"`)
	if err != nil {
		return "" // the caller keeps its own PATH
	}
	path := ""
	for line := range strings.Lines(out) {
		if p, ok := strings.CutPrefix(strings.TrimSpace(line), pathMark); ok {
			path = p
		}
	}
	return path
}

// join appends to the directories of a path those of another one that it lacks.
func join(path, more string) string {
	list := filepath.SplitList(path)
	for _, dir := range filepath.SplitList(more) {
		if filepath.IsAbs(dir) && !slices.Contains(list, dir) {
			list = append(list, dir)
		}
	}
	return strings.Join(list, string(filepath.ListSeparator))
}
