package pane

import (
	"errors"
	"slices"
	"testing"

	"ccdir/wire"
)

// said is a host's connection that says some messages and ends.
type said []wire.Message

func (s *said) Receive() (wire.Message, error) {
	if len(*s) == 0 {
		return nil, errors.New("it has ended")
	}
	m := (*s)[0]
	*s = (*s)[1:]
	return m, nil
}

func (s *said) Send(wire.Message) error { return nil }
func (s *said) Close() error            { return nil }

// TestCopied: what the program copies is handed over as it came.
func TestCopied(t *testing.T) {
	var got []wire.Copy
	p := New(Config{ID: "aaaa1111", Copied: func(id string, c wire.Copy) {
		if id == "aaaa1111" {
			got = append(got, c)
		}
	}})
	want := []wire.Copy{{Text: "hello"}, {TooLong: true}}
	if err := p.read(&said{&want[0], &wire.Status{}, &want[1]}, wire.NewMirror()); err == nil {
		t.Error("the end of the connection is no error")
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
