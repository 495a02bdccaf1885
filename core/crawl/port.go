package crawl

import (
	"context"
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Vendor is a system whose documents an [Engine] reads. A Vendor may also implement [Excluder],
// [Switcher] and [Hinter].
type Vendor interface {
	// Source returns the source of the documents (index.Connector).
	Source() document.Source
	// Rules returns a text that identifies all settings that affect the content of documents. If
	// the text differs from that of the previous run, all main scans are due and every document is
	// loaded again.
	Rules() string
	// Scopes returns all current scopes of the source. The engine calls it at the start of a run.
	// An error ends the run.
	Scopes(ctx context.Context) ([]Scope, error)
	// Feeds returns the feeds to read, in order. scopes is the result of Scopes, newest first. Each
	// scope has its stored note.
	Feeds(scopes []Scope) []Feed
	// Page fetches the page of a feed that begins at the given position.
	Page(ctx context.Context, f Feed, at Place) (Page, error)
	// Load fetches the texts of items from one page, at most Feed.Batch. For each item it returns a
	// function that builds the document. The engine loads items that are missing in the result
	// again, one by one. An item that is missing a second time is gone. An error applies to every
	// item.
	Load(ctx context.Context, batch []Item) (map[document.ID]Read, error)
}

// Read parses the fetched text of an [Item] into a document.
type Read func(ctx context.Context) (document.Document, error)

// Excluder is a [Vendor] whose settings can exclude scopes.
type Excluder interface {
	// Excluded reports whether the settings exclude a scope that Scopes did not return. If so, the
	// run removes the documents of the scope.
	Excluded(scope string) bool
}

// Switcher is a [Vendor] whose scopes have lists that can be switched off.
type Switcher interface {
	// Off reports whether a list of a scope is switched off, by the settings or by the scope
	// itself. If so, the run removes the documents of the list. Otherwise the documents are hidden
	// for seven days, because the credential may have lost a permission.
	Off(scope, list string) bool
}

// Hinter is a [Vendor] that knows which feeds to read after a webhook or chat event.
type Hinter interface {
	// Hint returns the feeds to read at once after a subject has changed. The feeds usually have
	// Only set. Hint returns no feeds for an unknown subject.
	Hint(subject string) []Feed
}

// Scope is a part of a source that appears and disappears as a whole, such as a space, project,
// repository, drive or channel.
type Scope struct {
	ID   string // never reused
	Name string // for operators
	// State identifies the current state of the scope. If it is not empty and equals the State of
	// the last run, nothing has changed. The engine then reads only scans of the scope.
	State string
	// Newest is the time of the last change. The engine reads scopes with the newest changes first.
	Newest time.Time
	Size   int // estimated number of documents, for operators; 0 if unknown
	// Note is the last Page.Note of the scope, which the engine stores. The engine sets it for
	// Feeds.
	Note string
}

// Mode says which documents the pages of a [Feed] contain.
type Mode string

// The values of [Mode]. A mark says how far an earlier run has read the feed.
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

// Feed is a list of documents that an [Engine] reads page by page.
type Feed struct {
	ID    string        // unique in the source, the same in every run
	Scope string        // empty if it spans scopes
	List  string        // the list of its items; empty means ID (see the package comment)
	Mode  Mode          // what its pages list; in Page.More, empty means the Mode of the parent feed
	Every time.Duration // interval; 0 means every run
	Retry time.Duration // delay before an incomplete main scan is repeated; 0 means an hour
	// After applies to scans. It names the Log feed whose mark is fetched before the scan starts.
	// For this, Page is called without a mark. The mark takes effect once the scan has ended.
	After string
	Batch int // maximum number of items per Load; 0 means 1
	// Confirm applies to main scans. It says that pages may omit documents. The engine then
	// requests documents that texts name (Item.Found) and stored documents that no page lists, with
	// Only. Documents that are not returned are gone.
	Confirm bool
	Most    int // maximum length of Only; 0 means 100
	// Only, if set, requests just these documents, whatever the mode. Page returns existing
	// documents as items. It returns documents that the vendor reports as deleted as Gone.
	Only []document.ID
}

func (f Feed) list() string {
	if f.List == "" {
		return f.ID
	}
	return f.List
}

// Place says which page of a [Feed] to fetch.
type Place struct {
	Cursor string // Page.Next of the previous page; empty for the first page
	Mark   string // Page.Mark of the last complete reading; empty if there was none
	// Loose says that the feed was restarted too often and counts as partial. The vendor then need
	// not check whether the list shifted.
	Loose bool
	// First says that no scan of the list has completed yet. Most items will be loaded, so the page
	// may include their texts.
	First bool
}

// Page is one page of a [Feed].
type Page struct {
	Items []Item
	// Gone are documents that the vendor reports as deleted. Left are documents that have left the
	// list. The engine hides them at once, unless another list has them. At the end of the run it
	// removes those that are in no list. Documents that are only in other lists stay unchanged.
	Gone, Left []document.ID
	// More are feeds found on the page, such as folders. They inherit mode and list. The engine
	// reads each feed once, to its end, before the next page.
	More []Feed
	Next string // cursor of the next page; empty on the last page
	// Mark is stored for the next run. The vendor sets it on the last page. A feed that lists the
	// newest first sets it on the first page. If Mark is empty, the stored mark stays.
	Mark string
	// Partial, if not nil, says why the page is incomplete. No document of the list then counts as
	// missing. The error's text is for the operator.
	Partial error
	// Lost says, for each checked scope, whether the scope has become invisible. While any scope is
	// lost, documents that are missing from a scan across scopes count as documents of the lost
	// scope.
	Lost map[string]bool
	// Hidden says that the list exists but is invisible to the credential. The engine hides its
	// documents now. It removes them after seven days, unless the list becomes visible again.
	Hidden bool
	// Count is the vendor's number of documents in the list, or 0 if unknown. A scan is incomplete
	// if it lists fewer documents than the smallest Count of its pages.
	Count int
	// Exact says that all documents that a complete scan does not list are deleted, however many
	// they are. An example is the file list of a commit.
	Exact bool
	// Stale says that the list has changed in a way that this feed cannot report. The main scan of
	// the list is then due at once.
	Stale bool
	// Close is called once the items are stored or the run has failed. Pages of Log feeds must not
	// use it.
	Close   func()
	Note    string         // stored for the feed's scope, unless empty
	Notices []index.Notice // failures, for the operator
	Skipped []index.Notice // deliberate omissions
	// From and To are set on the last page of a Window feed. They bound the period that the feed
	// has listed completely.
	From, To time.Time
}

// Item is a document in a list, before its text is fetched.
type Item struct {
	ID document.ID
	// List is the item's list. If empty, the item belongs to the list of the feed.
	List string
	// Of is the id of the whole document if the item is a part of a document. For an attachment, Of
	// is the issue. The ID of a part begins with Of and ":". A part is listed and removed together
	// with its whole document. It is never requested separately.
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
	// Bare marks an item of which only the id is known. If the list does not have the item yet, the
	// engine requests it from the main scan, with Only.
	Bare bool
	// Keep marks a document that exists but whose readers could not be determined. The stored
	// version of the document stays unchanged.
	Keep bool
	Data any // for Load; not stored
	// Found is set by the engine. The Read of the document calls Found, before it returns, with the
	// ids that the text names.
	Found func(context.Context, Finding) error
}

// Finding reports which other documents the text of a document names. See [Item].Found.
type Finding struct {
	// IDs are the ids that the text names. The engine requests the ids that the list does not have,
	// with Only (Feed.Confirm). An id may also stand for a feed. The page then returns that feed in
	// Page.More.
	IDs     []document.ID
	Skipped []index.Notice // omitted parts of the document
}

var (
	// ErrCursor means that a cursor has expired, or that the list changed while it was read.
	ErrCursor = errors.New("the list has changed while it was read")
	// ErrRescan means that a feed can continue only after a full scan, for example because a change
	// token expired. The engine deletes the feed's mark. The main scans of the feed's scope are
	// then due at once, or those of all scopes if the feed spans scopes.
	ErrRescan = errors.New("everything has to be listed again")
	// ErrRefused means that the vendor lists a scope but refuses to let it be read. The page
	// returned with the error has the notices for the operator. The scope's documents are treated
	// like those of a missing scope until a later run can read the scope.
	ErrRefused = errors.New("the scope may not be read")
)
