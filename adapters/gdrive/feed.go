package gdrive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/index"
)

// sink takes what a feed brings.
type sink interface {
	// found records what is in a corpus now. With log it was changed, and otherwise it was met in a
	// list.
	found(ctx context.Context, in corpus, files []file, log bool) error
	// gone records what is not in a corpus any more; files that are shown still, elsewhere or in
	// the trash, are more than an id.
	gone(ctx context.Context, in corpus, files []file) error
	// flush hands on what was taken in, and how far the feed is.
	flush(complete bool) error
}

// feed reads the corpora of a source: what has changed, by their logs, and now and then everything.
// It is for one goroutine.
type feed struct {
	*Connector
	sink    sink
	state   state
	now     time.Time
	people  *people // nil where no one has to be known
	corpora []corpus
	byID    map[string]corpus
	// whose a folder is that someone's file lies in, by node id: the id of a corpus; empty: an
	// unknown owner's
	owners map[string]string
	ahead  map[string]fetched
	unread []index.Notice // shared drives that cannot be read
	// people for whom nothing can be read, such as those without a licence for Drive
	skipped []index.Notice
}

// fetched is the first part of a log.
type fetched struct {
	logged
	err error
}

// feed goes on from a checkpoint that was made with the same settings.
func (c *Connector) feed(since index.Checkpoint, settings string) *feed {
	return &feed{Connector: c, state: decode(since, settings), now: c.client.config.Now(), byID: make(map[string]corpus), owners: make(map[string]string)}
}

// errAnew says that a log has expired, so that everything is to be looked at.
var errAnew = errors.New("change token expired")

// open finds out which corpora there are.
func (w *feed) open(ctx context.Context) (err error) {
	if w.corpora, err = w.Connector.corpora(ctx, w.people); err != nil {
		return err
	}
	for _, in := range w.corpora {
		w.byID[in.id] = in
	}
	w.state.Open = true
	return nil
}

func (w *feed) run(ctx context.Context) error {
	if w.state.Pass == nil && !w.due() {
		err := w.logs(ctx)
		if !errors.Is(err, errAnew) {
			return err
		}
	}
	return w.everything(ctx)
}

// due reports whether everything is to be looked at: it is time, or a corpus is gone, with all that
// was shared from it by itself.
func (w *feed) due() bool {
	for id := range w.state.Logs {
		if _, there := w.byID[id]; !there {
			return true
		}
	}
	return w.state.Swept == 0 || w.now.Sub(time.Unix(w.state.Swept, 0)) >= w.options.SweepEvery
}

// everything looks at all files of all corpora. It goes on where another run has ended.
func (w *feed) everything(ctx context.Context) error {
	if w.state.Pass == nil {
		w.state.Pass = &pass{Began: w.now.Unix(), Done: make(map[string]string)}
	}
	p := w.state.Pass
	for _, in := range w.corpora {
		if _, done := p.Done[in.id]; done {
			continue
		}
		if p.At != in.id {
			p.At, p.Token, p.Log = in.id, "", ""
		}
		err := w.list(ctx, in)
		if err != nil && (final(ctx, err) || !absent(err)) {
			return err
		}
		if err != nil {
			w.refused(in, err)
			p.Log = ""
		}
		p.Done[in.id], p.At = p.Log, ""
		if err := w.sink.flush(false); err != nil {
			return err
		}
	}
	w.state.Logs = make(map[string]string)
	for id, token := range p.Done {
		if _, there := w.byID[id]; there && token != "" {
			w.state.Logs[id] = token
		}
	}
	w.state.Swept, w.state.Pass = p.Began, nil
	w.state.Open = false
	return w.sink.flush(!p.Holes)
}

// refused notes a corpus that cannot be read: no one may read what is in it.
func (w *feed) refused(in corpus, err error) {
	notice := index.Notice{Name: in.name, Sentence: fmt.Sprintf("It cannot be read, and its contents are hidden from everyone here (%v).", err)}
	if in.shared {
		w.unread = append(w.unread, notice)
	} else {
		w.skipped = append(w.skipped, notice)
	}
}

const folderQuery = "mimeType = '" + typeFolder + "' and 'me' in owners and trashed = false"

// list looks at all files of a corpus.
func (w *feed) list(ctx context.Context, in corpus) (err error) {
	p := w.state.Pass
	if p.Log == "" {
		// before the list: what changes meanwhile is in the log
		if p.Log, err = w.startToken(ctx, in); err != nil {
			return err
		}
	}
	if err := w.learn(ctx, in); err != nil {
		return err
	}
	condition := "trashed = false"
	if !in.shared {
		condition = "'me' in owners and trashed = false"
	}
	again := false
	pages := new(sourcehttp.Pages)
	for {
		got, err := w.files(ctx, in, condition, p.Token)
		if err != nil {
			if p.Token != "" && stale(err) && !again && !final(ctx, err) {
				again, p.Token = true, ""
				pages = new(sourcehttp.Pages)
				continue
			}
			return err
		}
		if got.IncompleteSearch && !p.Holes {
			w.incomplete(in, errIncompleteSearch)
		}
		if err := w.sink.found(ctx, in, w.within(in, got.Files), false); err != nil {
			return err
		}
		p.Token = got.NextPageToken
		if p.Token == "" {
			return nil
		}
		if err := pages.Next(p.Token); err != nil {
			w.incomplete(in, err)
			p.Token = ""
			return nil
		}
		if err := w.sink.flush(false); err != nil {
			return err
		}
	}
}

// errIncompleteSearch: "If true, then some search results might be missing, since all documents
// were not searched."
var errIncompleteSearch = errors.New("Google Drive did not search all drives")

// incomplete notes that a list of everything in a corpus did not come to its end.
func (w *feed) incomplete(in corpus, why error) {
	w.state.Pass.Holes = true
	w.unread = append(w.unread, crawl.Incomplete(in.name, why))
}

// within are those of the files that belong to a corpus.
func (w *feed) within(in corpus, files []file) []file {
	some := files[:0:0]
	for _, f := range files {
		if w.home(f) == in.id && !f.Trashed {
			some = append(some, f)
		}
	}
	return some
}

// home is the id of the corpus that a file belongs to; empty: none that is read. "Output only. The
// owner of this file. … This field isn't populated for items in shared drives."
func (w *feed) home(f file) string {
	if f.DriveID != "" {
		return w.byID[f.DriveID].id
	}
	if w.people == nil || len(f.Owners) == 0 {
		return ""
	}
	return w.byID[w.people.byMail[address(f.Owners[0].EmailAddress)]].id
}

// learn notes which folders someone owns, with the top one of their drive, so that none of them has
// to be asked for by itself.
func (w *feed) learn(ctx context.Context, in corpus) error {
	if in.shared {
		return nil
	}
	top, err := w.file(ctx, in.subject, "root", in.fields())
	if err != nil {
		return err
	}
	if w.home(top) == in.id {
		w.owners[nodeID(in.id, top.ID)] = in.id
		if err := w.sink.found(ctx, in, []file{top}, false); err != nil {
			return err
		}
	}
	token, pages := "", new(sourcehttp.Pages)
	for {
		got, err := w.files(ctx, in, folderQuery, token)
		if err != nil {
			return err
		}
		for _, f := range w.within(in, got.Files) {
			w.owners[nodeID(in.id, f.ID)] = in.id
		}
		if token = got.NextPageToken; token == "" {
			return nil
		}
		if err := pages.Next(token); err != nil {
			return fmt.Errorf("Google Drive's list of the folders of %s cannot be read: the next run tries again (%w)", in.name, err)
		}
	}
}

// above is the node of the folder that a file lies in; empty where that is not shown, so that
// nothing is inherited. own reports that it is a folder of the same corpus.
func (w *feed) above(ctx context.Context, in corpus, f *file) (node string, own bool, err error) {
	parent := f.parent()
	if parent == "" || in.shared {
		if parent == "" {
			return "", false, nil
		}
		return nodeID(in.id, parent), true, nil
	}
	key := nodeID(in.id, parent)
	owner, known := w.owners[key]
	if !known {
		folder, err := w.file(ctx, in.subject, parent, "id,driveId,owners(emailAddress)")
		switch {
		case err == nil:
			owner = w.home(folder)
		case final(ctx, err) || !absent(err):
			return "", false, err
		}
		w.owners[key] = owner
	}
	if owner == "" {
		return "", false, nil
	}
	return nodeID(owner, parent), owner == in.id, nil
}

// again reads one file of a corpus again, whatever the logs say. It is not there where the file, or
// the corpus, is not any more.
func (w *feed) again(ctx context.Context, corpus, id string) (there bool, err error) {
	in, read := w.byID[corpus]
	if !read {
		return false, nil
	}
	f, err := w.file(ctx, in.subject, id, in.fields())
	switch {
	case err == nil && w.home(f) == in.id && !f.Trashed:
		return true, w.sink.found(ctx, in, []file{f}, true)
	case err == nil || !final(ctx, err) && absent(err):
		return false, nil
	}
	return false, err
}

// logs follows the log of each corpus, and looks at all of those that are new.
func (w *feed) logs(ctx context.Context) error {
	for some := range slices.Chunk(w.corpora, mostAhead) {
		w.fetch(ctx, some)
		for _, in := range some {
			if err := w.log(ctx, in); err != nil {
				return err
			}
		}
	}
	w.state.Open = false
	return w.sink.flush(false)
}

// mostAhead is of how many corpora the logs are asked for side by side.
const mostAhead = 64

// fetch asks for the logs of some corpora at once: of most there is nothing new, and an answer
// takes longer than to make something of it.
func (w *feed) fetch(ctx context.Context, some []corpus) {
	w.ahead = make(map[string]fetched, len(some))
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, in := range some { // the client bounds how many are under way at once
		token, known := w.state.Logs[in.id]
		if !known {
			continue
		}
		all.Go(func() {
			got, err := w.changed(ctx, in, token)
			mu.Lock()
			defer mu.Unlock()
			w.ahead[in.id] = fetched{got, err}
		})
	}
	all.Wait()
}

func (w *feed) log(ctx context.Context, in corpus) error {
	token, known := w.state.Logs[in.id]
	if !known {
		return w.newcomer(ctx, in)
	}
	pages := new(sourcehttp.Pages)
	for {
		first, there := w.ahead[in.id]
		got, err := first.logged, first.err
		if delete(w.ahead, in.id); !there {
			got, err = w.changed(ctx, in, token)
		}
		switch {
		case err == nil:
		case final(ctx, err):
			return err
		case stale(err) || absent(err):
			delete(w.state.Logs, in.id)
			return fmt.Errorf("%w: %w", errAnew, err)
		default:
			return err
		}
		if err := w.follow(ctx, in, got.Changes); err != nil {
			return err
		}
		token = got.NextPageToken
		if got.NewStartPageToken != "" {
			token = got.NewStartPageToken
		}
		w.state.Logs[in.id] = token
		if got.NewStartPageToken != "" && len(got.Changes) == 0 {
			return nil // nothing to be stored but the place
		}
		if err := w.sink.flush(false); err != nil || got.NewStartPageToken != "" {
			return err
		}
		if pages.Next(token) != nil {
			break
		}
	}
	return fmt.Errorf("%w: the log of %s does not end", errAnew, in.name)
}

// newcomer looks at all of a corpus that was not there before: "the user's change log contains a
// single entry" where a person becomes a member of a shared drive, and none of its files.
func (w *feed) newcomer(ctx context.Context, in corpus) error {
	w.state.Pass = &pass{}
	err := w.list(ctx, in)
	p := w.state.Pass
	w.state.Pass = nil
	switch {
	case err == nil:
		w.state.Logs[in.id] = p.Log
		return w.sink.flush(false)
	case final(ctx, err) || !absent(err):
		return err
	}
	w.refused(in, err)
	return nil
}

// follow takes in entries of a log.
func (w *feed) follow(ctx context.Context, in corpus, changes []change) error {
	var there, gone []file
	var folders []string
	last := make(map[string]int, len(changes)) // of several entries of a file the newest counts
	for i, one := range changes {
		last[one.FileID] = i
	}
	for i, one := range changes {
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
			delete(w.owners, nodeID(in.id, f.ID))
		}
		if one.File != nil && !f.Trashed && w.home(f) == in.id {
			there = append(there, f)
		} else {
			gone = append(gone, f)
		}
	}
	if err := w.sink.gone(ctx, in, gone); err != nil {
		return err
	}
	if err := w.sink.found(ctx, in, there, true); err != nil {
		return err
	}
	return w.below(ctx, in, folders)
}
