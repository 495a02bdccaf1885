package gdrive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/index"
)

// drives has the shared and personal drives of a source during one run. It is used to read
// documents (package crawl) and permissions ([index.Node]).
type drives struct {
	*Connector
	people  *people // nil if not needed
	corpora []corpus
	byID    map[string]corpus

	learned map[string]bool // ids of corpora whose folders are loaded

	mu sync.Mutex // guards owners and been: pages of several logs are fetched concurrently
	// id of the corpus that owns a folder, by node id; "" if the owner is unknown
	owners  map[string]string
	visited map[string]map[string]bool // folders visited for the changes of a corpus, by corpus id
}

// feedLog, feedFiles and feedBelow are the prefixes of feed ids. Feeds read a drive's change log
// ("changes/DRIVE"), all its files ("files/DRIVE"), or the content of some of its folders
// ("below/DRIVE/FOLDER,FOLDER").
const (
	feedLog   = "changes/"
	feedFiles = "files/"
	feedBelow = "below/"
)

// drives lists the drives of the source. p may be nil if Options.MyDrives is false.
func (c *Connector) drives(ctx context.Context, p *people) (*drives, error) {
	d := &drives{
		Connector: c, people: p, byID: make(map[string]corpus),
		learned: make(map[string]bool), owners: make(map[string]string), visited: make(map[string]map[string]bool),
	}
	var err error
	if d.corpora, err = c.corpora(ctx, p); err != nil {
		return nil, err
	}
	for _, in := range d.corpora {
		d.byID[in.id] = in
	}
	return d, nil
}

type part struct {
	found, gone []placed
	more        []crawl.Feed // feeds for the content of changed folders
	next, mark  string       // see crawl.Page.Next and Mark
	partial     error
}

// placed is a file, and the drive in which it was listed. The file may have left the drive. Only
// the id of an invisible file is known.
type placed struct {
	file
	in      corpus
	changed bool // its format or its node may have changed
}

func (d *drives) page(ctx context.Context, f crawl.Feed, at crawl.Place) (p part, err error) {
	in := d.byID[f.Scope]
	switch {
	case strings.HasPrefix(f.ID, feedFiles):
		return d.list(ctx, in, at.Cursor)
	case strings.HasPrefix(f.ID, feedBelow):
		_, folders, _ := strings.Cut(strings.TrimPrefix(f.ID, feedBelow), "/")
		return d.folderContent(ctx, in, strings.Split(folders, ","), at.Cursor)
	case at.Mark == "":
		p.mark, err = d.startToken(ctx, in)
		return p, refused(ctx, err)
	}
	return d.changes(ctx, in, cmp.Or(at.Cursor, at.Mark), at.Cursor == "")
}

// refused wraps err in crawl.ErrRefused if err means that a drive may not be read. It returns other
// errors unchanged.
func refused(ctx context.Context, err error) error {
	if err != nil && !final(ctx, err) && absent(err) {
		return fmt.Errorf("%w: %w", crawl.ErrRefused, err)
	}
	return err
}

func (c corpus) refusal(err error) index.Notice {
	return index.Notice{Name: c.name, Sentence: fmt.Sprintf("It cannot be read, and its contents are hidden from everyone here (%v).", err)}
}

// errIncompleteSearch means that Google marked a list as incomplete with incompleteSearch.
var errIncompleteSearch = errors.New("Google Drive did not search all drives")

// list returns one page of the files of a drive that are not in the trash. The first page of a
// personal drive includes its root folder.
func (d *drives) list(ctx context.Context, in corpus, token string) (p part, err error) {
	top, err := d.loadFolders(ctx, in)
	if err != nil {
		return p, refused(ctx, err)
	}
	condition := "trashed = false"
	if !in.shared {
		condition = "'me' in owners and trashed = false"
	}
	got, err := d.files(ctx, in, condition, token)
	switch {
	case err == nil:
	case token != "" && stale(err) && !final(ctx, err):
		return p, fmt.Errorf("%w: %w", crawl.ErrCursor, err)
	default:
		return p, refused(ctx, err)
	}
	if got.IncompleteSearch {
		p.partial = errIncompleteSearch
	}
	for _, f := range append(top, d.within(in, got.Files)...) {
		p.found = append(p.found, placed{file: f, in: in})
	}
	p.next = got.NextPageToken
	return p, nil
}

// within removes files that are in the trash or in another drive.
func (d *drives) within(in corpus, files []file) []file {
	return slices.DeleteFunc(files, func(f file) bool { return d.home(f) != in.id || f.Trashed })
}

// home returns the id of the drive that contains a file. It returns "" if the source does not read
// that drive. Files in personal drives have no drive id, so home looks up the owner.
func (d *drives) home(f file) string {
	if f.DriveID != "" {
		return d.byID[f.DriveID].id
	}
	if d.people == nil || len(f.Owners) == 0 {
		return ""
	}
	return d.byID[d.people.byMail[address(f.Owners[0].EmailAddress)]].id
}

const folderQuery = "mimeType = '" + typeFolder + "' and 'me' in owners and trashed = false"

// loadFolders lists the folders of a personal drive and records their owners, so that no folder
// needs a separate request. It returns the root folder. If the folders are already loaded or the
// drive is shared, it returns nil.
func (d *drives) loadFolders(ctx context.Context, in corpus) (top []file, err error) {
	if in.shared || d.learned[in.id] {
		return nil, nil
	}
	first, err := d.file(ctx, in.subject, "root", in.fields())
	if err != nil {
		return nil, err
	}
	if d.home(first) == in.id {
		top = []file{first}
	}
	own := top
	err = sourcehttp.EachPage("Google Drive's list of the folders of "+in.name, "", func(token string) (string, error) {
		got, err := d.files(ctx, in, folderQuery, token)
		if err != nil {
			return "", err
		}
		own = append(own, d.within(in, got.Files)...)
		return got.NextPageToken, nil
	})
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range own {
		d.owners[nodeID(in.id, f.ID)] = in.id
	}
	d.learned[in.id] = true
	return top, nil
}

// parentNode returns the [index.Node] id of the folder that contains a file, or "" if the folder is
// invisible. own is true if the folder is in the same drive as the file.
func (d *drives) parentNode(ctx context.Context, in corpus, f *file) (node string, own bool, err error) {
	parent := f.parent()
	if parent == "" || in.shared {
		if parent == "" {
			return "", false, nil
		}
		return nodeID(in.id, parent), true, nil
	}
	key := nodeID(in.id, parent)
	d.mu.Lock()
	owner, known := d.owners[key]
	d.mu.Unlock()
	if !known {
		folder, err := d.file(ctx, in.subject, parent, "id,driveId,owners(emailAddress)")
		switch {
		case err == nil:
			owner = d.home(folder)
		case final(ctx, err) || !absent(err):
			return "", false, err
		}
		d.mu.Lock()
		d.owners[key] = owner
		d.mu.Unlock()
	}
	if owner == "" {
		return "", false, nil
	}
	return nodeID(owner, parent), owner == in.id, nil
}

// carries reports in own whether a file needs its own [index.Node]. Folders always do, and other
// files do if their readers may differ from those of their folder. above is the node id of the
// folder.
func (d *drives) carries(ctx context.Context, in corpus, f *file) (own bool, above string, err error) {
	above, same, err := d.parentNode(ctx, in, f)
	if err != nil {
		return false, "", err
	}
	own = f.MimeType == typeFolder || f.Limited || !same
	if in.shared {
		own = own || f.Augmented
	} else {
		own = own || f.shared()
	}
	return own, above, nil
}

// fetchFile fetches one file of a drive. there is false if the file is invisible, in the trash or
// in another drive.
func (d *drives) fetchFile(ctx context.Context, in corpus, id string) (f placed, there bool, err error) {
	f = placed{in: in, changed: true}
	f.file, err = d.file(ctx, in.subject, id, in.fields())
	if err != nil && !final(ctx, err) && absent(err) {
		err = nil
	}
	return f, err == nil && d.home(f.file) == in.id && !f.Trashed, err
}

// changes returns one page of the change log of a drive. first must be set for the first page. If
// the page token has expired, the error wraps crawl.ErrRescan.
func (d *drives) changes(ctx context.Context, in corpus, token string, first bool) (p part, err error) {
	got, err := d.changed(ctx, in, token)
	if err != nil && !final(ctx, err) && (stale(err) || absent(err)) {
		return p, fmt.Errorf("%w: %w", crawl.ErrRescan, err)
	}
	if err != nil {
		return p, err
	}
	var folders []string
	last := make(map[string]int, len(got.Changes)) // index of the newest entry of each file
	for i, one := range got.Changes {
		last[one.FileID] = i
	}
	for i, one := range got.Changes {
		if one.Type == "drive" || !isID(one.FileID) || last[one.FileID] != i {
			continue
		}
		f := file{ID: one.FileID}
		if one.File != nil {
			f = *one.File
			f.ID = one.FileID
		}
		if f.MimeType == typeFolder {
			folders = append(folders, f.ID)
		}
		if one.File != nil && !f.Trashed && d.home(f) == in.id {
			p.found = append(p.found, placed{file: f, in: in, changed: true})
		} else {
			p.gone = append(p.gone, placed{file: f, in: in})
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, id := range folders {
		delete(d.owners, nodeID(in.id, id))
	}
	if first { // visit the folders again if the log is read again
		delete(d.visited, in.id)
	}
	p.more = d.visit(in, folders)
	if p.mark = got.NewStartPageToken; p.mark == "" {
		p.next = got.NextPageToken
	}
	return p, nil
}

const mostParents = 30

// visit returns feeds that read the contents of changed folders. A later call skips the same
// folders. The feeds are needed because the change log may omit the files in a moved folder. The
// caller must hold d.mu.
func (d *drives) visit(in corpus, folders []string) (more []crawl.Feed) {
	if d.visited[in.id] == nil {
		d.visited[in.id] = make(map[string]bool)
	}
	folders = slices.DeleteFunc(folders, func(id string) bool {
		was := d.visited[in.id][id]
		d.visited[in.id][id] = true
		return was
	})
	for some := range slices.Chunk(folders, mostParents) {
		more = append(more, in.contentFeed(some...))
	}
	return more
}

func (c corpus) contentFeed(folders ...string) crawl.Feed {
	return crawl.Feed{ID: feedBelow + c.id + "/" + strings.Join(folders, ","), Scope: c.id}
}

// folderContent returns a page of the files in some folders of a drive. If a file belongs to
// another drive, it requests the file again on behalf of the owner, who sees all grants.
func (d *drives) folderContent(ctx context.Context, in corpus, folders []string, token string) (p part, err error) {
	got, err := d.files(ctx, in, "'"+strings.Join(folders, "' in parents or '")+"' in parents", token)
	if err != nil && !final(ctx, err) && (stale(err) || absent(err)) {
		if len(folders) > 1 { // a missing folder fails the whole request
			for _, id := range folders {
				p.more = append(p.more, in.contentFeed(id))
			}
		}
		return p, nil
	}
	if err != nil {
		return p, err
	}
	var within []string
	for _, f := range got.Files {
		if f.MimeType == typeFolder {
			within = append(within, f.ID)
		}
		home := d.home(f)
		if home == "" {
			continue
		}
		own := d.byID[home]
		if home != in.id {
			again, err := d.file(ctx, own.subject, f.ID, own.fields())
			if err != nil && (final(ctx, err) || !absent(err)) {
				return p, err
			}
			if f = again; err != nil || d.home(f) != home {
				continue
			}
		}
		if one := (placed{file: f, in: own, changed: !own.shared}); f.Trashed {
			p.gone = append(p.gone, one)
		} else {
			p.found = append(p.found, one)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	p.more, p.next = d.visit(in, within), got.NextPageToken
	return p, nil
}
