package gdrive

import (
	"context"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
)

// mostParents is how many folders are asked about at once.
const mostParents = 30

// below looks at what lies below folders that have changed: they may have come from elsewhere, or
// been thrown away, and the log need not name each file below.
func (w *feed) below(ctx context.Context, in corpus, folders []string) error {
	been := make(map[string]bool)
	each := func(files []file) error {
		for _, f := range files {
			if f.MimeType == typeFolder {
				folders = append(folders, f.ID)
			}
		}
		return w.sort(ctx, in, files)
	}
	for len(folders) > 0 {
		some := folders[:min(mostParents, len(folders))]
		folders = folders[len(some):]
		var names []string
		for _, id := range some {
			if !been[id] {
				been[id] = true
				names = append(names, "'"+id+"' in parents")
			}
		}
		if len(names) == 0 {
			continue
		}
		err := w.parts(ctx, in, strings.Join(names, " or "), each)
		if lost(ctx, err) && len(names) > 1 { // one that is gone takes the others with it
			for _, name := range names {
				if err = w.parts(ctx, in, name, each); err != nil && !lost(ctx, err) {
					break
				}
			}
		}
		if err != nil && !lost(ctx, err) {
			return err
		}
	}
	return nil
}

// lost reports whether an error says that a folder is not there any more.
func lost(ctx context.Context, err error) bool {
	return err != nil && !final(ctx, err) && (stale(err) || absent(err))
}

// parts reads a list part by part.
func (w *feed) parts(ctx context.Context, in corpus, condition string, each func([]file) error) error {
	token, pages := "", new(sourcehttp.Pages)
	for {
		got, err := w.files(ctx, in, condition, token)
		if err != nil {
			return err
		}
		if err := each(got.Files); err != nil {
			return err
		}
		if token = got.NextPageToken; token == "" {
			return nil
		}
		if err := pages.Next(token); err != nil {
			return fmt.Errorf("%w: the list of a folder in %s: %w", errAnew, in.name, err)
		}
	}
}

// sort takes in what lies below a folder. A file of someone else's is read as they see it: only its
// owner is shown all of its grants.
func (w *feed) sort(ctx context.Context, in corpus, files []file) error {
	there, gone := make(map[string][]file), make(map[string][]file)
	for _, f := range files {
		home := w.home(f)
		if home == "" {
			continue
		}
		if home != in.id {
			own := w.byID[home]
			again, err := w.file(ctx, own.subject, f.ID, own.fields())
			if err != nil {
				if final(ctx, err) || !absent(err) {
					return err
				}
				continue
			}
			if f = again; w.home(f) != home {
				continue
			}
		}
		if f.Trashed {
			gone[home] = append(gone[home], f)
		} else {
			there[home] = append(there[home], f)
		}
	}
	for _, of := range w.corpora {
		if err := w.sink.gone(ctx, of, gone[of.id]); err != nil {
			return err
		}
		if err := w.sink.found(ctx, of, there[of.id], !of.shared); err != nil {
			return err
		}
	}
	return nil
}
