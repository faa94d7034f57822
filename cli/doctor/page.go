package doctor

import (
	"context"
	"fmt"
	"time"

	"ccdir/api"
	"ccdir/cli/verb"
)

// checkPage says how the page is served, and what became of the last notification.
func checkPage(ctx context.Context, a *verb.App) []check {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	c := running(ctx, a)
	if c == nil {
		return nil
	}
	w, err := c.Web(ctx)
	if err != nil {
		return one("page", checkWarn, err.Error(), "")
	}
	return pageChecks(w)
}

// pageChecks says nothing of a page that is off.
func pageChecks(w api.Web) []check {
	switch {
	case w.Problem != "":
		return one("page", checkWarn, w.Problem, "`ccdir web` tries again, `ccdir web off` turns it off")
	case !w.On:
		return nil
	}
	list := one("page", checkOK, fmt.Sprintf("%s, %d device(s) are paired", w.URL, w.Devices), "")
	switch p := w.Push; {
	case p == nil:
	case p.Failed:
		list = append(list, one("push", checkWarn, "at "+p.At.Local().Format(time.DateTime)+" "+p.Said, "the device's page Notifications sends a test")...)
	default:
		list = append(list, one("push", checkOK, "at "+p.At.Local().Format(time.DateTime)+" "+p.Said, "")...)
	}
	return list
}
