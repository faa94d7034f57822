package keymap

// The actions of every list over the panes. Their keys are pressed without the prefix
// key while one is open; keys of the list itself win.
const (
	ViewUp       Action = "view-up"
	ViewDown     Action = "view-down"
	ViewPageUp   Action = "view-page-up"
	ViewPageDown Action = "view-page-down"
	ViewFirst    Action = "view-first"
	ViewLast     Action = "view-last"
	ViewLeft     Action = "view-left"
	ViewRight    Action = "view-right"
	ViewOpen     Action = "view-open"
	ViewFilter   Action = "view-filter"
	ViewClose    Action = "view-close"
)

// The actions of the queue.
const (
	QueueAdd    Action = "queue-add"
	QueueEdit   Action = "queue-edit"
	QueueAgain  Action = "queue-again"
	QueueStart  Action = "queue-start"
	QueueHold   Action = "queue-hold"
	QueueCancel Action = "queue-cancel"
	QueueUp     Action = "queue-up"
	QueueDown   Action = "queue-down"
	QueueMode   Action = "queue-mode"
	QueuePause  Action = "queue-pause"
	QueueMore   Action = "queue-more"
	QueueFewer  Action = "queue-fewer"
	QueueClear  Action = "queue-clear"
	QueuePane   Action = "queue-pane"
	QueueBoard  Action = "queue-board"
)

// The actions of the ledger of decisions.
const (
	DecisionSession Action = "decisions-rule-session"
	DecisionProject Action = "decisions-rule-project"
	DecisionUser    Action = "decisions-rule-user"
	DecisionRevoke  Action = "decisions-revoke"
)

// The actions of the calls of tools.
const (
	CallsFailed Action = "calls-failed"
	CallsPane   Action = "calls-pane"
)

// The actions of the tool calls.
const (
	HistorySearch   Action = "history-search"
	HistoryResume   Action = "history-resume"
	HistoryDetail   Action = "history-detail"
	HistoryNext     Action = "history-next"
	HistoryPrevious Action = "history-previous"
)

// The actions of a conversation.
const (
	ConversationNext     Action = "conversation-next-turn"
	ConversationPrevious Action = "conversation-previous-turn"
	ConversationFailed   Action = "conversation-next"
	ConversationFailedUp Action = "conversation-previous"
	ConversationAll      Action = "conversation-open-all"
	ConversationSearch   Action = "conversation-search"
	ConversationCopy     Action = "conversation-copy"
	ConversationEditor   Action = "conversation-editor"
	ConversationScreen   Action = "conversation-screen"
	ConversationResume   Action = "conversation-resume"
)

// The actions of a review.
const (
	ReviewScope     Action = "review-scope"
	ReviewScopeBack Action = "review-scope-back"
	ReviewHunk      Action = "review-next"
	ReviewHunkUp    Action = "review-previous"
	ReviewFile      Action = "review-next-file"
	ReviewFileUp    Action = "review-previous-file"
	ReviewAll       Action = "review-fold-all"
	ReviewSide      Action = "review-side-by-side"
	ReviewWhole     Action = "review-whole"
	ReviewMark      Action = "review-mark"
	ReviewSearch    Action = "review-search"
	ReviewCopy      Action = "review-copy"
	ReviewEditor    Action = "review-editor"
	ReviewFresh     Action = "review-refresh"
	ReviewNote      Action = "review-comment"
	ReviewNoteAll   Action = "review-comment-all"
	ReviewNoteNext  Action = "review-next-comment"
	ReviewNotePrev  Action = "review-previous-comment"
	ReviewEdit      Action = "review-edit-comment"
	ReviewDrop      Action = "review-drop-comment"
	ReviewSend      Action = "review-send"
	ReviewViewed    Action = "review-viewed"
	ReviewStage     Action = "review-stage"
	ReviewPutBack   Action = "review-put-back"
	ReviewUndo      Action = "review-undo"
	ReviewHelp      Action = "review-help"
)

// The actions of what can be restored.
const (
	RestoreChoose Action = "restore-choose"
	RestoreAll    Action = "restore-all"
	RestoreRefuse Action = "restore-refuse"
)

// The actions of the nodes.
const (
	NodeConnect Action = "nodes-connect"
	NodeDown    Action = "nodes-down"
	NodeDetail  Action = "nodes-detail"
)

// The actions of the work trees.
const (
	TreeDetail Action = "work-trees-detail"
	TreeNew    Action = "work-trees-new"
	TreeLook   Action = "work-trees-look"
	TreeMerge  Action = "work-trees-merge"
	TreeRemove Action = "work-trees-remove"
	TreeTrash  Action = "work-trees-trash"
	TreeCommit Action = "work-trees-commit"
	TreePush   Action = "work-trees-push"
)

// viewBindings are the bindings of the lists over the panes, in the order of the
// help.
func viewBindings() []Binding {
	view := inGroup(GroupViews, 0)
	queue, look := inGroup(GroupQueue, needWrite|needDaemon), inGroup(GroupQueue, 0)
	rule := inGroup(GroupDecisions, needWrite|needDaemon)
	calls := inGroup(GroupCalls, 0)
	history, restore, talk := inGroup(GroupHistory, 0), inGroup(GroupRestore, 0), inGroup(GroupConversation, 0)
	node, tree, review := inGroup(GroupNodes, 0), inGroup(GroupTrees, 0), inGroup(GroupReview, 0)
	return []Binding{
		view(ViewUp, "the row above", "Up", "k", "C-p"),
		view(ViewDown, "the row below", "Down", "j", "C-n"),
		view(ViewPageUp, "a page up", "PPage", "C-u"),
		view(ViewPageDown, "a page down", "NPage", "C-d", "Space"),
		view(ViewFirst, "the first row", "Home", "g"),
		view(ViewLast, "the last row", "End", "G"),
		view(ViewLeft, "to the left in wide lines", "Left", "h"),
		view(ViewRight, "to the right in wide lines", "Right", "l"),
		view(ViewOpen, "show the row whole, or the list again", "Enter"),
		view(ViewFilter, "filter by typing words", "/"),
		view(ViewClose, "back to the list, drop the filter, close", "Escape", "q"),

		queue(QueueAdd, "add a task", "a"),
		queue(QueueEdit, "edit the queued task", "e"),
		queue(QueueAgain, "run an ended task again, as a new one", "r"),
		queue(QueueStart, "start the task now, let it go on, or say that its work is good", "s", "S-Right"),
		queue(QueueHold, "hold the queued task back until it is started, or let it go", "H", "S-Left"),
		queue(QueueCancel, "cancel the task", "x"),
		queue(QueueUp, "move the queued task up", "K", "S-Up"),
		queue(QueueDown, "move the queued task down", "J", "S-Down"),
		queue(QueueMode, "start queued tasks by themselves, or by hand", "m"),
		queue(QueuePause, "pause the queue, or go on", "p"),
		queue(QueueMore, "one more task at once", "+", "="),
		queue(QueueFewer, "one task less at once", "-"),
		queue(QueueClear, "cancel all queued tasks (asks)", "C"),
		look(QueuePane, "go to the task's pane", "o"),
		look(QueueBoard, "the tasks as a board of columns where there is room, or as a list", "Tab"),

		rule(DecisionSession, "always allow what the row is about, for its session (asks)", "s"),
		rule(DecisionProject, "the same for the project (asks)", "p"),
		rule(DecisionUser, "the same for everything of yours (asks)", "u"),
		rule(DecisionRevoke, "take back the rule that the row gave a session (asks)", "x"),

		calls(CallsFailed, "calls that did not end well only, or all", "f"),
		calls(CallsPane, "go to the pane of the session that called", "o"),

		history(HistorySearch, "search conversations, tasks, transcripts and events", "/"),
		history(HistoryResume, "go on with it: the same session or conversation again", "r", "R").when(needWrite | needDaemon),
		history(HistoryDetail, "what is known of it: result, times, directory", "i"),
		history(HistoryNext, "the next place that has the words", "n"),
		history(HistoryPrevious, "the place before that has them", "N"),

		talk(ConversationNext, "the next turn", "]"),
		talk(ConversationPrevious, "the turn before, or the beginning of this one", "["),
		talk(ConversationFailed, "the next tool call that failed; while a search is shown, its next place", "n"),
		talk(ConversationFailedUp, "the one before", "N"),
		talk(ConversationAll, "open all tool calls of the turn, or close them", "o"),
		talk(ConversationSearch, "search in it, in closed tool calls too", "/"),
		talk(ConversationCopy, "copy the turn's answer, or what is opened at the cursor", "y"),
		talk(ConversationEditor, "open it in $EDITOR", "E"),
		talk(ConversationScreen, "what the session showed until it ended", "s"),
		talk(ConversationResume, "go on with a session that has ended", "r", "R").when(needWrite | needDaemon),

		review(ReviewScope, "the next scope: turn, since you last looked, session, base, uncommitted, a plan that waits", "Tab"),
		review(ReviewScopeBack, "the scope before", "BTab"),
		review(ReviewHunk, "the next hunk; while a search is shown, its next place", "n", "]"),
		review(ReviewHunkUp, "the hunk before", "N", "["),
		review(ReviewFile, "the next file", "}", "J"),
		review(ReviewFileUp, "the file before, or the beginning of this one", "{", "K"),
		review(ReviewAll, "fold all files, or unfold them", "o"),
		review(ReviewSide, "side by side where there is room, or one below the other", "t", "|"),
		review(ReviewWhole, "beside the session's pane where there is room, or the whole screen", "z"),
		review(ReviewMark, "mark lines from here on, or no more", "v"),
		review(ReviewSearch, "search in it", "/"),
		review(ReviewCopy, "copy the line, the marked ones, or the file's name", "y"),
		review(ReviewEditor, "open the file in $EDITOR, at the line", "E"),
		review(ReviewNote, "comment on the line, the marked ones, or on the head of a file the file", "c").when(needWrite | needDaemon),
		review(ReviewNoteAll, "comment on all of it", "C").when(needWrite | needDaemon),
		review(ReviewNoteNext, "the next comment", ")"),
		review(ReviewNotePrev, "the comment before", "("),
		review(ReviewEdit, "edit the draft of a comment", "e").when(needWrite | needDaemon),
		review(ReviewDrop, "drop the draft of a comment (asks)", "d").when(needWrite | needDaemon),
		review(ReviewSend, "send all drafts as one prompt, asks to whom; of a plan: refuse it with them, or approve it (Enter does so too, in the text)", "S").when(needWrite | needDaemon),
		review(ReviewViewed, "mark the file as viewed, until it changes, or no more", "V").when(needWrite | needDaemon),
		review(ReviewStage, "stage the line, the marked ones, or on a head the hunk or file, in git's index", "s").when(needWrite | needDaemon),
		review(ReviewPutBack, "put the same back as it was, in the work tree", "x").when(needWrite | needDaemon),
		review(ReviewUndo, "undo what was staged or put back last", "u").when(needWrite | needDaemon),
		review(ReviewFresh, "compare again", "r"),
		review(ReviewHelp, "these keys", "?"),

		restore(RestoreChoose, "begin it again with the others, or leave it out", "Space"),
		restore(RestoreAll, "all of them, or none", "a"),
		restore(RestoreRefuse, "don't offer them again", "d"),

		node(NodeConnect, "connect now; ssh may ask for a password, a code or a host key", "u").when(needWrite),
		node(NodeDown, "end the connection and leave the node alone; what runs there goes on", "d").when(needWrite),
		node(NodeDetail, "what is known of the node", "i"),

		tree(TreeDetail, "what is known of the work tree, and why it may not be removed", "i"),
		tree(TreeNew, "new session in the work tree", "n").when(needWrite | needDaemon),
		tree(TreeMerge, "merge its branch; shows the plan, and asks", "m").when(needWrite | needDaemon),
		tree(TreeCommit, "commit everything in it; asks for the message", "c").when(needWrite | needDaemon),
		tree(TreePush, "push its branch; says where, and asks", "p").when(needWrite | needDaemon),
		tree(TreeRemove, "move the work tree into the trash; says what becomes of it, and asks", "x").when(needWrite | needDaemon),
		tree(TreeTrash, "the trash of its repository: bring a work tree back", "u").when(needDaemon),
		tree(TreeLook, "look at all of them again", "r").when(needDaemon),
	}
}
