package gdrive

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// hiddenMark begins the last part of a node that is never yielded, so that it has no readers. The
// documents that are hidden name it, with the time since when.
const hiddenMark = "(hidden) "

// hiding is the node of the documents of a corpus that are hidden since a time.
func hiding(corpus string, since time.Time) string {
	return nodeID(corpus, hiddenMark+strconv.FormatInt(since.Unix(), 10))
}

// placeOf is what the access list of a stored document says: its corpus, and since when it is
// hidden, zero if it is not.
func (d *documents) placeOf(acl access.ACL) (corpus string, since time.Time) {
	if len(acl) != 1 {
		return "", since
	}
	_, node, _ := access.ParseNode(acl[0])
	corpus, rest, _ := strings.Cut(node, "/")
	if at, hidden := strings.CutPrefix(rest, hiddenMark); hidden {
		if seconds, err := strconv.ParseInt(at, 10, 64); err == nil {
			since = time.Unix(seconds, 0)
		}
	}
	return corpus, since
}

// missing is index.Batch.Missing of a look at everything. Each corpus is a list.
func (d *documents) missing(stored map[document.ID]index.Stamp, missing []document.ID) (map[document.ID]index.Verdict, []index.Notice) {
	lists := make(map[string]*crawl.List)
	for _, stamp := range stored {
		corpus, _ := d.placeOf(stamp.ACL)
		if lists[corpus] == nil {
			_, read := d.state.Logs[corpus]
			lists[corpus] = &crawl.List{Name: d.byID[corpus].name, Lost: corpus != "" && !read}
		}
		lists[corpus].Stored++
	}
	for _, id := range missing {
		corpus, _ := d.placeOf(stored[id].ACL)
		lists[corpus].Missing++
	}
	verdicts := make(map[document.ID]index.Verdict, len(missing))
	hidden := make(map[string]crawl.Ruling) // by corpus, of what is hidden the longest
	for _, id := range missing {
		corpus, since := d.placeOf(stored[id].ACL)
		list := *lists[corpus]
		list.Since = since
		r := crawl.Vanish(list, d.now)
		switch {
		case r.Fate == crawl.Remove || d.dropped(corpus):
			verdicts[id] = index.Verdict{Gone: true}
		case r.Fate == crawl.Hide:
			verdicts[id] = index.Verdict{ACL: access.ACL{d.node(hiding(corpus, r.Since))}}
			if before, is := hidden[corpus]; !list.Lost && (!is || r.Since.Before(before.Since)) {
				hidden[corpus] = r
			}
		}
	}
	var notices []index.Notice
	for corpus, r := range hidden {
		notices = append(notices, r.Shrunk(*lists[corpus], "give the account back its right to see them"))
	}
	slices.SortFunc(notices, func(a, b index.Notice) int { return strings.Compare(a.Name, b.Name) })
	return verdicts, notices
}

// dropped reports whether the operator's settings leave a corpus out.
func (d *documents) dropped(corpus string) bool {
	if _, read := d.byID[corpus]; read || corpus == "" {
		return false
	}
	if d.people != nil && slices.ContainsFunc(d.people.users, func(u user) bool { return u.ID == corpus }) {
		return true
	}
	return !d.options.MyDrives && len(d.options.Drives) > 0 && !slices.Contains(d.options.Drives, corpus)
}
