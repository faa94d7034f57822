package request

import (
	"encoding/json"
	"strings"

	"ccdir/internal/api"
	"ccdir/internal/textsafe"
)

// question is one of those that an agent's own dialog asks.
type question struct {
	Question string `json:"question"`
	Options  []struct {
		Label       string `json:"label"`
		Description string `json:"description"`
	} `json:"options"`
}

// questionsOf are the questions of an agent's own dialog; none if it is something else.
func questionsOf(r api.Request) []question {
	if r.Kind != api.RequestQuestion {
		return nil
	}
	var in struct {
		Questions []question `json:"questions"`
	}
	if json.Unmarshal(r.Input, &in) != nil {
		return nil
	}
	return in.Questions
}

// Described is what the request says of each of its choices, "" of one of which it says
// nothing; nil if it describes none.
func Described(r api.Request) []string {
	all := questionsOf(r)
	if len(all) != 1 || len(all[0].Options) != len(r.Choices) {
		return nil
	}
	var out []string
	for i, o := range all[0].Options {
		if text := textsafe.Line(o.Description); text != "" && o.Description != o.Label {
			if out == nil {
				out = make([]string, len(r.Choices))
			}
			out[i] = text
		}
	}
	return out
}

// questions lays a question out and reports which fields need not be shown as they are.
// The choices of a single one stand below, where they are chosen; those of several are
// part of it.
func (b *writer) questions(r api.Request, fields []field) (shown map[string]bool) {
	all := questionsOf(r)
	if len(r.Choices) > 0 {
		text := r.Question
		if len(all) == 1 {
			text = all[0].Question
		}
		if text = wholeQuestion(text, fields); text == "" {
			return nil
		}
		b.prose(strong, text)
		return map[string]bool{"question": true, "questions": true, "choices": true}
	}
	for i, q := range all {
		if i > 0 {
			b.add(plain, "")
		}
		b.prose(strong, q.Question)
		for _, o := range q.Options {
			text := "· " + o.Label
			if o.Description != "" && o.Description != o.Label {
				text += ": " + o.Description
			}
			b.prose(plain, text)
		}
	}
	if len(all) > 0 {
		return map[string]bool{"questions": true}
	}
	return nil
}

// wholeQuestion is the question as it was asked: the request has its beginning, in one
// line, and nobody should choose by that.
func wholeQuestion(begins string, fields []field) string {
	for _, f := range fields {
		if text, ok := f.text(); ok && f.key == "question" {
			return text
		}
	}
	return begins
}

// prose adds text whose lines may be broken at a blank.
func (b *writer) prose(kind kind, text string) {
	for _, l := range strings.Split(strings.ReplaceAll(textsafe.Block(text), "\t", "    "), "\n") {
		for _, l := range broken(l, b.w) {
			b.chop(kind, l)
		}
	}
}
