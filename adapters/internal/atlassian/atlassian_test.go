package atlassian_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

func TestASiteIsToldByItsAddress(t *testing.T) {
	t.Parallel()
	for address, cloud := range map[string]bool{
		"https://acme.atlassian.net": true, "https://api.atlassian.com/ex/jira/1": true, "https://jira.acme.example": false, "https://atlassian.net.evil.example": false, "": false,
	} {
		if atlassian.IsCloud(address, "") != cloud || !atlassian.IsCloud(address, atlassian.Cloud) || atlassian.IsCloud(address, atlassian.DataCenter) {
			t.Error(address)
		}
	}
}

func TestAddressesOfManagedAccountsCount(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		" Ada@Acme.Example ": "ada@acme.example", "ada@other.example": "", "Ada <ada@acme.example>": "", "acme.example": "", "": "", "a@b@acme.example": "",
	} {
		if got := atlassian.Managed(address, []string{"ACME.example"}); len(got) > 1 || len(got) == 1 != (want != "") || want != "" && got[0] != want {
			t.Errorf("%q: %v", address, got)
		}
	}
}

func TestSetsOfIDsAreWrittenAsText(t *testing.T) {
	t.Parallel()
	in := map[string]atlassian.IDSet{"s": {"7": true, "att7": true, "10000001": true}, "none": {}}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]atlassian.IDSet
	if err := json.Unmarshal(text, &out); err != nil || !slices.Equal(slices.Sorted(maps.Keys(out["s"])), []string{"10000001", "7", "att7"}) || len(out["none"]) > 0 {
		t.Errorf("%s became %v (%v)", text, out, err)
	}
	if json.Unmarshal([]byte(`"%"`), new(atlassian.IDSet)) == nil {
		t.Error("what is no set is taken")
	}
	var ids []atlassian.ID
	if err := json.Unmarshal([]byte(`["a", 12, null]`), &ids); err != nil || !slices.Equal(ids, []atlassian.ID{"a", "12", ""}) {
		t.Errorf("%v, %v", ids, err)
	}
}

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

func TestAttachedFilesAreReadAsFilesOfAFolder(t *testing.T) {
	t.Parallel()
	var path string
	read := func(at string) (index.Connector, error) {
		path = at
		return folder{at}, nil
	}
	d, err := atlassian.ReadFile(t.Context(), "../../Rota.MD", []byte("Ada"), read)
	if err != nil || d.Text() != "Ada" || d.Title != "" || filepath.Base(path) != "file.md" {
		t.Errorf("%+v of %s, %v", d, path, err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is left behind: %v", err)
	}
	if _, err := atlassian.ReadFile(t.Context(), "a.md", nil, read); !errors.Is(err, index.ErrSkipped) || !strings.Contains(err.Error(), "It is empty") {
		t.Error(err)
	}
}
