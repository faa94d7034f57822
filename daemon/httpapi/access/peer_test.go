package access

import (
	"errors"
	"testing"

	"ccdir/api"
)

// TestTCPFound: who a connection is of, by the processes that hold it or may do so.
func TestTCPFound(t *testing.T) {
	const person, session, ended, sshd, agent = 10, 20, 30, 40, 50
	inside := api.Origin{Inside: true, Session: "s1"}
	errUnsure, errNobody := errors.New("any error"), errors.New("refused")
	for name, c := range map[string]struct {
		holders, hidden []int
		want            api.Origin
		err             error
	}{
		"the person's":                      {[]int{person}, nil, api.Origin{}, nil},
		"the person's, hidden ones beside":  {[]int{person}, []int{session}, api.Origin{}, nil},
		"a session's":                       {[]int{session}, nil, inside, nil},
		"of both":                           {[]int{person, session}, nil, inside, nil},
		"of one that has ended":             {[]int{person, ended}, nil, api.Origin{}, errUnsure},
		"nobody's":                          {nil, nil, api.Origin{}, errNobody},
		"nobody's, a hidden one runs":       {nil, []int{agent}, api.Origin{}, errNobody},
		"of a login server":                 {nil, []int{agent, sshd}, api.Origin{}, nil},
		"of it, or of a session":            {nil, []int{sshd, session}, api.Origin{}, errNobody},
		"of it, or of one that has ended":   {nil, []int{sshd, ended}, api.Origin{}, errUnsure},
		"of a session and a login server's": {[]int{session}, []int{sshd}, inside, nil},
	} {
		got, err := tcpFound{c.holders, c.hidden,
			func(pid int) bool { return pid == sshd },
			func(pid int) (api.Origin, error) {
				switch pid {
				case session:
					return inside, nil
				case ended:
					return api.Origin{}, errEnded
				}
				return api.Origin{}, nil
			},
		}.origin()
		if got != c.want || (err == nil) != (c.err == nil) || c.err == errNobody && api.CodeOf(err) != api.CodeForbidden {
			t.Errorf("%s: %+v, %v; want %+v, %v", name, got, err, c.want, c.err)
		}
	}
}
