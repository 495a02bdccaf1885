package notion_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
	"github.com/footnotehq/footnote/adapters/notion"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
)

// answering is a server whose every list of blocks is the text given, and which shows one page.
func answering(t testing.TB, blocks string) *notion.Connector {
	t.Helper()
	const id = "0123456789abcdef0123456789abcdef"
	page := `{"object":"page","id":"` + id + `","last_edited_time":"2026-01-02T03:04:00.000Z","parent":{"type":"workspace"},"properties":{"Name":{"type":"title","title":[{"plain_text":"A page"}]}}}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.Contains(r.URL.Path, "children"):
			_, _ = io.WriteString(w, blocks)
		case strings.HasSuffix(r.URL.Path, "search"):
			_, _ = io.WriteString(w, `{"results":[`+page+`]}`)
		case strings.HasSuffix(r.URL.Path, "pages/"+id):
			_, _ = io.WriteString(w, page)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(server.Close)
	client, err := notion.New(notion.Config{URL: server.URL + "/v1/", Token: "x", AllowHosts: []string{"127.0.0.1"}, Every: time.Microsecond, Pause: time.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	c, err := notion.NewConnector(client, notion.Options{Name: "wiki", Readers: map[string]access.ACL{id: {members}}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// first reads the first page.
func first(ctx context.Context, c *notion.Connector) (document.Document, error) {
	for batch, err := range c.Sync(listed(ctx), nil) {
		if err != nil {
			return document.Document{}, err
		}
		for _, item := range batch.Documents {
			return item.Load(ctx)
		}
	}
	return document.Document{}, errors.New("nothing is yielded")
}

// Blocks that hold themselves, lists that never end, and blocks of kinds that are not known: a page
// ends, with what it says or with a sentence.
func TestBlocksWithoutEnd(t *testing.T) {
	t.Parallel()
	const inner = `"id":"11111111111111111111111111111111","has_children":true`
	for name, tt := range map[string]struct{ blocks, want string }{
		"a block that holds itself":     {`{"results":[{"type":"toggle",` + inner + `,"toggle":{"rich_text":[{"plain_text":"a"}]}}]}`, ""},
		"two blocks that hold each":     {`{"results":[{"type":"paragraph",` + inner + `},{"type":"column",` + inner + `}]}`, "more than 20000 blocks"},
		"a list that never ends":        {`{"results":[],"has_more":true,"next_cursor":"a"}`, "does not end"},
		"a synced block shows itself":   {`{"results":[{"type":"synced_block",` + inner + `,"synced_block":{"synced_from":null}}]}`, ""},
		"a block that is a list":        {`{"results":[[]]}`, "read a block"},
		"a kind that holds a number":    {`{"results":[{"type":"paragraph","paragraph":7},{"type":"","":{}},{}]}`, ""},
		"a table in a table in a table": {`{"results":[{"type":"table",` + inner + `,"table":{}},{"type":"table_row","table_row":{"cells":[[],[{"plain_text":"x"}]]}}]}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := first(t.Context(), answering(t, tt.blocks))
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("it ends with %v, want %q", err, tt.want)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(`{"type":"heading_1","id":"a","heading_1":{"rich_text":[{"plain_text":"a"}]}}`)
	f.Add(`{"type":"child_page","id":"b","child_page":{"title":"x"},"parent":{"type":"page_id","page_id":"c"}}`)
	f.Add(`{"object":"page","id":"a","properties":{"Due":{"type":"date","date":{"start":"2026-01-01"}},"Name":{"type":"title","title":[{"plain_text":"a"}]},"N":{"type":"number","number":1.5}}}`)
	f.Fuzz(func(t *testing.T, answer string) {
		defer hostiletest.Bound(t, len(answer), 0)()
		size := 0
		for _, text := range notion.Decode(answer) {
			size += len(text)
		}
		if size > 20*len(answer)+200 {
			t.Errorf("%d bytes say %d", len(answer), size)
		}
	})
}
