package session

import (
	"context"
	"iter"
	"regexp"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/thread"
)

// Deed is the kind of an audit Entry. The values are stable, because people search for them.
type Deed string

// Values of [Deed]. An entry is written in the same transaction as the change that it records, so
// no entry is missing or written twice.
const (
	// TurnEnded records that a question got its outcome, or that an answer was shared.
	TurnEnded       Deed = "turn"
	AnswerRetried   Deed = "answer.retry"   // Details: made, the id of the new turn
	AnswerPrivate   Deed = "answer.private" // Details: made, the id of the new turn
	AnswerShared    Deed = "answer.share"   // Details: made, the id of the new turn
	AnswerKept      Deed = "answer.keep"
	AnswerRemoved   Deed = "answer.remove"
	AnswerCorrected Deed = "answer.correct"
	OwnerAsked      Deed = "owner.ask" // the owner of the nearest page was asked
	// AnswerDeleted records that a message of the answer was deleted on the platform. The person
	// who deleted it is unknown.
	AnswerDeleted    Deed = "answer.delete"
	QuestionDeleted  Deed = "question.delete" // the question was deleted on the platform
	QuestionRefused  Deed = "question.refuse" // a question got no turn. Details: reason
	TurnStopped      Deed = "turn.stop"       // by the program if the person is unknown
	ThreadUnfollowed Deed = "thread.unfollow" // a person wrote "stop following"
	ThreadFollowed   Deed = "thread.follow"   // following was resumed
	SettingSet       Deed = "setting.set"     // Details: key, value, before
	SettingReset     Deed = "setting.reset"   // Details: key, before
	PromptSet        Deed = "prompt.set"      // Details: version
	PromptReset      Deed = "prompt.reset"    // Details: version
	// WorkspaceBound records that a workspace was assigned to a tenant, or that the assignment was
	// removed. The detail how is "allowed", "disallowed" or "first". The detail before is the
	// earlier tenant, if it was another one.
	WorkspaceBound  Deed = "workspace.bind"
	PersonForgotten Deed = "person.forget"  // Details: turns, sessions
	SourceIndexed   Deed = "source.index"   // Details: source, name
	SourceReindexed Deed = "source.reindex" // Details: source, name
	SourceRemoved   Deed = "source.remove"  // Details: source
	SourcePaused    Deed = "source.pause"   // Details: source
	SourceResumed   Deed = "source.resume"  // Details: source
	SourceResynced  Deed = "source.resync"  // Details: source, which is read from the beginning
	// SourceChanged records that options of a source were changed. Its details are the source, and
	// the new and old value of each changed option, such as acl and before_acl.
	SourceChanged Deed = "source.options"
	TokenCreated  Deed = "token.create" // Details: token
	TokenRevoked  Deed = "token.revoke" // Details: token
	// ToolCalled records that an assistant called a tool for a person. Its details are tool, token
	// and outcome.
	ToolCalled       Deed = "mcp.call"
	ConsoleGranted   Deed = "console.grant"   // a person may sign in to the console. Details: role
	ConsoleRemoved   Deed = "console.remove"  // a person may no longer sign in to the console
	ConsoleLinked    Deed = "console.link"    // a link to sign in with was made
	ConsoleConnected Deed = "console.connect" // a person may sign in by an identity provider
	ConsoleSignedIn  Deed = "console.sign_in" // Details: session
	ConsoleSignedOut Deed = "console.sign_out"
	ConsoleRevealed  Deed = "console.reveal"  // a question was shown for a reason. Details: reason
	FileKept         Deed = "file.keep"       // kept in a project. Details: file
	FileRemoved      Deed = "file.remove"     // from a project. Details: file
	RetentionApplied Deed = "retention.prune" // Details: number of removed rows of each kind
)

// Host is the platform of actors who ran a command on a machine. The id of such a person is the
// name of the operating-system account.
const Host thread.Platform = "host"

// Actor is the person or program that did something. The zero value is the program itself, or a
// person whom the platform does not name.
type Actor struct {
	Platform thread.Platform
	ID       string
}

// Entry is one line of the audit trail. It records an action with its actor, channel and result.
// It contains no text of questions, answers or documents.
type Entry struct {
	Sequence int64     // increases; later entries of a tenant usually have greater numbers
	At       time.Time // by the store's clock
	Deed     Deed
	// Who is the actor. It is empty if the person was forgotten, but Alias remains. A person has
	// the same alias everywhere except in direct messages, where each thread has a separate alias.
	Who   Actor
	Alias string
	// For is the person whom the action was about, such as the person who was given a role. It is
	// empty if the person was forgotten, but ForAlias remains.
	For      Actor
	ForAlias string
	// Ref is the thread or channel of the action. Its channel and thread are empty for a direct
	// message of a forgotten person.
	Ref     thread.Ref
	Direct  bool
	Private bool   // in a person's private session of the thread
	Turn    TurnID // the affected turn, which may have been deleted since
	// The following are set for TurnEnded.
	Outcome   Outcome
	Took      time.Duration // from intake to outcome
	Models    []ModelUse
	Documents []Shown // also set for ToolCalled

	Details map[string]string
}

// ModelUse is the use of one model in a turn.
type ModelUse struct {
	Model   string  `json:"model"`
	Outcome Outcome `json:"outcome"`
	Input   int     `json:"input_tokens"`
	Output  int     `json:"output_tokens"`
}

// Shown is a document that a turn showed to a reader or a model.
type Shown struct {
	Document document.ID       `json:"id"`
	Source   document.SourceID `json:"source,omitempty"`
	URL      string            `json:"url,omitempty"`
	As       ShownAs           `json:"as"`
}

// ShownAs says how a document was shown. If several values apply, the first in the list below is
// used.
type ShownAs string

// Values of [ShownAs].
const (
	Cited ShownAs = "cited" // a footnote leads to it
	// Read means that the model read passages of the document, or that the answer builds on an
	// earlier answer that used it.
	Read   ShownAs = "read"
	Listed ShownAs = "listed" // named to the reader as close to the question
)

// ShownIn lists the documents that a saved turn showed. For each model the cited documents come
// first.
func ShownIn(s Saved) []Shown {
	shown := []Shown{}
	at := make(map[document.ID]int)
	note := func(d document.Ref, as ShownAs) {
		i, known := at[d.ID]
		switch {
		case d.ID == "":
		case !known:
			at[d.ID] = len(shown)
			shown = append(shown, Shown{Document: d.ID, Source: d.Source, URL: d.URL, As: as})
		case shown[i].URL == "" && shown[i].Source == "": // a search result may have only the id
			shown[i].Source, shown[i].URL = d.Source, d.URL
		}
	}
	for _, run := range s.Runs {
		for _, m := range run.Messages {
			for _, c := range m.Citations {
				note(c.Document, Cited)
			}
		}
	}
	for _, run := range s.Runs {
		for _, m := range run.Messages {
			for _, r := range m.Documents {
				note(r.Document, Read)
			}
		}
		for _, search := range run.Searches {
			for _, f := range search.Found {
				note(document.Ref{ID: f.Document}, Read)
			}
		}
	}
	for _, run := range s.Runs {
		for _, d := range run.Ending.Closest {
			note(d, Listed)
		}
	}
	return shown
}

// UsedIn lists the models that a saved turn used, with their tokens.
func UsedIn(s Saved) []ModelUse {
	used := make([]ModelUse, len(s.Runs))
	for i, r := range s.Runs {
		used[i] = ModelUse{Model: r.Model, Outcome: r.Ending.Outcome, Input: r.Usage.Input, Output: r.Usage.Output}
	}
	return used
}

// principalPattern matches a principal that names one person, such as "user:slack:U1".
var principalPattern = regexp.MustCompile(`user:([^\s:,]+):[^\s,]+`)

// RedactPeople returns a setting or an access list without the ids of people. The audit trail
// stores this form, because ids in it could not be erased later.
func RedactPeople(text string) string { return principalPattern.ReplaceAllString(text, "user:$1:*") }

// AuditQuery selects entries of the audit trail. Fields with the zero value do not filter.
type AuditQuery struct {
	Tenant access.TenantID // required
	Since  time.Time
	Until  time.Time // exclusive
	Who    string    // a person's id on a platform or the machine, or an alias
}

// Audit reads the audit trail. It is safe for concurrent use by any number of processes.
type Audit interface {
	// Trail yields the matching entries, oldest first. It holds no connection or lock of the store
	// between two entries. Entries written during the iteration may be included.
	Trail(ctx context.Context, q AuditQuery) iter.Seq2[Entry, error]
}
