package opencode

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"ccdir/agents"
	"ccdir/agents/payload"
)

// PreparePrint runs opencode's one-shot mode, in which what asks is refused: commands, changes and sites
// run if the policy allows them, anything else unless the policy stops it. Without our plugin nothing
// runs. An API that fails is asked again without end: the task's time limit ends that.
func (Adapter) PreparePrint(s agents.Start, _ agents.Bounds) (agents.Launch, error) {
	args, itself := s.Args, answersItself(s.Args)
	s.Args = nil
	g := gate{Closed: closed}
	if !itself {
		g.Needs = slices.Sorted(maps.Keys(toolsOf(without(changes, fixed(agents.Getenv(s.Env, envConfig))))))
	}
	launch, err := prepare(s, []string{folders}, g)
	if err != nil {
		return launch, err
	}
	if itself {
		launch.Mode = modeAuto
	}
	tail := append([]string{"run", "--format", "json"}, args...)
	if s.Resume != "" {
		tail, launch.Conversation = append(tail, "--session", s.Resume), s.Resume
	}
	launch.Argv = append(launch.Argv[:1:1], append(tail, launch.Argv[1:]...)...)
	return launch, nil
}

// PrintResult reads the lines of the one-shot mode: the answer is the text of the last step.
func (Adapter) PrintResult(stdout []byte) (r agents.PrintResult, ok bool) {
	var text []byte
	for line := range bytes.Lines(stdout) {
		var in struct {
			Type    string `json:"type"`
			Session string `json:"sessionID"`
			Part    struct {
				Text   string  `json:"text"`
				Reason string  `json:"reason"`
				Cost   float64 `json:"cost"`
				Tokens struct {
					Input, Output, Reasoning int64
					Cache                    struct{ Read, Write int64 }
				} `json:"tokens"`
			} `json:"part"`
			Error struct {
				Name string `json:"name"`
				Data struct {
					Message string `json:"message"`
				} `json:"data"`
			} `json:"error"`
		}
		if json.Unmarshal(line, &in) != nil {
			continue
		}
		if in.Session != "" {
			r.Conversation = agents.Visible(in.Session, agents.MaxField)
		}
		switch in.Type {
		case "step_start":
			text = text[:0]
			r.Turns++
		case "text":
			if len(text) < 2*payload.MaxReply {
				text = append(text, in.Part.Text...)
			}
		case "step_finish":
			t := in.Part.Tokens
			r.Cost += in.Part.Cost
			r.Tokens += t.Input + t.Output + t.Reasoning + t.Cache.Read + t.Cache.Write
			ok = true
		case "error":
			ok, r.Failed, r.Kind = true, true, agents.Visible(in.Error.Name, agents.MaxField)
			text = append(text[:0], in.Error.Data.Message...)
		}
	}
	r.Text = payload.Cut(string(bytes.ToValidUTF8(text, nil)), payload.MaxReply)
	return r, ok
}
