package pgindex_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	"github.com/google/go-cmp/cmp"
)

func TestDocumentsAreFoundByTheirAddress(t *testing.T) {
	t.Parallel()
	x, db := openIndex(t, pgindex.Config{})
	createTenant(t, db, "other")
	long := "https://docs.example/" + strings.Repeat("very/", 1000) // more than an entry of a B-tree holds
	put := func(tenant access.TenantID, id document.ID, url string, acl ...access.Principal) {
		t.Helper()
		d := retrievetest.One(string(id), "", "alpha")
		d.URL, d.ACL = url, acl
		if err := x.Put(t.Context(), tenant, []index.Entry{entryOf(d)}); err != nil {
			t.Fatal(err)
		}
	}
	put(access.DefaultTenant, "docs:open", "https://docs.example/open", access.Public)
	put(access.DefaultTenant, "docs:closed", "https://docs.example/closed", access.Group("board"))
	put(access.DefaultTenant, "docs:none", "", access.Public)
	put(access.DefaultTenant, "docs:long", long, access.Public)
	put(access.DefaultTenant, "docs:twin-b", "https://docs.example/twin", access.Public)
	put(access.DefaultTenant, "docs:twin-a", "https://docs.example/twin", access.Group("board"))
	put("other", "docs:theirs", "https://docs.example/theirs", access.Public)
	all := []string{
		"https://docs.example/open", "https://docs.example/closed", "", "https://docs.example/Open", long, "https://docs.example/twin",
		"https://docs.example/theirs", "https://docs.example/unknown",
	}
	tests := []struct {
		name     string
		audience access.Audience
		sources  []document.SourceID
		want     map[string]document.ID
	}{
		{"the public", access.NewAudience(access.DefaultTenant), nil, map[string]document.ID{all[0]: "docs:open", long: "docs:long", all[5]: "docs:twin-b"}},
		{"the board", access.NewAudience(access.DefaultTenant, access.Group("board")), nil,
			map[string]document.ID{all[0]: "docs:open", all[1]: "docs:closed", long: "docs:long", all[5]: "docs:twin-a"}},
		{"the source", access.NewAudience(access.DefaultTenant), []document.SourceID{"docs"},
			map[string]document.ID{all[0]: "docs:open", long: "docs:long", all[5]: "docs:twin-b"}},
		{"another source", access.NewAudience(access.DefaultTenant), []document.SourceID{"wiki"}, map[string]document.ID{}},
		{"no source", access.NewAudience(access.DefaultTenant), []document.SourceID{}, map[string]document.ID{}},
		{"another tenant", access.NewAudience("other", access.Members), nil, map[string]document.ID{all[6]: "docs:theirs"}},
		{"nobody", access.Audience{}, nil, map[string]document.ID{}},
	}
	for _, tt := range tests {
		got, err := x.Addressed(t.Context(), tt.audience, tt.sources, all)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// A document that somebody may not read is not to be reached by its address either, however that is
// spelled.
func TestWithheldAddressesInEverySpelling(t *testing.T) {
	t.Parallel()
	x, db := openIndex(t, pgindex.Config{})
	createTenant(t, db, "other")
	for id, url := range map[string]string{
		"plain": "https://wiki.corp/hr/Pay.html", "folder": "http://www.wiki.corp:80/board/", "query": "https://wiki.corp/index.php?title=Secret",
		"encoded": "https://wiki.corp/a%20b/f%C3%BCr", "letters": "https://bücher.corp/x", "claimed": `HTTPS://User@WIKI.corp.//x/./y/../%7a\w;v=1#f`,
		"root": "https://root.corp", "port": "https://wiki.corp:8443/p", "open": "https://wiki.corp/open",
	} {
		d := retrievetest.One("docs:"+id, "", "alpha")
		d.URL, d.ACL = url, access.ACL{access.Group("hr")}
		if id == "open" {
			d.ACL = access.ACL{access.Public}
		}
		if err := x.Put(t.Context(), access.DefaultTenant, []index.Entry{entryOf(d)}); err != nil {
			t.Fatal(err)
		}
	}
	public, hr := access.NewAudience(access.DefaultTenant), access.NewAudience(access.DefaultTenant, access.Group("hr"))
	ask := func(audience access.Audience, address string) bool {
		withheld, err := x.Withheld(t.Context(), audience, address)
		if err != nil {
			t.Fatalf("%s: %v", address, err)
		}
		return withheld
	}
	for _, address := range []string{
		"https://wiki.corp/hr/Pay.html", "http://wiki.corp/hr/Pay.html", " https://wiki.corp/hr/Pay.html ", "HTTPS://WIKI.CORP/hr/Pay.html", "https://www.wiki.corp/hr/Pay.html",
		"https://wiki.corp:443/hr/Pay.html", "http://wiki.corp:80/hr/Pay.html", "https://wiki.corp./hr/Pay.html", "https://wiki.corp:/hr/Pay.html", "https://me:pw@wiki.corp/hr/Pay.html",
		"https://wiki.corp/hr/Pay.html/", "https://wiki.corp/hr/pay.HTML", "https://wiki.corp/hr/Pay.html#x", "https://wiki.corp/hr/Pay.html?", "https://wiki.corp/hr/Pay.html?x=1&y",
		"https://wiki.corp//hr///Pay.html", "https://wiki.corp/hr/./Pay.html", "https://wiki.corp/hr/x/../Pay.html", "https://wiki.corp/../hr/Pay.html", "https://wiki.corp/a/../../hr/Pay.html",
		"https://wiki.corp/%68r/Pay%2Ehtml", "https://wiki.corp/hr%2FPay.html", "https://wiki.corp/%2568r/Pay.html", "https://wiki.corp/hr/%2e%2e/hr/Pay.html", `https://wiki.corp\hr\Pay.html`,
		"https://wiki.corp/hr;jsessionid=1/Pay.html;v=2", "https://wiki.corp/(S(abc123))/hr/Pay.html", "//wiki.corp/hr/Pay.html", "https://ＷＩＫＩ.corp/hr/Pay.html",
		"https://wiki.corp/board", "https://wiki.corp/board/index.html", "https://wiki.corp/board/Default.aspx", "https://wiki.corp/board/?a=b",
		"https://wiki.corp/index.php?title=Secret", "https://wiki.corp/index.php?action=raw&title=Secret", "https://wiki.corp/index.php?title=%53ecret",
		"https://wiki.corp/a%20b/für", "https://wiki.corp/a b/f%c3%bcr", "https://wiki.corp/a%2520b/f%25C3%25BCr",
		"https://xn--bcher-kva.corp/x", "https://BÜCHER.corp/x", "https://b%C3%BCcher.corp/x", "https://wiki.corp/x/z/w", "http://root.corp/", "http://root.corp/index.htm",
		"https://wiki.corp:8443/p",
	} {
		if !ask(public, address) {
			t.Errorf("%s is not withheld from the public", address)
		}
		if ask(hr, address) {
			t.Errorf("%s is withheld from those who may read it", address)
		}
		if ask(access.NewAudience("other"), address) {
			t.Errorf("%s is withheld from another tenant", address)
		}
	}
	for _, address := range []string{
		"https://wiki.corp/open", "https://wiki.corp/hr", "https://wiki.corp/hr/Pay.html/more", "https://wiki.corp/x/y", "https://corp/hr/Pay.html", "https://wiki.corp:8080/hr/Pay.html", "https://wiki.corp/p",
		"https://mywiki.corp/hr/Pay.html", "https://elsewhere.example/?u=https://wiki.corp/hr/Pay.html", "", "not an address", "https://%zz/",
	} {
		if ask(public, address) {
			t.Errorf("%s is withheld", address)
		}
	}
	if withheld, err := x.Withheld(t.Context(), public, "https://wiki.corp/"+strings.Repeat("%25", 100_000)+strings.Repeat("/a/..", 100_000)); err != nil || withheld {
		t.Errorf("an endless address: %v, %v", withheld, err)
	}
}
