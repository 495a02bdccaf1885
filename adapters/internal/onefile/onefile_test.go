package onefile_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/onefile"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// folder is a connector of one text file.
type folder struct{ path string }

func (folder) Source() document.Source { return document.Source{} }

func (folder) Settings() string { return "" }

func (f folder) Sync(context.Context, index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		data, err := os.ReadFile(f.path)
		switch {
		case err != nil:
			yield(index.Batch{}, err)
		case len(data) == 0:
			yield(index.Batch{Skipped: []index.Notice{{Sentence: "It is empty."}}}, nil)
		default:
			yield(index.Batch{Documents: []index.Item{{Load: func(context.Context) (document.Document, error) {
				return document.Document{Ref: document.Ref{Title: f.path}, Sections: []document.Section{{Blocks: []document.Block{{Text: string(data)}}}}}, nil
			}}}}, nil)
		}
	}
}

func TestAFileIsReadAsThoseOfAFolder(t *testing.T) {
	t.Parallel()
	var path string
	read := func(at string) (index.Connector, error) {
		path = at
		return folder{at}, nil
	}
	d, err := onefile.Read(t.Context(), "../../Rota.MD", []byte("Ada"), read)
	if err != nil || d.Text() != "Ada" || d.Title != "" || filepath.Base(path) != "file.md" {
		t.Errorf("%+v of %s, %v", d, path, err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is left behind: %v", err)
	}
	if _, err := onefile.Read(t.Context(), "a.md", nil, read); !errors.Is(err, index.ErrSkipped) || !strings.Contains(err.Error(), "It is empty") {
		t.Error(err)
	}
}
