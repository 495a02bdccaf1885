package crawl

import (
	"context"
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Vendor is a system whose documents are read. The optional interfaces are Excluder,
// Switcher and Hinter.
type Vendor interface {
	// Source is where the documents come from (index.Connector).
	Source() document.Source
	// Rules identifies everything that changes what its documents look like. When it differs from
	// that of the run before, all main scans are due and every document is loaded again.
	Rules() string
	// Scopes begins a run and lists the scopes of the source as they are now, all of them. Its
	// error ends the run.
	Scopes(ctx context.Context) ([]Scope, error)
	// Feeds returns what is paged, in the order in which it is to be read. scopes are those that
	// Scopes returned, the newest first, with the notes that were stored for them.
	Feeds(scopes []Scope) []Feed
	// Page fetches one page of a feed.
	Page(ctx context.Context, f Feed, at Place) (Page, error)
	// Load fetches the texts of items that one page listed, at most Feed.Batch, and returns for each
	// a function that makes the document. Items that are missing in the result are loaded again one
	// by one; one that is missing alone is gone. An error counts for each item.
	Load(ctx context.Context, batch []Item) (map[document.ID]Read, error)
}

// Read makes a document whose text was fetched (index.Item.Load).
type Read func(ctx context.Context) (document.Document, error)

// Excluder is a Vendor whose settings may leave scopes out.
type Excluder interface {
	// Excluded reports whether the settings leave a scope out that Scopes does not list. Its
	// documents are removed by this run.
	Excluded(scope string) bool
}

// Switcher is a Vendor whose scopes have lists that can be switched off.
type Switcher interface {
	// Off reports whether the settings, or the scope itself, say that a listed scope does not have a
	// list. Its documents are removed by this run. Otherwise they are hidden for seven days: the
	// credential may have lost a right.
	Off(scope, list string) bool
}

// Hinter is a Vendor that knows what webhooks or chat events name.
type Hinter interface {
	// Hint returns the feeds to read at once because a subject has changed, mostly with Only. A
	// subject that means nothing has none.
	Hint(subject string) []Feed
}

// Scope is a part of a source that appears and disappears as a whole: a space, project, repository,
// drive or channel.
type Scope struct {
	ID   string // never taken by another scope
	Name string // for operators
	// State, where it is not empty and equal to that of the last run, says that nothing has changed:
	// feeds of the scope other than scans are not read.
	State string
	// Newest is when something last changed. The scope with the newest change is read first.
	Newest time.Time
	Size   int // about how many documents it has, for operators; 0: not known
	// Note is what Page last stored for the scope (Page.Note). The engine fills it in for Feeds.
	Note string
}

// Mode says what the pages of a feed list.
type Mode string

// Modes.
const (
	// Scan lists everything. What a complete scan does not list is gone.
	Scan Mode = "scan"
	// Recent lists what has changed since the mark, the newest first; the overlap is the vendor's.
	Recent Mode = "recent"
	// Log lists each change once, since the mark.
	Log Mode = "log"
	// Window lists everything that was made (Item.Made) from Page.From to Page.To.
	Window Mode = "window"
)

// Feed is what is paged.
type Feed struct {
	ID    string        // unique in the source, the same in every run
	Scope string        // empty: it spans scopes
	List  string        // the list that its items belong to; empty: ID (see the package comment)
	Mode  Mode          // what it lists
	Every time.Duration // how often it is read; 0: by each run
	Retry time.Duration // after how long an incomplete main scan is read again; 0: an hour
	// After, of a scan, is the Log feed whose mark is fetched before the scan starts: Page is called
	// for it without a mark. The mark counts once the scan has ended.
	After string
	Batch int // how many texts one Load fetches; 0: 1
	// Confirm, of a main scan, says that its pages may omit documents. Those that texts name
	// (Item.Found), and stored ones that no page lists, are asked for with Only. What is not there
	// then is gone.
	Confirm bool
	Most    int // how many documents Only names; 0: 100
	// Only, where it is set, asks for these documents alone, whatever the mode. Page returns those
	// that are there as items, and those that the vendor says are deleted as Gone.
	Only []document.ID
}

func (f Feed) list() string {
	if f.List == "" {
		return f.ID
	}
	return f.List
}

// Place is where in a feed a page begins.
type Place struct {
	Cursor string // Page.Next of the page before; empty: the first page
	Mark   string // Page.Mark of the last time that the feed was read to its end; empty: never
	// Loose says that the feed was restarted too often and counts as partial. The vendor need not
	// check that nothing was passed over.
	Loose bool
	// First says that no scan has listed all of the list before: most items will be loaded, so that
	// a page may come with their texts.
	First bool
}

// Page is a part of a feed.
type Page struct {
	Items []Item
	// Gone are documents that the vendor says are deleted. Left are documents that are not in the
	// list any more: hidden now, and removed at the end of the run unless a list holds them then.
	// Those that only other lists hold stay as they are.
	Gone, Left []document.ID
	// More are feeds found on the way, such as folders. They are read to their end before the next
	// page, with the mode and list of this feed, and each of them once.
	More []Feed
	Next string // cursor of the next page; empty: this is the last one
	// Mark, on the last page, is stored for the next run; on the first page, if the feed lists the
	// newest first. An empty one leaves the stored mark as it is.
	Mark string
	// Partial says why something is left out; nil: nothing is. Nothing counts as missing then. The
	// operator reads it.
	Partial error
	// Lost says of scopes that were looked at whether they are not shown. While one is lost, what is
	// missing from a scan across scopes is treated as its documents.
	Lost map[string]bool
	// Hidden says that the list of a scan is there and is not shown to the credential. Its documents
	// are hidden now, and removed after seven days unless it is shown again.
	Hidden bool
	// Count is how many documents the vendor says the list has. A scan that meets fewer than the
	// smallest Count of its pages is incomplete. 0: the vendor does not count them.
	Count int
	// Exact says that what a complete scan does not list is deleted, however much that is: a commit
	// says so.
	Exact bool
	// Stale says that the list has changed in a way that this feed does not list. Its main scan is
	// due at once.
	Stale bool
	// Close, of a feed that is no Log, is called once the items are stored, or the run has failed.
	Close   func()
	Note    string         // stored for the scope of the feed, unless it is empty
	Notices []index.Notice // what could not be read, for the operator
	Skipped []index.Notice // what is left out on purpose
	// From and To bound what a Window feed has listed in full, on its last page.
	From, To time.Time
}

// Item is a document that a page lists.
type Item struct {
	ID document.ID
	// List is the list that it belongs to; empty: that of the feed.
	List string
	// Of is the document that it is a part of, such as the issue of an attached file. ID begins with
	// Of and ":". A part is listed on the page of its whole, is removed with it, and is never asked
	// for by itself.
	Of document.ID
	// Whole says that the page lists all parts of the document: those it does not list are gone.
	Whole      bool
	ModifiedAt time.Time     // changes with each change of the document (index.Item)
	Made       time.Time     // when it was made, for Window feeds
	Size       int64         // about how many bytes Load reads; 0: not known
	Wait       time.Duration // how long Load may wait for others (index.Item)
	// ACL is who may read it, mostly access.Node. It holds at once, without the document being
	// loaded. Empty: what Load says counts.
	ACL access.ACL
	// Bare marks an id of which nothing else is known. It is loaded only if the list does not hold
	// it: Page of the main scan is asked with Only.
	Bare bool
	// Keep marks a document that is there, but whose readers could not be found out: what is stored
	// stays as it is.
	Keep bool
	Data any // what Load needs; it is not stored
	// Found is set by the engine. What reads the document calls it, before it returns, with what
	// else is on it.
	Found func(context.Context, Finding) error
}

// Finding is what the text of a document says of others.
type Finding struct {
	// IDs are asked for with Only unless the list holds them (Feed.Confirm). They need not be those
	// of documents: the page may return a feed for one (Page.More).
	IDs     []document.ID
	Skipped []index.Notice // parts of the document that are left out
}

var (
	// ErrCursor marks a cursor that is not valid any more, or a list that shifted while it was read.
	ErrCursor = errors.New("the list has changed while it was read")
	// ErrRescan marks a feed that cannot go on without a scan: a change token expired, or what lists
	// hold has changed in kind. The main scans of the feed's scope, or of all scopes, are due at
	// once, and its mark is forgotten.
	ErrRescan = errors.New("everything has to be listed again")
	// ErrRefused marks a scope that is listed and may not be read at present. The next run scans it
	// again. While it is refused, its documents are treated as those of a missing scope. The page
	// that comes with the error holds what the operator reads (Notices, Skipped).
	ErrRefused = errors.New("the scope may not be read")
)
