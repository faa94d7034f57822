package claude

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// retryLine is the line above the input line while 2.1.329 waits to ask its API again: neither
// a hook nor its file tells that.
var retryLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[·✢✳✶✻✽*] (?:(\d{3}) )?(.*?) ?· retrying in (?:(\d+)h ?)?(?:(\d+)m ?)?(?:(\d+)s)? · attempt (\d+)/(\d+)`)
})

// retryAbove is how far above the input line the line may stand: its hint is below it.
const retryAbove = 8

// RetryShown reads the line above the input line.
func (Adapter) RetryShown(text string, at time.Time) *api.Retry {
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(text, "\u00a0", " "), "\n"), "\n")
	top := lastRule(lines, lastRule(lines, len(lines)))
	for i := top - 1; i >= max(top-retryAbove, 0); i-- {
		m := retryLine().FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		n := func(group int) int { v, _ := strconv.Atoi(m[group]); return v }
		wait := time.Duration(n(3))*time.Hour + time.Duration(n(4))*time.Minute + time.Duration(n(5))*time.Second
		return &api.Retry{Attempt: n(6), Most: n(7), Status: n(1), Message: agents.Visible(m[2], agents.MaxField), Next: at.Add(wait)}
	}
	return nil
}
