// Package crawl reads sources page by page: it follows cursors, resumes after a kill, and removes
// what has vanished. A vendor (Jira, Drive, GitLab …) says what there is to list and how a page of
// it is fetched; one Engine does the rest. An Engine is an index.Connector.
//
// # Writing a vendor
//
// Implement Vendor, and return an Engine over it:
//
//	type Connector struct {
//		*crawl.Engine // Source, Settings, Sync, Restart
//		client  *Client
//		options Options
//	}
//
//	func NewConnector(client *Client, options Options) (*Connector, error) {
//		c := &Connector{client: client, options: options}
//		c.Engine = crawl.New(&vendor{Connector: c}, crawl.Options{Now: options.Now})
//		return c, nil
//	}
//
// Readers of nodes and groups are not part of the port: implement index.NodeReader,
// index.GroupReader and index.PointChecker on Connector.
//
// A run does the following, in this order:
//
//  1. Scopes lists what appears and disappears as a whole: spaces, projects, repositories. A
//     missing scope keeps its documents for seven days (Vanish). Its nodes hide it at once.
//  2. Feeds says what is paged, given these scopes.
//  3. Page is asked about documents that could not be loaded before, and about hints.
//  4. Feeds of the modes Recent, Log and Window are read, each to its end.
//  5. Scans that are due are read, each to its end. What a complete scan does not list is gone.
//
// # Lists
//
// Every document that a feed lists belongs to a list. The list of a feed is Feed.List, by default
// Feed.ID. Feeds that tell of the same documents name the same list: the feed of what changed
// lately, the daily scan, the half-hourly scan of ids alone. The feed whose ID is the name of the
// list is its main scan, which must be able to list everything and to answer Feed.Only. A feed
// across scopes sets Item.List instead.
//
// The engine records which ids a list holds. After a complete scan, documents that are in no list
// are removed or hidden (Vanish). Of an incomplete scan (Page.Partial, or fewer than Page.Count)
// nothing counts as missing, and a main scan is due again after an hour (Feed.Retry). If
// no feed names a list of a scope that is listed, its documents are hidden for seven days. They are
// removed at once if the list was switched off (Switcher). The same seven days hold for a list
// that a page says is not shown (Page.Hidden).
//
// # Example: a project with issues
//
//	func (v *vendor) Feeds(scopes []crawl.Scope) []crawl.Feed {
//		var all []crawl.Feed
//		for _, s := range scopes {
//			list := "issues/" + s.ID
//			all = append(all,
//				crawl.Feed{ID: "changes/" + s.ID, Scope: s.ID, List: list, Mode: crawl.Recent},
//				crawl.Feed{ID: list, Scope: s.ID, Mode: crawl.Scan, Every: 24 * time.Hour, Batch: 100},
//				crawl.Feed{ID: "ids/" + s.ID, Scope: s.ID, List: list, Mode: crawl.Scan, Every: time.Hour})
//		}
//		return all
//	}
//
// Page of "changes/7" asks for what was updated since Place.Mark, less an overlap, the newest
// first. It returns the date of the newest as Page.Mark. With an empty Mark it fetches only that
// date and returns no items, because a scan follows. Page of "issues/7" lists everything with a
// version (Item.ModifiedAt) and readers (Item.ACL). Page of "ids/7" returns Bare items. Those that
// the list does not hold are resolved by Page of "issues/7" with Feed.Only.
//
// # Lists that omit documents
//
// Where pages may leave documents out, set Feed.Confirm of the main scan. What reads a document
// calls Item.Found with the ids that its text names. After the last page, Page is asked with
// Feed.Only for those that the list does not hold, and then for stored documents that no page
// listed. An id may name what is no document, such as a folder, for which Page returns a feed
// (Page.More).
//
// # What the engine guarantees
//
//   - Page is called with the Cursor that the page before returned as Next, or with none. A run
//     that was killed continues with the last page whose documents were stored, so that a page
//     may be read twice.
//   - A cursor that comes twice, or a feed of more than 10,000 pages, is an ErrCursor. After an
//     ErrCursor the feed starts again, three times at most. Then it continues with Place.Loose
//     set, and counts as partial. A further ErrCursor ends it as partial, and a main scan is due
//     again in the next run.
//   - A mark is stored after everything before it is stored. Documents that failed to load are
//     asked for again (Feed.Only) by the next five runs, so that a log may tell each change once.
//   - Of one run, no version of a document (Item.ModifiedAt) is loaded twice.
//   - Errors other than ErrCursor, ErrRescan and ErrRefused end the run. Wrap index.ErrRevoked
//     where the credential itself was refused, and return *index.Later where the source asks to
//     wait. What concerns one scope alone is a Page with Partial set where it is gone, and an
//     ErrRefused where it is denied: that is tried again by the next run.
//
// One run at a time calls Scopes, Feeds and Page. Pages of different Log feeds, and Load, are
// called from several goroutines.
package crawl
