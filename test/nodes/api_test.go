package nodes

import (
	"bytes"
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// onNode makes a call of ccdir on the node itself.
func (r *rig) onNode(args ...string) string {
	cmd := exec.Command(filepath.Join(bin, "ccdir"), args...)
	cmd.Dir = r.far.Home
	for _, kv := range r.command().Env {
		if !strings.HasPrefix(kv, "CCDIR_HOME=") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, "CCDIR_HOME="+r.far.Home)
	out, _ := cmd.CombinedOutput() // errors are answers too
	return string(out)
}

// TestAPI: every question of the API has the same answer through the link as on the node.
func TestAPI(t *testing.T) {
	r := newRig(t)
	r.addHere()
	id := strings.TrimPrefix(r.ok("new", "-n", "worker", "-a", "demo", "box/"), "box/")
	r.ok("wait", "box/worker", "--state", "idle", "--timeout", "60s")
	r.ok("send", "box/worker", "say done.")
	r.ok("wait", "box/worker", "--state", "idle", "--timeout", "60s")
	r.ok("new", "-n", "past", "box/", "--", "sh", "-c", "echo gone")
	r.ok("wait", "box/past", "--state", "exited")
	r.ok("task", "add", "--node", "box", "-a", "demo", "say x.", "--json")
	var api struct {
		Paths map[string]map[string]json.RawMessage
	}
	r.decode(r.ok("api", "openapi"), &api)
	changes := regexp.MustCompile(`(?m)^.*("(uptime|now|at|age|taken|rss|cpu|goroutines)[a-z_]*"|[0-9.]+ ?ms).*$`)
	compared := 0
	for _, path := range slices.Sorted(maps.Keys(api.Paths)) {
		get := string(api.Paths[path]["get"])
		if !strings.Contains(get, "application/json") || strings.Contains(get, "text/event-stream") || strings.HasSuffix(path, "/wait") {
			continue
		}
		path = regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllString(path, id)
		if path == "/v1/search" {
			path += "?q=done"
		}
		same := func() bool {
			there, here := r.onNode("api", "GET", path), r.throughLink(path)
			return there != "" && changes.ReplaceAllString(indented(there), "") == changes.ReplaceAllString(indented(here), "")
		}
		agree := false
		for try := 0; try < 3 && !agree; try++ { // something else may change between two calls
			agree = same()
		}
		if !agree {
			t.Errorf("%s:\nthere: %s\nhere:  %s", path, r.onNode("api", "GET", path), r.throughLink(path))
		}
		compared++
	}
	if compared < 20 {
		t.Errorf("%d routes were compared", compared)
	}
}

// throughLink is the answer through the link.
func (r *rig) throughLink(path string) string {
	out, errs, _ := r.run("api", "GET", path, "--node", "box")
	return out + errs
}

// indented is JSON with a line for each value; other text as it is.
func indented(text string) string {
	var out bytes.Buffer
	if json.Indent(&out, []byte(text), "", " ") != nil {
		return text
	}
	return out.String()
}
