// Package index brings documents from their sources into the index. Connectors yield documents in
// batches. The pipeline skips unchanged documents, cuts the others into chunks, enriches and embeds
// them. A store keeps them.
//
// The next run continues a run that stopped for any reason. No document is lost or stored twice,
// and a broken document never stops the others.
package index

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/footnotehq/footnote/core/document"
)

// Checkpoint records how far a connector has read. Only the connector knows its format; the
// pipeline stores it unread. An empty Checkpoint means from the beginning.
type Checkpoint []byte

// Connector is a source of documents: a folder, a site, a wiki. A connector serves one run at a
// time.
type Connector interface {
	// Source returns the source that the connector reads. Its ID is the same in every process that
	// reads the same place.
	Source() document.Source
	// Settings returns a text that identifies all settings that change the documents, such as
	// addresses and access lists. If it differs from that of the last finished run, the run does
	// not skip documents by timestamp alone.
	Settings() string
	// Sync yields the documents of the source, or the changes since the checkpoint, in batches. It
	// yields an error at most once, last, and the run ends. The error's text is a sentence that
	// says what to do. Breaking out of the loop releases all resources. After an error, the last
	// batch is not stored unless an empty batch was taken after it.
	Sync(ctx context.Context, since Checkpoint) iter.Seq2[Batch, error]
}

// Batch is a step of a synchronisation. Once all of it is stored, the pipeline stores Next.
type Batch struct {
	// Review, if set, returns a verdict on a stored document. The pipeline calls it for every
	// stored document of the source before it handles the rest of the batch. The verdict applies at
	// once, and no document is read for it.
	Review    func(document.ID) Verdict
	Documents []Item
	Deleted   []document.ID // documents that the source reports as deleted
	Failures  []Notice      // documents that could not be read
	Skipped   []Notice      // documents that are left out on purpose, such as unsupported formats
	Next      Checkpoint    // where a later run may continue; nil keeps the earlier one
	Total     int           // estimated number of documents in the whole run; 0 if unknown
	// Complete, in the last batch, says that the run yielded every document of the source. Stored
	// documents that it did not yield are then gone.
	Complete bool
	// Missing, if set in the last batch, replaces Complete. It decides about the documents that a
	// complete run did not yield. The pipeline calls it after it has stored that batch.
	Missing func(stored map[document.ID]Stamp, missing []document.ID) (map[document.ID]Verdict, []Notice)
	// Resumed says that the run continues an unfinished one (Resumer) and does not yield its
	// documents again.
	Resumed bool
}

// Resumer is a Connector that can continue in the middle of a pass over its source, from the place
// that a Checkpoint holds. Other connectors begin again and skip unchanged documents quickly.
type Resumer interface {
	Connector
	// Restart returns the checkpoint without the place in an unfinished pass. The next run then
	// begins a new pass.
	Restart(Checkpoint) Checkpoint
}

// ErrPaused is the cause of a cancelled run that will continue soon. It is not a failure.
var ErrPaused = errors.New("it pauses, and goes on soon")

// Item is a document that is read only if needed.
type Item struct {
	ID document.ID
	// ModifiedAt changes whenever the source changes the document. It is compared for equality
	// only. It is zero if the source does not say.
	ModifiedAt time.Time
	// MaxAge is how long after the last read ModifiedAt is trusted. An older document is read again
	// even if ModifiedAt is the same, because some changes do not move it. Zero means forever. A
	// Resumer cannot use MaxAge.
	MaxAge time.Duration
	// Again says that the source reported a change. The document is then read even if it seems
	// unchanged. This run may have yielded it before.
	Again bool
	// Size is about how many bytes Load reads, or 0 if unknown. It limits how many large documents
	// are in memory at once.
	Size int64
	// Wait is how long Load may wait for others, such as a server, in addition to its time limit.
	Wait time.Duration
	// Load reads the document, and returns soon after ctx ends. It is called at most once, before
	// the next batch is requested. The call may come from any goroutine, while other items of the
	// batch load.
	//
	// The error's text is a sentence for the list of failures, or for the list of skipped documents
	// if it wraps ErrSkipped. An error that wraps ErrSkipped or ErrWithdrawn also removes the
	// indexed version. Other errors keep that version. An error that wraps ErrPaused or ErrRevoked
	// concerns the source and ends the run.
	Load func(ctx context.Context) (document.Document, error)
}

var (
	// ErrWithdrawn marks a document whose indexed version must be removed, for example because its
	// access list has become unreadable.
	ErrWithdrawn = errors.New("until then it is not in the index")
	// ErrSkipped marks an item that, once read, proves not to be a document.
	ErrSkipped = errors.New("it is left out")
	// ErrRevoked marks a source that no longer accepts its credential. The source is hidden from
	// everyone at once. Its documents stay in the index until the credential is accepted again.
	ErrRevoked = errors.New("the source is hidden until its credential is accepted again")
)

// Notice tells an operator about one document that is not in the index.
type Notice struct {
	Name     string // as the operator knows it: a path, an address
	Sentence string // what happened and what to do
	// Secret says that the omitted text holds keys or passwords. A person should check the place
	// where it is stored.
	Secret bool `json:",omitempty"`
}
