// Package index brings documents from their sources into the index. Connectors yield documents in
// batches. The pipeline skips unchanged documents. It cuts, enriches and embeds the others. A store
// keeps the resulting chunks.
//
// If a run stops for any reason, the next run continues it. No document is lost or stored twice. A
// broken document never stops the others.
package index

import (
	"context"
	"errors"
	"iter"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/document"
)

// Checkpoint records how far a connector has read its source. Only the connector knows the format.
// An empty Checkpoint means the beginning of the source.
type Checkpoint []byte

// Connector reads documents from a source, for example a folder, a site or a wiki. A connector
// serves one run at a time.
type Connector interface {
	// Source returns the source that the connector reads. The ID of the source is the same in every
	// process that reads the same folder, site or account.
	Source() document.Source
	// Settings returns a text that identifies all settings that change the documents, such as
	// addresses and access lists. If the text differs from that of the last finished run, the run
	// does not skip documents by timestamp alone.
	Settings() string
	// Sync yields the documents of the source, or the changes since the checkpoint, in batches. It
	// yields at most one error, as the last value, and the run then ends. The text of the error is
	// a sentence that says what to do. Breaking out of the loop releases all resources. To have the
	// last batch stored before an error, yield an empty batch in between.
	Sync(ctx context.Context, since Checkpoint) iter.Seq2[Batch, error]
}

// Batch is one step of [Connector.Sync]. The pipeline stores Next once the whole batch is stored.
type Batch struct {
	// Review, if set, returns a verdict on a stored document. The pipeline calls it for every
	// stored document of the source before it handles the rest of the batch. The verdict takes
	// effect at once and does not read the document.
	Review    func(document.ID) Verdict
	Documents []Item
	Deleted   []document.ID // documents that the source reports as deleted
	Failures  []Notice      // documents that could not be read
	Skipped   []Notice      // documents that are left out on purpose, such as unsupported formats
	Next      Checkpoint    // where a later run may continue; nil keeps the earlier one
	Total     int           // estimated number of documents in the whole run; 0 if unknown
	// Complete, in the last batch, says that the run yielded every document of the source. Stored
	// documents that the run did not yield are then gone.
	Complete bool
	// Missing, if set in the last batch, replaces Complete. It decides about the stored documents
	// that a complete run did not yield. The pipeline calls Missing after it has stored the last
	// batch.
	Missing func(stored map[document.ID]Stamp, missing []document.ID) (map[document.ID]Verdict, []Notice)
	// Resumed says that the run continues an unfinished run ([Resumer]). It does not yield the
	// documents of that run again.
	Resumed bool
}

// Resumer is a [Connector] that continues an interrupted run where it stopped. Its Checkpoint
// includes the position in the source. Other connectors begin again and skip unchanged documents
// quickly.
type Resumer interface {
	Connector
	// Restart removes the position of an unfinished run from a checkpoint. A run from the result
	// reads the source from the beginning.
	Restart(Checkpoint) Checkpoint
}

// ErrPaused is the cancellation cause of a run that will continue soon. It is not a failure.
var ErrPaused = errors.New("it pauses, and goes on soon")

// Item is a document that a connector found. The pipeline loads it only if it may have changed.
type Item struct {
	ID document.ID
	// ModifiedAt changes whenever the source changes the document. It is compared only for
	// equality. It is zero if the source does not report it.
	ModifiedAt time.Time
	// MaxAge limits how long an unchanged ModifiedAt is trusted, counted from the last read of the
	// document. After MaxAge the document is read again, because some changes do not affect
	// ModifiedAt. Zero means no limit. A Resumer cannot use MaxAge.
	MaxAge time.Duration
	// Again says that the source reported a change. The document is then read even if it seems
	// unchanged or this run has already yielded it.
	Again bool
	// Size is the approximate number of bytes that Load reads, or 0 if unknown. It limits how many
	// large documents are in memory at once.
	Size int64
	// Wait is how long Load may wait for others, such as a server. It is added to the time limit of
	// Load.
	Wait time.Duration
	// Load reads the document. It returns soon after ctx ends. It is called at most once, before
	// the next batch is requested. The call may come from any goroutine, while other items of the
	// batch load.
	//
	// The text of an error is a sentence for the list of failures. If the error wraps ErrSkipped,
	// it goes to the list of skipped documents instead. An error that wraps ErrSkipped or
	// ErrWithdrawn also removes the indexed version. Other errors keep that version. An error that
	// wraps ErrPaused or ErrRevoked concerns the source and ends the run.
	Load func(ctx context.Context) (document.Document, error)
}

var (
	// ErrWithdrawn marks a document whose indexed version must be removed, for example because its
	// access list cannot be read.
	ErrWithdrawn = errors.New("until then it is not in the index")
	// ErrSkipped marks an item that turns out not to be a document once it is read.
	ErrSkipped = errors.New("it is left out")
	// ErrRevoked marks a source that no longer accepts its credential. The source is hidden from
	// everyone at once. Its documents stay in the index until the credential is accepted again.
	ErrRevoked = errors.New("the source is hidden until its credential is accepted again")
)

// Reason returns the text of an error of [Connector.Sync] or [Item.Load] about one document,
// without the text of [ErrSkipped], and not longer than [Shorten] allows.
func Reason(err error) string {
	return Shorten(strings.TrimSuffix(err.Error(), ": "+ErrSkipped.Error()))
}

// maxSentence is the maximum length in bytes of a text that an operator reads about a source.
const maxSentence = 1000

// Shorten cuts the middle out of a longer text than an operator should read. Errors repeat values
// of documents and messages of servers, which may be long. What happened and what to do are said
// before and after them.
func Shorten(text string) string {
	if len(text) <= maxSentence {
		return text
	}
	const part = (maxSentence - len(gap)) / 2
	return strings.ToValidUTF8(text[:part], "") + gap + strings.ToValidUTF8(text[len(text)-part:], "")
}

const gap = " … "

// ShortError returns the error of a connector with a text that [Shorten] has shortened. The result
// wraps err.
func ShortError(err error) error {
	if err == nil || len(err.Error()) <= maxSentence {
		return err
	}
	return &shortError{err}
}

type shortError struct{ error }

// Error implements error.
func (e *shortError) Error() string { return Shorten(e.error.Error()) }

// Unwrap returns the whole error.
func (e *shortError) Unwrap() error { return e.error }

// Notice tells an operator about a document that is not in the index, or differs there.
type Notice struct {
	Name     string // as the operator knows it: a path, an address
	Sentence string // what happened and what to do
	// Secret says that the omitted text holds keys or passwords. An operator should then check
	// where the text is stored.
	Secret bool `json:",omitempty"`
	// Moved says that the document is indexed, but not at the address that it states.
	Moved bool `json:",omitempty"`
}
