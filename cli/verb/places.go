package verb

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// placeNote marks the flag --all that means every machine; some verbs have another one.
const placeNote = "ccdir_places"

// AllFlag adds --all, every machine, to a verb.
func (a *App) AllFlag(cmd *cobra.Command) {
	cmd.Flags().Bool(everywhere, false, "of this machine and every node (see ccdir node)")
	_ = cmd.Flags().SetAnnotation(everywhere, placeNote, []string{"1"})
}

// onSeveral runs the verb once for each node that its references name.
func (a *App) onSeveral(cmd *cobra.Command, byNode map[string][]string, order []string, other string) error {
	var jobs []job
	for _, node := range order {
		jobs = append(jobs, job{node: cmp.Or(node, other), args: byNode[node], part: Named})
	}
	return a.runJobs(cmd, jobs)
}

// onAll runs the verb here and on every node.
func (a *App) onAll(cmd *cobra.Command, args []string) error {
	jobs := []job{{args: args, part: Named}}
	for _, name := range a.NodeNames() {
		jobs = append(jobs, job{node: name, args: args, part: ByTheWay})
	}
	return a.runJobs(cmd, jobs)
}

// job is a run of a verb in one place.
type job struct {
	node string
	args []string
	part Part
	out  bytes.Buffer
	err  error
}

// runJobs runs a verb in several places at once and prints what they print: arrays as one, lines
// as they come with --follow, and else one place after the other.
func (a *App) runJobs(cmd *cobra.Command, jobs []job) error {
	flags := givenFlags(cmd)
	verb := strings.Fields(cmd.CommandPath())[1:]
	follow, _ := cmd.Flags().GetBool("follow")
	var shared sync.Mutex
	var wg sync.WaitGroup
	for i := range jobs {
		j := &jobs[i]
		var out io.Writer = &j.out
		if follow {
			out = &lineWriter{to: a.Out, mu: &shared, prefix: linePrefix(a.JSON, j.node)}
		}
		wg.Go(func() {
			sub := &App{Process: a.Process, Out: out, Node: j.node, Part: j.part, Root: a.Root}
			defer sub.Close()
			root := a.Root(sub)
			root.SetArgs(slices.Concat(verb, flags, []string{"--"}, j.args))
			if len(j.args) == 0 {
				root.SetArgs(slices.Concat(verb, flags))
			}
			root.SetIn(a.Stdin)
			root.SetOut(out)
			root.SetErr(a.Stderr)
			if j.node != "" && j.node != here {
				sub.nodeFlag = j.node
			}
			j.err = root.ExecuteContext(cmd.Context())
		})
	}
	wg.Wait()
	if follow { // it has been printed
		return a.failures(jobs)
	}
	return errors.Join(a.printJobs(cmd, jobs), a.failures(jobs))
}

// failures returns what failed. That a node is away, if it is one of all, is only said.
func (a *App) failures(jobs []job) error {
	var failed []string
	var first error
	for i := range jobs {
		switch j := &jobs[i]; {
		case j.err == nil, errors.Is(j.err, context.Canceled):
		case j.part == ByTheWay && j.out.Len() == 0:
			a.Tell("%s", j.err)
		default:
			first = cmp.Or(first, j.err)
			failed = append(failed, j.err.Error())
		}
	}
	if len(failed) > 1 {
		return errors.New(strings.Join(failed, "; "))
	}
	return first
}

// printJobs prints what the places printed.
func (a *App) printJobs(cmd *cobra.Command, jobs []job) error {
	if wantsJSON, _ := cmd.Flags().GetBool("json"); wantsJSON {
		return a.printMerged(jobs)
	}
	quiet, _ := cmd.Flags().GetBool("quiet")
	for i := range jobs {
		j := &jobs[i]
		text := strings.TrimRight(j.out.String(), "\n")
		if text == "" {
			continue
		}
		if quiet {
			for line := range strings.Lines(text) {
				fmt.Fprint(a.Out, Prefixed(j.node, line))
			}
			fmt.Fprintln(a.Out)
			continue
		}
		fmt.Fprintf(a.Out, "%s\n%s\n", Paint(a.Colours(), "1", cmp.Or(j.node, here)+":"), text)
	}
	return nil
}

// Prefixed puts the node before a reference.
func Prefixed(node, ref string) string {
	if node == "" || node == here {
		return ref
	}
	return node + "/" + ref
}

// printMerged prints JSON of several places: arrays as one, events by time.
func (a *App) printMerged(jobs []job) error {
	var list []json.RawMessage
	lines := true // one object a line, unless an array comes
	for i := range jobs {
		dec := json.NewDecoder(&jobs[i].out)
		for {
			var v json.RawMessage
			if err := dec.Decode(&v); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return fmt.Errorf("what node %q printed is no JSON: %w", jobs[i].node, err)
			}
			var part []json.RawMessage
			if json.Unmarshal(v, &part) == nil {
				lines = false
				list = append(list, part...)
				continue
			}
			lines = lines && bytes.Contains(v, []byte(`"seq":`))
			list = append(list, v)
		}
	}
	if !lines {
		if list == nil {
			list = []json.RawMessage{}
		}
		return a.PrintJSON(list)
	}
	at := func(v json.RawMessage) time.Time {
		var e struct {
			At time.Time `json:"at"`
		}
		_ = json.Unmarshal(v, &e) // the zero time sorts first
		return e.At
	}
	slices.SortStableFunc(list, func(x, y json.RawMessage) int { return at(x).Compare(at(y)) })
	for _, v := range list {
		if err := a.PrintJSONLine(v); err != nil {
			return err
		}
	}
	return nil
}

// givenFlags returns the flags that the person gave, but for those that choose the place.
func givenFlags(cmd *cobra.Command) (out []string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name == "node" || f.Annotations[placeNote] != nil {
			return
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			for _, v := range list.GetSlice() {
				out = append(out, "--"+f.Name+"="+v)
			}
			return
		}
		out = append(out, "--"+f.Name+"="+f.Value.String())
	})
	return out
}

// withNode puts the node into a JSON object, or into each of an array; others stay as they are.
func withNode(data []byte, node string) []byte {
	data = bytes.TrimSpace(data)
	var list []json.RawMessage
	switch {
	case len(data) > 0 && data[0] == '{':
		name, err := json.Marshal(node)
		if err != nil {
			return data
		}
		rest := bytes.TrimSpace(data[1:])
		out := append([]byte(`{"node":`), name...)
		if rest[0] != '}' {
			out = append(out, ',')
		}
		return append(out, rest...)
	case json.Unmarshal(data, &list) == nil && list != nil:
		parts := make([][]byte, len(list))
		for i, v := range list {
			parts[i] = withNode(v, node)
		}
		return append(append([]byte("["), bytes.Join(parts, []byte(","))...), ']')
	}
	return data
}

// ofNode returns what is printed of v: with its node, if it is of one or of several places.
func (a *App) ofNode(v any) any {
	if a.Node == "" && a.Part == Whole {
		return v
	}
	var data bytes.Buffer
	enc := json.NewEncoder(&data)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return v // the caller gets the same error
	}
	return json.RawMessage(withNode(data.Bytes(), a.Node))
}

// linePrefix is the prefix of a place's lines with --follow.
func linePrefix(asJSON bool, node string) string {
	if asJSON {
		return ""
	}
	return fmt.Sprintf("%-10s ", cmp.Or(node, here))
}

// lineWriter writes whole lines of several writers to one.
type lineWriter struct {
	to     io.Writer
	mu     *sync.Mutex
	prefix string
	rest   []byte
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for {
		at := bytes.IndexByte(w.rest, '\n')
		if at < 0 {
			return len(p), nil
		}
		w.mu.Lock()
		_, err := io.WriteString(w.to, w.prefix+string(w.rest[:at+1]))
		w.mu.Unlock()
		if err != nil {
			return 0, err
		}
		w.rest = w.rest[at+1:]
	}
}

// completeNode completes names of nodes.
func (a *App) completeNode(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return append(a.NodeNames(), everywhere), cobra.ShellCompDirectiveNoFileComp
}

// completePlaced completes NODE/REF, and NODE/ beside what complete offers.
func (a *App) completePlaced(complete cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, text string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= Refs(cmd) {
			return complete(cmd, args, text)
		}
		if a.nodeFlag != "" {
			a.Node = a.nodeFlag
		}
		if node, rest, ok := strings.Cut(text, "/"); ok {
			a.Node, a.Part = node, ByTheWay
			list, how := complete(cmd, args, rest)
			for i := range list {
				list[i] = node + "/" + list[i]
			}
			return list, how
		}
		list, how := complete(cmd, args, text)
		if a.Node != "" {
			return list, how
		}
		nodes := a.NodeNames()
		for _, name := range nodes {
			list = append(list, cobra.CompletionWithDesc(name+"/", "node"))
		}
		if len(nodes) > 0 {
			how |= cobra.ShellCompDirectiveNoSpace
		}
		return list, how
	}
}
