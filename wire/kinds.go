package wire

// Kind returns KindHello.
func (*Hello) Kind() Kind { return KindHello }

// Kind returns KindWelcome.
func (*Welcome) Kind() Kind { return KindWelcome }

// Kind returns KindError.
func (*Error) Kind() Kind { return KindError }

// Kind returns KindInput.
func (*Input) Kind() Kind { return KindInput }

// Kind returns KindFrame.
func (*Frame) Kind() Kind { return KindFrame }

// Kind returns KindEvidence.
func (*Evidence) Kind() Kind { return KindEvidence }

// Kind returns KindEvidenceLost.
func (*EvidenceLost) Kind() Kind { return KindEvidenceLost }

// Kind returns KindRequest.
func (*Request) Kind() Kind { return KindRequest }

// Kind returns KindResponse.
func (*Response) Kind() Kind { return KindResponse }

// Kind returns KindStatus.
func (*Status) Kind() Kind { return KindStatus }

// Kind returns KindView.
func (*View) Kind() Kind { return KindView }

// Kind returns KindExit.
func (*Exit) Kind() Kind { return KindExit }

// Kind returns KindScreen.
func (*Screen) Kind() Kind { return KindScreen }

// Kind returns KindLine.
func (*Line) Kind() Kind { return KindLine }

// Kind returns KindCopy.
func (*Copy) Kind() Kind { return KindCopy }

// newMessage returns a new message of a JSON kind, nil for kinds that this
// build does not know.
func newMessage(k Kind) Message {
	switch k {
	case KindHello:
		return new(Hello)
	case KindWelcome:
		return new(Welcome)
	case KindError:
		return new(Error)
	case KindEvidence:
		return new(Evidence)
	case KindEvidenceLost:
		return new(EvidenceLost)
	case KindRequest:
		return new(Request)
	case KindResponse:
		return new(Response)
	case KindStatus:
		return new(Status)
	case KindView:
		return new(View)
	case KindExit:
		return new(Exit)
	case KindScreen:
		return new(Screen)
	case KindLine:
		return new(Line)
	case KindCopy:
		return new(Copy)
	}
	return nil
}

// Codes of Error; the same words as the codes of the daemon's API.
const (
	CodeInvalid    = "invalid"     // the message is malformed or out of range
	CodeForbidden  = "forbidden"   // wrong ticket, another user, or read-only
	CodeBadVersion = "bad_version" // no protocol in common
	CodeNotRunning = "not_running" // the process has ended
	CodeTimeout    = "timeout"     // not done in time
	CodeInternal   = "internal"    // the host's fault
	CodeLimit      = "limit"       // too many connections
)

// NewError returns an error with one of the codes.
func NewError(code, message string) *Error { return &Error{Code: code, Message: message} }
