package pdf

import "context"

type bookmark struct {
	title string
	level int // from 1
	page  int // from 0
}

const (
	mostBookmarks   = 5000
	deepestBookmark = 6 // maximum level of headings
)

// bookmarks returns the table of contents in order. It omits entries without a page, and repeated
// entries, because the entries of a broken file may form a cycle.
func (s *sandbox) bookmarks(ctx context.Context, doc uint64, pages int) ([]bookmark, error) {
	var found []bookmark
	seen := make(map[uint64]bool)
	var walk func(parent uint64, level int) error
	walk = func(parent uint64, level int) error {
		mark, err := s.call(ctx, "FPDFBookmark_GetFirstChild", doc, parent)
		for ; err == nil && mark != 0 && !seen[mark] && len(seen) < mostBookmarks; mark, err = s.call(ctx, "FPDFBookmark_GetNextSibling", doc, mark) {
			seen[mark] = true
			title, err := s.text(ctx, "FPDFBookmark_GetTitle", mark)
			if err != nil {
				return err
			}
			page, err := s.target(ctx, doc, mark)
			if err != nil {
				return err
			}
			if title != "" && page >= 0 && page < pages {
				found = append(found, bookmark{title, level, page})
			}
			if level < deepestBookmark {
				if err := walk(mark, level+1); err != nil {
					return err
				}
			}
		}
		return err
	}
	return found, walk(0, 1)
}

// target returns the page of a bookmark, counted from 0, or -1 if it has none.
func (s *sandbox) target(ctx context.Context, doc, mark uint64) (int, error) {
	dest, err := s.call(ctx, "FPDFBookmark_GetDest", doc, mark)
	if err == nil && dest == 0 {
		var action uint64
		if action, err = s.call(ctx, "FPDFBookmark_GetAction", mark); err == nil && action != 0 {
			dest, err = s.call(ctx, "FPDFAction_GetDest", doc, action)
		}
	}
	if err != nil || dest == 0 {
		return -1, err
	}
	page, err := s.call(ctx, "FPDFDest_GetDestPageIndex", doc, dest)
	return int(int32(uint32(page))), err
}
