package openurl_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/openurl"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// web is a fetcher that knows every address and notes what it was asked for. Hosts that end in
// ".corp" are private.
type web struct {
	text  string
	err   error
	moved map[string]string // addresses that redirect

	mu      sync.Mutex
	fetched []string
}

func (w *web) Fetch(ctx context.Context, address string, permit openurl.Permit) (openurl.Page, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	url := address
	for hop := address; hop != ""; hop = w.moved[hop] {
		host, _, _ := strings.Cut(strings.TrimPrefix(hop, "https://"), "/")
		if err := permit(ctx, openurl.Hop{Address: hop, Private: strings.HasSuffix(host, ".corp")}); err != nil {
			return openurl.Page{}, err
		}
		url = hop
		w.fetched = append(w.fetched, hop)
	}
	text := w.text
	if text == "" {
		text = "What " + url + " says."
	}
	return openurl.Page{URL: url, Title: "A page", Text: text}, w.err
}

// index holds documents by their access lists.
type index map[document.ID]access.ACL

func (x index) Readable(_ context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error) {
	readable := make(map[document.ID]bool)
	for _, id := range ids {
		if acl, ok := x[id]; ok && audience.MayRead(acl) {
			readable[id] = true
		}
	}
	return readable, nil
}

// Addressed knows https://docs.example/ID.
func (x index) Addressed(_ context.Context, audience access.Audience, sources []document.SourceID, addresses []string) (map[string]document.ID, error) {
	found := make(map[string]document.ID)
	for _, a := range addresses {
		name, ok := strings.CutPrefix(a, "https://docs.example/")
		id := document.ID(name)
		if acl, known := x[id]; ok && known && audience.MayRead(acl) && (sources == nil || slices.Contains(sources, "docs")) {
			found[a] = id
		}
	}
	return found, nil
}

// Withheld knows the same addresses, in small and capital letters.
func (x index) Withheld(_ context.Context, audience access.Audience, address string) (bool, error) {
	name, ok := strings.CutPrefix(strings.ToLower(address), "https://docs.example/")
	if name == "broken" {
		return false, errors.New("the index does not answer")
	}
	acl, known := x[document.ID(name)]
	return ok && known && !audience.MayRead(acl), nil
}

func (x index) Excerpts(_ context.Context, audience access.Audience, spans []retrieve.Span) ([]retrieve.Passage, error) {
	var out []retrieve.Passage
	for _, s := range spans {
		if acl, ok := x[s.Document]; ok && audience.MayRead(acl) {
			for i, text := range []string{"First part. ", "part. Second part."} {
				start := i * 6
				out = append(out, retrieve.Passage{
					Document: document.Ref{ID: s.Document, Title: "Guide", URL: "https://docs.example/guide", Kind: "file"}, ID: document.ChunkID(i + 1),
					Chunk: document.Chunk{Ordinal: i, Text: text, Start: start, End: start + len(text), Anchor: []string{"begin", "end"}[i]},
				})
			}
		}
	}
	return out, nil
}

var (
	members = access.NewAudience(access.DefaultTenant, access.Members)
	library = index{"public": {access.Public}, "internal": {access.Members}}
)

func reference(id document.ID, url, text string) message.Reference {
	return message.Reference{Number: 1, Document: document.Ref{ID: id, URL: url}, Text: text}
}

func run(t *testing.T, w *web, scope tool.Scope, allow []string, urls ...string) (tool.Result, error) {
	t.Helper()
	return runWith(t, w, library, scope, allow, urls...)
}

func runWith(t *testing.T, w *web, documents index, scope tool.Scope, allow []string, urls ...string) (tool.Result, error) {
	t.Helper()
	listed, err := openurl.ParseAllow(allow)
	if err != nil {
		t.Fatal(err)
	}
	if scope.Audience.Tenant() == "" {
		scope.Audience = members
	}
	if scope.Citations == nil {
		scope.Citations = cite.NewMapping()
	}
	if scope.Quoted == nil {
		scope.Quoted = message.Said(append(slices.Clone(scope.History), message.Message{Role: message.User, Text: scope.Question})...)
	}
	args, err := json.Marshal(map[string]any{"urls": urls})
	if err != nil {
		t.Fatal(err)
	}
	queue := make(chan packet.Packet, 8)
	result, err := openurl.New(w, documents, budgettest.NewWords(), listed).Run(t.Context(), tool.Call{Arguments: args, Scope: scope},
		packet.NewEmitter(queue, nil, packet.Placement{}))
	close(queue)
	var kinds []string
	for p := range queue {
		kinds = append(kinds, p.Payload.Kind())
	}
	if want := []string{"open_url_start", "open_url_urls", "open_url_documents"}; err == nil && !cmp.Equal(want, kinds) {
		t.Errorf("packets %v, want %v", kinds, want)
	}
	return result, err
}

func TestPermittedAddresses(t *testing.T) {
	t.Parallel()
	const page = "https://site.example/page?id=7"
	public := reference("public", "https://docs.example/p", "See https://site.example/page?id=7.")
	internal := reference("internal", "https://docs.example/i", "See https://site.example/page?id=7.")
	for _, tt := range []struct {
		name  string
		scope tool.Scope
		allow []string
		url   string
		err   string // none: it is fetched
	}{
		{name: "the question names it", scope: tool.Scope{Question: "What does " + page + ", say?"}, url: page},
		{name: "in angle brackets with a label", scope: tool.Scope{Question: "See <" + page + "|here>"}, url: page},
		{name: "in a Markdown link", scope: tool.Scope{Question: "See [here](" + page + ")!"}, url: page},
		{name: "another fragment", scope: tool.Scope{Question: page + "#a"}, url: page + "#b"},
		{name: "somebody named it before", scope: tool.Scope{History: []message.Message{{Role: message.User, Text: page}}}, url: page},
		{name: "the model named it before", scope: tool.Scope{History: []message.Message{{Role: message.Assistant, Text: page}}}, url: page, err: "only addresses in"},
		{name: "a public document names it", scope: tool.Scope{Shown: []message.Reference{public}}, url: page},
		{name: "a document of an earlier turn", scope: tool.Scope{History: []message.Message{{Role: message.Assistant, Documents: []message.Reference{public}}}}, url: page},
		{name: "nobody named it", scope: tool.Scope{Question: "Open something."}, url: page, err: "only addresses in"},
		{name: "a changed query", scope: tool.Scope{Question: page}, url: "https://site.example/page?id=8", err: "only addresses in"},
		{name: "more behind it", scope: tool.Scope{Question: page}, url: page + "&secret=x", err: "only addresses in"},
		{name: "a document that is not public is in use", scope: tool.Scope{Question: page, Shown: []message.Reference{internal}}, url: page, err: "not public"},
		{name: "one of an earlier turn", scope: tool.Scope{Question: page, History: []message.Message{{Role: message.Assistant, Documents: []message.Reference{internal}}}}, url: page, err: "not public"},
		{name: "one whose title alone was shown", scope: tool.Scope{Question: page, Shown: []message.Reference{reference("internal", "", "")}}, url: page, err: "not public"},
		{name: "one that is gone", scope: tool.Scope{Question: page, Shown: []message.Reference{reference("gone", "", "")}}, url: page, err: "not public"},
		{name: "an attached file", scope: tool.Scope{Question: page, Files: []message.File{{Name: "a.txt", Text: "a"}}}, url: page, err: "not public"},
		{name: "an address in an attached file", scope: tool.Scope{Files: []message.File{{Name: "a.txt", Text: page}}}, url: page, err: "only addresses in"},
		{name: "a fetched page's links", scope: tool.Scope{Shown: []message.Reference{{Document: document.Ref{ID: "open_url:https://x.example", Source: openurl.SourceWeb}, Text: page}}}, url: page, err: "only addresses in"},
		{name: "after a fetched page", scope: tool.Scope{Question: page, Shown: []message.Reference{{Document: document.Ref{ID: "open_url:https://x.example", Source: openurl.SourceWeb}, Text: "x"}}}, url: page},
		{name: "after a page that only the list let through", scope: tool.Scope{Question: page, Shown: []message.Reference{{Document: document.Ref{ID: "open_url_listed:https://w.example", Source: openurl.SourceListed}, Text: "x"}}}, url: page, err: "not public"},
		{name: "listed, whatever is in use", scope: tool.Scope{Shown: []message.Reference{internal}}, allow: []string{"*.site.example", "site.example"}, url: page},
		{name: "listed by its beginning", allow: []string{"https://site.example/page"}, url: "https://site.example/page/two"},
		{name: "beside the beginning", allow: []string{"https://site.example/page"}, url: "https://site.example/pages", err: "only addresses in"},
		{name: "out of the beginning", allow: []string{"https://site.example/page"}, url: "https://site.example/page/../secret", err: "only addresses in"},
		{name: "a host that ends like it", allow: []string{"site.example"}, url: "https://evilsite.example/", err: "only addresses in"},
		{name: "a user before the host", allow: []string{"site.example"}, url: "https://site.example@evil.example/", err: "only addresses in"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := &web{}
			result, err := run(t, w, tt.scope, tt.allow, tt.url)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) || len(w.fetched) != 0 {
					t.Errorf("error %v, fetched %v; want an error with %q and nothing fetched", err, w.fetched, tt.err)
				}
				return
			}
			if err != nil || len(w.fetched) != 1 || len(result.References) != 1 || !strings.Contains(result.Content, `"document":1`) || !result.Citable {
				t.Errorf("result %+v, error %v", result, err)
			}
		})
	}
}

// Once something that is not public is in use, nothing that is not listed is fetched, whatever
// stands where.
func TestPrivateContextBlocksAddresses(t *testing.T) {
	t.Parallel()
	addresses := []string{"https://a.example/x", "https://b.example/y?z=1", "https://listed.example/q"}
	rapid.Check(t, func(rt *rapid.T) {
		address := rapid.SampledFrom(addresses)
		text := rapid.Custom(func(t *rapid.T) string { return "see " + strings.Join(rapid.SliceOf(address).Draw(t, "in"), " and ") })
		scope := tool.Scope{Audience: members, Question: text.Draw(rt, "question"), Shown: []message.Reference{
			reference("public", address.Draw(rt, "url"), text.Draw(rt, "public")), reference("internal", "", text.Draw(rt, "internal")),
		}}
		w := &web{}
		_, _ = run(t, w, scope, []string{"listed.example"}, rapid.SliceOfNDistinct(address, 1, 3, rapid.ID).Draw(rt, "urls")...)
		for _, fetched := range w.fetched {
			if fetched != "https://listed.example/q" {
				rt.Fatalf("%s was fetched", fetched)
			}
		}
	})
}

// An address that is indexed is never fetched for those who may not read the document, whoever
// names it, redirects to it or lists it.
func TestWithheldDocumentsAreNotFetchedFromTheirSite(t *testing.T) {
	t.Parallel()
	outside := access.NewAudience(access.DefaultTenant)
	hr := index{"pay": {access.Group("hr")}}
	const pay, door = "https://docs.example/pay", "https://site.example/door"
	for _, tt := range []struct {
		name, url string
		audience  access.Audience
		allow     []string
		moved     map[string]string
		fetched   []string
		err       string
	}{
		{name: "a guest names it", url: pay, audience: outside, err: "not everyone"},
		{name: "a member names it", url: pay, audience: members, err: "not everyone"},
		{name: "in another spelling", url: "https://DOCS.example/Pay", audience: members, err: "not everyone"},
		{name: "it is listed", url: pay, audience: members, allow: []string{"docs.example"}, err: "not everyone"},
		{name: "a page redirects to it", url: door, audience: members, moved: map[string]string{door: pay}, fetched: []string{door}, err: "not everyone"},
		{name: "a listed page redirects to it", url: door, audience: members, allow: []string{"docs.example", "site.example"}, moved: map[string]string{door: pay}, fetched: []string{door}, err: "not everyone"},
		{name: "the index does not answer", url: "https://docs.example/broken", audience: members, err: "checking "},
		{name: "another page of the site", url: "https://docs.example/other", audience: members, fetched: []string{"https://docs.example/other"}},
		{name: "those who may read it read it in the index", url: pay, audience: access.NewAudience(access.DefaultTenant, access.Group("hr"))},
	} {
		w := &web{moved: tt.moved}
		_, err := runWith(t, w, hr, tool.Scope{Audience: tt.audience, Question: "What is on " + tt.url + " ?"}, tt.allow, tt.url)
		if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) || !slices.Equal(w.fetched, tt.fetched) {
			t.Errorf("%s: error %v, fetched %v; want %q and %v", tt.name, err, w.fetched, tt.err, tt.fetched)
		}
	}
}

// Every redirect is decided about like the address that was given: what the model chose reaches
// listed places alone.
func TestRedirectsAreChecked(t *testing.T) {
	t.Parallel()
	const listed, open, evil, named = "https://listed.example/go?u=secret", "https://site.example/a", "https://evil.example/?q=secret", "https://named.example/b"
	internal := []message.Reference{reference("internal", "", "")}
	for _, tt := range []struct {
		name, url string
		scope     tool.Scope
		moved     map[string]string
		fetched   []string
		err       string
		source    document.SourceID
	}{
		{name: "from a listed host elsewhere", url: listed, moved: map[string]string{listed: evil}, fetched: []string{listed}, err: "only addresses in"},
		{name: "with something private in use", url: listed, scope: tool.Scope{Shown: internal}, moved: map[string]string{listed: evil}, fetched: []string{listed}, err: "only addresses in"},
		{name: "after two hops", url: listed, moved: map[string]string{listed: "https://listed.example/2", "https://listed.example/2": evil}, fetched: []string{listed, "https://listed.example/2"}, err: "only addresses in"},
		{name: "within the list", url: listed, moved: map[string]string{listed: "https://listed.example/2"}, fetched: []string{listed, "https://listed.example/2"}, source: openurl.SourceListed},
		{name: "to what somebody named", url: listed, scope: tool.Scope{Question: named}, moved: map[string]string{listed: named}, fetched: []string{listed, named}, source: openurl.SourceListed},
		{name: "to that with something private in use", url: listed, scope: tool.Scope{Question: named, Shown: internal}, moved: map[string]string{listed: named}, fetched: []string{listed}, err: "not public"},
		{name: "listed and named, with something private in use", url: listed, scope: tool.Scope{Question: listed, Shown: internal}, moved: map[string]string{listed: evil}, fetched: []string{listed}, err: "only addresses in"},
		{name: "of an address that others chose", url: open, scope: tool.Scope{Question: open}, moved: map[string]string{open: "https://www.site.example/a/"}, fetched: []string{open, "https://www.site.example/a/"}, source: openurl.SourceWeb},
		{name: "from there into a private network", url: open, scope: tool.Scope{Question: open}, moved: map[string]string{open: "https://wiki.corp/x"}, fetched: []string{open}, err: "only addresses in"},
		{name: "within a private network", url: "https://wiki.corp/x", scope: tool.Scope{Question: "https://wiki.corp/x"}, moved: map[string]string{"https://wiki.corp/x": "https://wiki.corp/x/"}, fetched: []string{"https://wiki.corp/x", "https://wiki.corp/x/"}, source: openurl.SourceListed},
	} {
		w := &web{moved: tt.moved}
		result, err := run(t, w, tt.scope, []string{"listed.example"}, tt.url)
		if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) || !slices.Equal(w.fetched, tt.fetched) {
			t.Errorf("%s: error %v, fetched %v; want %q and %v", tt.name, err, w.fetched, tt.err, tt.fetched)
		}
		if tt.source != "" && (len(result.References) != 1 || result.References[0].Document.Source != tt.source) {
			t.Errorf("%s: references %+v, want the source %s", tt.name, result.References, tt.source)
		}
	}
}

// What only the operator's lists let through is for members, like what is indexed without a word
// about who may read it.
func TestListedPagesAreForMembers(t *testing.T) {
	t.Parallel()
	outside := access.NewAudience(access.DefaultTenant)
	for _, address := range []string{"https://listed.example/a", "https://wiki.corp/a"} {
		w := &web{}
		if _, err := run(t, w, tool.Scope{Audience: outside, Question: "https://wiki.corp/a"}, []string{"listed.example"}, address); err == nil || len(w.fetched) > 0 {
			t.Errorf("%s among guests: error %v, fetched %v", address, err, w.fetched)
		}
		result, err := run(t, &web{}, tool.Scope{Question: "https://wiki.corp/a"}, []string{"listed.example"}, address)
		if err != nil || openurl.Public(result.References[0].Document.ID) || !openurl.Fetched(result.References[0].Document.ID) {
			t.Errorf("%s among members: %+v, error %v", address, result.References, err)
		}
	}
	result, err := run(t, &web{}, tool.Scope{Audience: outside, Question: "https://listed.example/a"}, []string{"listed.example"}, "https://listed.example/a")
	if err != nil || !openurl.Public(result.References[0].Document.ID) {
		t.Errorf("a listed address that a guest named: %+v, error %v", result.References, err)
	}
}

func TestIndexedDocumentsAreReadFromTheIndex(t *testing.T) {
	t.Parallel()
	w := &web{}
	numbers := cite.NewMapping()
	numbers.Add(cite.Source{Document: "internal", Part: cite.ChunkPart(1)})
	scope := tool.Scope{Shown: []message.Reference{reference("internal", "https://docs.example/guide", "…")}, Citations: numbers}
	result, err := run(t, w, scope, nil, "https://docs.example/guide")
	if err != nil || len(w.fetched) != 0 || !strings.Contains(result.Content, "First part. Second part.") {
		t.Fatalf("content %s, error %v, fetched %v", result.Content, err, w.fetched)
	}
	r := result.References[0]
	if r.Document.ID != "internal" || *r.Chunk != 1 || r.Part != cite.PagePart || len(r.Sections) != 2 || r.Sections[1].Anchor != "end" {
		t.Errorf("reference %+v", r)
	}
	if !strings.Contains(result.Content, fmt.Sprintf(`{"document":%d,"page_id":"p1",`, r.Number)) || r.Number == 1 {
		t.Errorf("the page has the number %d of its first passage: %s", r.Number, result.Content)
	}
	scope.Audience = access.NewAudience(access.DefaultTenant) // it was revoked meanwhile
	if _, err := run(t, w, scope, nil, "https://docs.example/guide"); err == nil || len(w.fetched) != 0 {
		t.Errorf("a revoked document: error %v, fetched %v", err, w.fetched)
	}
}

// A document of the index is read there although nobody has shown or named it, as far as the
// audience and the agent may see it.
func TestDocumentsAreFoundByTheirAddress(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, url string
		scope     tool.Scope
		found     bool
	}{
		{"a document", "https://docs.example/internal", tool.Scope{Audience: members}, true},
		{"a section of it", "https://docs.example/internal#part", tool.Scope{Audience: members}, true},
		{"with spaces", " https://docs.example/internal ", tool.Scope{Audience: members}, true},
		{"for those who may not read it", "https://docs.example/internal", tool.Scope{Audience: access.NewAudience(access.DefaultTenant)}, false},
		{"of no source of the agent", "https://docs.example/internal", tool.Scope{Audience: members, Sources: []document.SourceID{"wiki"}}, false},
		{"an address like it", "https://docs.example/internal/", tool.Scope{Audience: members}, false},
	} {
		w := &web{}
		result, err := run(t, w, tt.scope, nil, tt.url)
		if len(w.fetched) != 0 {
			t.Errorf("%s: %v was fetched", tt.name, w.fetched)
		}
		if (err == nil) != tt.found || tt.found && !strings.Contains(result.Content, "First part. Second part.") {
			t.Errorf("%s: content %s, error %v", tt.name, result.Content, err)
		}
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	var urls []string
	for i := range 14 {
		urls = append(urls, fmt.Sprintf("https://a.example/%d", i))
	}
	scope := tool.Scope{Question: strings.Join(urls, " ")}
	w := &web{text: strings.Repeat("word ", 10_000)}
	result, err := run(t, w, scope, nil, urls...)
	if err != nil || len(w.fetched) != 10 || len(result.References) != 10 {
		t.Fatalf("%d fetched, %d references, error %v", len(w.fetched), len(result.References), err)
	}
	total := 0
	for _, r := range result.References {
		if n := len([]rune(r.Text)); n > 15_000 || !strings.HasSuffix(r.Text, "[The rest is left out.]") {
			t.Errorf("a page has %d characters and ends with %q", n, r.Text[len(r.Text)-30:])
		}
		total += len([]rune(r.Text))
	}
	if total > 150_000 {
		t.Errorf("the result has %d characters", total)
	}
	scope.Budget = 400
	result, err = run(t, &web{text: w.text}, scope, nil, urls[:2]...)
	if words := len(strings.Fields(result.Content)); err != nil || words > 500 || !strings.Contains(result.Content, "no room") {
		t.Errorf("with room for 400 words there are %d, error %v", words, err)
	}
}

func TestFailingCalls(t *testing.T) {
	t.Parallel()
	scope := tool.Scope{Question: "https://a.example/1 https://a.example/2"}
	if _, err := run(t, &web{err: errors.New("it does not answer")}, scope, nil, "https://a.example/1"); err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("a site that is down: %v", err)
	}
	if _, err := run(t, &web{}, scope, nil); err == nil || !strings.Contains(err.Error(), "no address") {
		t.Errorf("no address: %v", err)
	}
	result, err := run(t, &web{}, scope, nil, "https://a.example/1", "https://evil.example/")
	if err != nil || !strings.Contains(result.Content, "https://evil.example/ was not opened") {
		t.Errorf("one of two: %s, %v", result.Content, err)
	}
	if _, err := openurl.ParseAllow([]string{"ok.example", "ftp://x", "https://u@h/"}); err == nil || strings.Contains(err.Error(), "ok.example\"") {
		t.Errorf("a wrong list: %v", err)
	}
	merged, err := openurl.New(nil, nil, nil, openurl.Allow{}).Merge([]json.RawMessage{[]byte(`{"urls":["a","b"]}`), []byte(`{"url":"b"}`), []byte(`{"urls":"c"}`)})
	var got struct{ URLs []string }
	if err != nil || json.Unmarshal(merged, &got) != nil || !slices.Equal(got.URLs, []string{"a", "b", "c"}) {
		t.Errorf("merged %s, error %v", merged, err)
	}
}

// The text of a task names no address, and a question that was made of something private is
// private, whatever stands in its context.
func TestTasksNameNoAddresses(t *testing.T) {
	t.Parallel()
	const page = "https://site.example/page"
	task := message.Message{Role: message.Task, Text: page}
	person := message.Message{Role: message.User, Text: page}
	for _, tt := range []struct {
		name  string
		said  []message.Message
		basis message.Basis
		err   string
	}{
		{name: "a person named it", said: []message.Message{person}},
		{name: "a task named it", said: []message.Message{task}, err: "only addresses in"},
		{name: "an answer named it", said: []message.Message{{Role: message.Assistant, Text: page}}, err: "only addresses in"},
		{name: "a message without a role named it", said: []message.Message{{Text: page}}, err: "only addresses in"},
		{name: "made of a public document", said: []message.Message{person}, basis: message.Basis{Documents: []document.ID{"public"}}},
		{name: "made of a page of the web", said: []message.Message{person}, basis: message.Basis{Documents: []document.ID{"open_url:https://x.example"}}},
		{name: "made of a document for members", said: []message.Message{person}, basis: message.Basis{Documents: []document.ID{"public", "internal"}}, err: "not public"},
		{name: "made of a document that is gone", said: []message.Message{person}, basis: message.Basis{Documents: []document.ID{"gone"}}, err: "not public"},
		{name: "made of a listed page", said: []message.Message{person}, basis: message.Basis{Documents: []document.ID{"open_url_listed:https://w.example"}}, err: "not public"},
		{name: "made of something unknown", said: []message.Message{person}, basis: message.Basis{Unknown: true}, err: "not public"},
		{name: "made of an attached file", said: []message.Message{person}, basis: message.BasisOf(message.Message{Files: []message.File{{Name: "a.txt", Text: "a"}}}), err: "not public"},
		{name: "made of what an answer cites", said: []message.Message{person},
			basis: message.BasisOf(message.Message{Citations: []message.Citation{{Document: document.Ref{ID: "internal"}}}}), err: "not public"},
	} {
		w := &web{}
		said := append([]string{}, message.Said(tt.said...)...)
		_, err := run(t, w, tool.Scope{Question: page, Quoted: said, Basis: tt.basis}, nil, page)
		if allowed := tt.err == ""; allowed != (err == nil) || allowed != (len(w.fetched) == 1) || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: fetched %v, error %v, want %q", tt.name, w.fetched, err, tt.err)
		}
	}
}
