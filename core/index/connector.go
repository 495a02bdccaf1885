// Package index brings documents from their sources into the index: connectors yield documents in
// batches, the pipeline skips what has not changed, cuts the rest into chunks, enriches and embeds
// them, and a store keeps them.
//
// Whatever stops a run, the next one continues: nothing is lost, nothing is kept twice, and one
// broken document never stops the others.
package index

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/footnotehq/footnote/core/document"
)

// Checkpoint is a connector's own note of how far it came. The pipeline stores it without looking
// inside. Empty means from the beginning.
type Checkpoint []byte

// Connector is a source of documents: a folder, a site, a wiki. A connector serves one run at a
// time.
type Connector interface {
	// Source is where the documents come from. Its ID is the same in every process that reads the
	// same place.
	Source() document.Source
	// Settings identifies everything in the connector's settings that changes what its documents
	// look like (addresses, access lists …). When it differs from that of the last finished run, no
	// document is skipped by its timestamp alone.
	Settings() string
	// Sync yields what the source holds, or what has changed since the checkpoint, in batches. An
	// error comes once, last, and ends the run; its text is a sentence that says what to do. A
	// break releases everything. What an error ends is not stored: of the last batch that is so
	// unless an empty one was taken after it.
	Sync(ctx context.Context, since Checkpoint) iter.Seq2[Batch, error]
}

// Batch is a step of a synchronisation. When everything in it is stored, Next is stored too.
type Batch struct {
	// Review, where it is set, is asked about every document of the source that is stored, before
	// anything else of the batch is done: what it says holds at once, and nothing is read for it.
	Review    func(document.ID) Verdict
	Documents []Item
	Deleted   []document.ID // documents that the source says are gone
	Failures  []Notice      // what should have been a document and could not be read
	Skipped   []Notice      // what is left out on purpose, such as formats that are not supported
	Next      Checkpoint    // where a later run may continue; nil keeps the earlier one
	Total     int           // documents that the whole run will yield, as far as known; 0 when unknown
	// Complete in the last batch says that the run yielded every document of the source, so that
	// those it did not yield are gone.
	Complete bool
	// Missing, where it is set in the last batch, decides instead about what a complete run did not
	// yield. It is called once that batch is stored.
	Missing func(stored map[document.ID]Stamp, missing []document.ID) (map[document.ID]Verdict, []Notice)
	// Resumed says that the run goes on where an unfinished one ended (Resumer): what that one
	// yielded is not yielded again.
	Resumed bool
}

// Resumer is a Connector that goes on in the middle of a pass over its source, from the place that
// a Checkpoint holds. Others begin anew and are fast in passing over what has not changed.
type Resumer interface {
	Connector
	// Restart returns a checkpoint without the place in an unfinished pass: the next run begins a
	// new one.
	Restart(Checkpoint) Checkpoint
}

// ErrPaused is the cause with which a run's context is cancelled to be gone on with soon. It is no
// failure of the source.
var ErrPaused = errors.New("it pauses, and goes on soon")

// Item is a document that is read only when it is needed.
type Item struct {
	ID document.ID
	// ModifiedAt changes whenever the source changes the document; it is compared for equality
	// alone. Zero when the source does not say.
	ModifiedAt time.Time
	// MaxAge is how long ModifiedAt is trusted after the document was last read: an older one is
	// read again, although ModifiedAt is the same, since not every change moves it. Zero is for
	// ever. A Resumer cannot use it.
	MaxAge time.Duration
	// Again says that the source told of a change: the document is read whatever is stored of it,
	// and may have been yielded by this run before.
	Again bool
	// Size is about how many bytes Load reads, so that few large documents are in memory at once; 0
	// when unknown.
	Size int64
	// Wait is how long Load may wait for others, such as a server, beside the time that a document
	// has for being read.
	Wait time.Duration
	// Load reads the document, and ends soon after ctx does, whatever the document holds. It is
	// called at most once, before the next batch is asked for, from any goroutine, maybe while
	// other items of the batch load. The text of its error is a sentence for the list of failures,
	// or, when it wraps ErrSkipped, for the list of what is left out. An error that wraps
	// ErrSkipped or ErrWithdrawn also removes the version in the index; after other errors that
	// version stays. An error that wraps ErrPaused or ErrRevoked is about the source, and ends the
	// run.
	Load func(ctx context.Context) (document.Document, error)
}

var (
	// ErrWithdrawn marks a document that must not stay in the index as it is, such as one whose
	// access list cannot be read any more.
	ErrWithdrawn = errors.New("until then it is not in the index")
	// ErrSkipped marks what turns out to be no document when it is read.
	ErrSkipped = errors.New("it is left out")
	// ErrRevoked marks that a source does not accept the credential any more: at once nobody is
	// granted anything of the source, and its documents stay where they are until it does again.
	ErrRevoked = errors.New("the source is hidden until its credential is accepted again")
)

// Notice is what an operator reads about one document that is not in the index.
type Notice struct {
	Name     string // as the operator knows it: a path, an address
	Sentence string // what happened and what to do
	// Secret says that what is left out holds keys or passwords, so that somebody should look at
	// where it lies.
	Secret bool `json:",omitempty"`
}
