// Package crawl reads sources page by page. It follows cursors, resumes after a kill, and removes
// documents that have vanished from their source. A Vendor (Jira, Drive, GitLab …) says which lists
// exist and fetches a page of a list. One Engine does the rest. An Engine is an index.Connector.
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
// Vendor does not cover the readers of nodes and groups. Implement index.NodeReader,
// index.GroupReader and index.PointChecker on Connector for them.
//
// A run does the following, in this order:
//
//  1. Call Scopes. It returns the parts that appear and disappear as a whole: spaces, projects,
//     repositories. The documents of a missing scope stay for seven days (Vanish). Its nodes hide
//     them at once.
//  2. Call Feeds with these scopes. It returns the feeds to page through.
//  3. Call Page for documents that could not be loaded before, and for hints.
//  4. Read feeds of the modes Recent, Log and Window, each to its end.
//  5. Read the scans that are due, each to its end. Documents that a complete scan does not list
//     are gone.
//
// # Lists
//
// Every document that a feed lists belongs to a list. The list of a feed is Feed.List, by default
// Feed.ID. Feeds that report the same documents name the same list. An example is a feed of recent
// changes, a daily scan, and a half-hourly scan of ids alone. The main scan of a list is the feed
// whose ID is the name of the list. It must be able to list everything and to answer Feed.Only. A
// feed across scopes sets Item.List instead.
//
// The engine records which ids a list holds. After a complete scan, documents that are in no list
// are removed or hidden (Vanish). A scan is incomplete if it has Page.Partial or lists fewer than
// Page.Count. Nothing counts as missing from an incomplete scan, and an incomplete main scan is due
// again after an hour (Feed.Retry).
//
// If no feed names a list of a scope that is listed, the list's documents are hidden for seven
// days. They are removed at once if the list was switched off (Switcher). A list that a page
// reports as not shown (Page.Hidden) is also hidden for seven days.
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
// Page of "changes/7" requests the issues updated since Place.Mark, less an overlap, newest first.
// It returns the date of the newest issue as Page.Mark. With an empty Mark it fetches only that
// date and returns no items, because a scan follows. Page of "issues/7" lists everything with a
// version (Item.ModifiedAt) and readers (Item.ACL). Page of "ids/7" returns Bare items. If the list
// does not hold an id, the engine calls Page of "issues/7" with that id in Feed.Only.
//
// # Lists that omit documents
//
// If pages may leave documents out, set Feed.Confirm of the main scan. The Read of a document then
// calls Item.Found with the ids that the document's text names. After the last page, the engine
// requests named ids that the list does not hold, with Feed.Only. It then requests stored documents
// that no page listed, also with Feed.Only. An id may stand for something that is not a document,
// such as a folder. Page returns a feed for such an id (Page.More).
//
// # What the engine guarantees
//
//   - Page is called with the Cursor that the previous page returned as Next, or with none. A
//     killed run continues with the last page whose documents were stored. A page may therefore be
//     read twice.
//   - A cursor that comes twice, or a feed of more than 10,000 pages, is an ErrCursor. After an
//     ErrCursor the feed starts again, three times at most. Then it continues with Place.Loose
//     set, and counts as partial. A further ErrCursor ends it as partial, and a main scan is due
//     again in the next run.
//   - A mark is stored after everything before it is stored. If a document fails to load, the next
//     five runs request it again (Feed.Only). A log may therefore report each change only once.
//   - One run loads a version of a document (Item.ModifiedAt) at most once.
//   - Errors other than ErrCursor, ErrRescan and ErrRefused end the run. Wrap index.ErrRevoked
//     if the credential itself was refused. Return *index.Later if the source asks to wait. If a
//     single scope is gone, return a Page with Partial set. If access to a single scope is denied,
//     return ErrRefused. The next run then tries the scope again.
//
// Only one run at a time calls Scopes, Feeds and Page. Pages of different Log feeds, and Load, are
// called from several goroutines.
package crawl
