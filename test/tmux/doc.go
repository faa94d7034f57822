// Package tmux drives the real program in a real terminal: its tests build
// ccdir and ccdir-shim, open the grid inside tmux and look at what is on the
// screen. It holds no code; tmux has to be installed.
//
// What a day's use once found wrong, and the tests that keep it right, here or where the
// component is:
//
//	A1  text for idle ones goes to agents only   TestIdleGroupLeavesShellsAlone; tui: TestIdleAgentsOnly, TestFirstTab
//	A2  a draft belongs to target and purpose    tui: TestAnswerStartsEmpty, TestRecalledIsNoDraft; tui/prompt: TestDraftOfAPurpose
//	A3  an Escape too many reaches no agent      tui: TestEscapeTooMany
//	A4  events go on, or say that they don't     TestEventsFollow; tui/sidebar/events: TestFollows
//	A5  who waits is named in every size         tui: TestGoldenDay; tui/grid: TestGolden, TestStripAt, TestNeedsAt
//	A6  done and unseen is a state of its own    api: TestStanding; tui/grid: TestGolden; sessions: unread_test.go
//	A7  ended badly is told from ended well      api: TestStanding; cli: script day
//	A8  a done task gives its pane back          cli: script day; daemon: tasks_keep_test.go
//	A9  doubt about the clipboard is said once   tui/copymode/clipboard: TestDoubtIsSaidOnce, TestTmuxIsAsked
//	A10 questions in words                       cli: TestQuestionInWords, TestRequestText
//	A11 a restart is one row                     tui/sidebar/happenings: TestOf
//	A12 a slash before an API path               cli: script api
//	A13 completion without bash-completion       cli: TestBashCompletionAlone, script day
//	A14 no suggestion for what is far            cli: script usage
//	A15 the queue: needs you first, live keys    tui/lists/queue: TestShows, TestKeysOfRow
//	A16 the demo is a tour                       cli: TestDemo; agents/demo
//	H2  a choice has signs of its own            tui/lists/restore: TestChoose
//	H4  verbs of several sessions                cli: script day
//	H5  marks stand first in the list's keys     tui/lists/sessions: TestColumn
//	H6  show says answer, branch, cost           cli: script day
package tmux
