package crawl

import (
	"context"
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Vendor is a system whose documents are read. The optional interfaces are Excluder, Switcher and
// Hinter.
type Vendor interface {
	// Source returns the source of the documents (index.Connector).
	Source() document.Source
	// Rules identifies all settings that affect the content of documents. If it differs from that
	// of the previous run, all main scans are due and every document is loaded again.
	Rules() string
	// Scopes begins a run and returns all current scopes of the source. An error ends the run.
	Scopes(ctx context.Context) ([]Scope, error)
	// Feeds returns the feeds to read, in order. scopes are the result of Scopes, newest first,
	// with their stored notes.
	Feeds(scopes []Scope) []Feed
	// Page fetches one page of a feed.
	Page(ctx context.Context, f Feed, at Place) (Page, error)
	// Load fetches the texts of items from one page, at most Feed.Batch. It returns a function for
	// each that builds the document. Items missing in the result are loaded again one by one. An
	// item that is then missing again is gone. An error applies to every item.
	Load(ctx context.Context, batch []Item) (map[document.ID]Read, error)
}

// Read builds a document from its fetched text (index.Item.Load).
type Read func(ctx context.Context) (document.Document, error)

// Excluder is a Vendor whose settings can exclude scopes.
type Excluder interface {
	// Excluded reports whether the settings exclude a scope that Scopes did not return. This run
	// removes its documents.
	Excluded(scope string) bool
}

// Switcher is a Vendor whose scopes have lists that can be switched off.
type Switcher interface {
	// Off reports whether the settings or the scope itself have switched off a list of a scope.
	// This run then removes its documents. Otherwise they are hidden for seven days, because the
	// credential may have lost a permission.
	Off(scope, list string) bool
}

// Hinter is a Vendor that understands the subjects of webhooks or chat events.
type Hinter interface {
	// Hint returns the feeds to read at once because a subject has changed, usually with Only. It
	// returns none for an unknown subject.
	Hint(subject string) []Feed
}

// Scope is a part of a source that appears and disappears as a whole: a space, project, repository,
// drive or channel.
type Scope struct {
	ID   string // never reused
	Name string // for operators
	// State, if not empty and equal to that of the last run, means that nothing has changed. Then
	// only scans of the scope are read.
	State string
	// Newest is the time of the last change. Scopes are read in descending order of it.
	Newest time.Time
	Size   int // estimated number of documents, for operators; 0 if unknown
	// Note is the last Page.Note of the scope. The engine sets it for Feeds.
	Note string
}

// Mode says what the pages of a feed list.
type Mode string

// Modes.
const (
	// Scan lists everything. Documents that a complete scan does not list are gone.
	Scan Mode = "scan"
	// Recent lists changes since the mark, newest first. The vendor chooses the overlap.
	Recent Mode = "recent"
	// Log lists each change once, since the mark.
	Log Mode = "log"
	// Window lists everything created (Item.Made) between Page.From and Page.To.
	Window Mode = "window"
)

// Feed is a list that is read page by page.
type Feed struct {
	ID    string        // unique in the source, the same in every run
	Scope string        // empty if it spans scopes
	List  string        // the list of its items; empty means ID (see the package comment)
	Mode  Mode          // what its pages list; empty in Page.More means that of this feed
	Every time.Duration // interval; 0 means every run
	Retry time.Duration // delay before an incomplete main scan is repeated; 0 means an hour
	// After, of a scan, is the Log feed whose mark is fetched before the scan starts. Page is
	// called for it without a mark. The mark takes effect once the scan has ended.
	After string
	Batch int // maximum number of items per Load; 0 means 1
	// Confirm, of a main scan, says that its pages may omit documents. The engine then requests,
	// with Only, the documents that texts name (Item.Found) and stored ones that no page lists.
	// Those not returned are gone.
	Confirm bool
	Most    int // maximum length of Only; 0 means 100
	// Only, if set, requests just these documents, whatever the mode. Page returns the existing
	// ones as items, and those that the vendor reports as deleted as Gone.
	Only []document.ID
}

func (f Feed) list() string {
	if f.List == "" {
		return f.ID
	}
	return f.List
}

// Place is the position in a feed at which a page begins.
type Place struct {
	Cursor string // Page.Next of the previous page; empty for the first page
	Mark   string // Page.Mark of the last complete reading; empty if there was none
	// Loose says that the feed was restarted too often and counts as partial. The vendor need not
	// check whether the list shifted.
	Loose bool
	// First says that no complete scan of the list exists. Most items will be loaded, so the page
	// may include their texts.
	First bool
}

// Page is a part of a feed.
type Page struct {
	Items []Item
	// Gone are documents that the vendor reports as deleted. Left are documents that are no longer
	// in the list: hidden now, and removed at the end of the run unless another list has them.
	// Documents that are only in other lists stay unchanged.
	Gone, Left []document.ID
	// More are feeds found on the page, such as folders. They inherit mode and list, and each is
	// read once, to its end, before the next page.
	More []Feed
	Next string // cursor of the next page; empty on the last page
	// Mark is stored for the next run. It is set on the last page, or on the first page of a feed
	// that lists the newest first. If empty, the stored mark stays.
	Mark string
	// Partial, if not nil, says why the page is incomplete. Nothing then counts as missing. The
	// operator reads it.
	Partial error
	// Lost reports, for scopes that were checked, whether they have become invisible. While one is
	// lost, documents missing from a scan across scopes count as its documents.
	Lost map[string]bool
	// Hidden says that the list exists but is invisible to the credential. Its documents are hidden
	// now and removed after seven days, unless it becomes visible again.
	Hidden bool
	// Count is the vendor's number of documents in the list; 0 if unknown. A scan that lists fewer
	// than the smallest Count of its pages is incomplete.
	Count int
	// Exact says that everything a complete scan does not list is deleted, however much it is, as
	// with a commit.
	Exact bool
	// Stale says that the list has changed in a way that this feed cannot report. Its main scan is
	// due at once.
	Stale bool
	// Close, for feeds other than a Log, is called once the items are stored or the run has failed.
	Close   func()
	Note    string         // stored for the feed's scope, unless empty
	Notices []index.Notice // failures, for the operator
	Skipped []index.Notice // deliberate omissions
	// From and To, on the last page, bound what a Window feed has listed completely.
	From, To time.Time
}

// Item is a document that a page lists.
type Item struct {
	ID document.ID
	// List is the item's list; empty means that of the feed.
	List string
	// Of is the document that the item is a part of, such as the issue of an attachment. ID begins
	// with Of and ":". A part is listed with its whole, is removed with it, and is never requested
	// separately.
	Of document.ID
	// Whole says that the page lists all parts of the document. Unlisted parts are gone.
	Whole      bool
	ModifiedAt time.Time     // changes with each change of the document (index.Item)
	Made       time.Time     // creation time, for Window feeds
	Size       int64         // estimated bytes that Load reads; 0 if unknown
	Wait       time.Duration // how long Load may wait for others (index.Item)
	// ACL is the access list, usually an access.Node. It applies at once, without loading the
	// document. If empty, the list that Load returns applies.
	ACL access.ACL
	// Bare marks an item of which only the id is known. It is loaded only if the list does not have
	// it yet, by calling Page of the main scan with Only.
	Bare bool
	// Keep marks a document that exists but whose readers could not be determined. Its stored
	// version stays unchanged.
	Keep bool
	Data any // for Load; not stored
	// Found is set by the engine. The Read of the document calls it, before it returns, with what
	// the text names.
	Found func(context.Context, Finding) error
}

// Finding is what a document's text says about other documents.
type Finding struct {
	// IDs are requested with Only unless the list has them (Feed.Confirm). An id may also stand for
	// a feed, which the page then returns in Page.More.
	IDs     []document.ID
	Skipped []index.Notice // omitted parts of the document
}

var (
	// ErrCursor marks an expired cursor, or a list that shifted during the scan.
	ErrCursor = errors.New("the list has changed while it was read")
	// ErrRescan marks a feed that cannot continue without a full scan: a change token expired, or
	// the list changed in kind. The main scans of the feed's scope, or of all scopes, are due at
	// once, and its mark is deleted.
	ErrRescan = errors.New("everything has to be listed again")
	// ErrRefused marks a scope that is listed but currently unreadable. The next run scans it
	// again. Meanwhile its documents are treated as those of a missing scope. The accompanying page
	// has the notices for the operator.
	ErrRefused = errors.New("the scope may not be read")
)
