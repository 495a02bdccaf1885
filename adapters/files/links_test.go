package files_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/google/go-cmp/cmp"
)

// What links lead to: files of the folder by id, written here as their path; addresses of the web;
// or nothing.
func TestLinksLeadToFilesOfTheFolder(t *testing.T) {
	t.Parallel()
	root := folder(t, map[string]string{
		"guide/a.html": `<title>A</title><body><p><a href="b.html">b</a> <a href="../top.md#x">top</a> <a href="b.html?v=2#part">again</a> <a href="./">folder</a> <a href="#here">here</a>
			<a href="a.html">self</a> <a href="?x">self too</a> <a href="caf%C3%A9.md">café</a> <a href="later.html">later</a> <a href="setup">setup</a> <a href="setup.html">built</a>
			<a href="/guide/b.html">rooted</a> <a href="https://else.example/x#y">else</a> <a href="//other.example/z">other</a> <a href="mailto:a@b.example">mail</a> <a href="javascript:go()">go</a>
			<a href="../../out.html">out</a> <a href="/etc/passwd.txt">passwd</a> <a href="file:///etc/passwd.txt">file</a> <a href="%2e%2e/%2e%2e/out.html">hidden</a> <a href="b.html%00">nul</a>
			<a href="http://user:pw@else.example/">user</a> <a href="http://[broken">broken</a> <a href="` + strings.Repeat("x/", 2000) + `b.html">long</a> <a href="nowhere">nowhere</a>
			<a href="b.html"><img src="x.png"></a></p></body>`,
		"guide/b.html": "<p>b</p>", "guide/index.md": "# Guide", "guide/café.md": "# Café", "guide/setup.md": "# Setup",
		"top.md":       "# [Guide](guide/)\n\nSee [`b`][ref], [café](<guide/café.md> \"x\"), ![picture](guide/b.html), <a href='guide/a.html'>a</a>.\n\n<div><a href=\"guide/a.html\">a block</a></div>\n\n[ref]: guide/b.html",
		"based.html":   `<base href="guide/"><p><a href="b.html">b</a></p>`,
		"outside.html": `<base href="https://else.example/d/"><base href="guide/"><p><a href="b.html">b</a> <a href="/top.md">top</a></p>`,
		"main.html":    `<body><nav><a href="top.md">menu</a></nav><p><a href="top.md">beside</a></p><main><p>` + strings.Repeat("Words of the page. ", 9) + `<a href="guide/b.html">b</a></p></main></body>`,
	})
	want := map[string][]string{
		"top.md":     {"Guide → guide/index.md", "`b` → guide/b.html", "café → guide/café.md", "a block → guide/a.html"},
		"based.html": {"b → guide/b.html"}, "outside.html": {"b → https://else.example/d/b.html", "top → https://else.example/top.md"}, "main.html": {"b → guide/b.html"},
	}
	inGuide := []string{"b → guide/b.html", "top → top.md", "again → guide/b.html", "folder → guide/index.md", "café → guide/café.md", "later → guide/later.html", "setup → guide/setup.md",
		"built → guide/setup.md", "rooted → guide/b.html", "else → https://else.example/x"}
	for base, beyond := range map[string][]string{
		"": nil, // an address without a scheme has that of the page
		"https://code.example/acme/docs/blob/main/": {"other → https://other.example/z", "out → https://code.example/acme/docs/blob/out.html", "passwd → https://code.example/etc/passwd.txt"},
	} {
		want["guide/a.html"] = append(inGuide[:len(inGuide):len(inGuide)], beyond...)
		c, err := files.New(files.Options{Path: root, BaseURL: base})
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[string][]string)
		for name, d := range read(t, files.Options{Path: root, BaseURL: base}).docs {
			for _, l := range d.Links {
				got[name] = append(got[name], l.Text+" → "+strings.TrimPrefix(l.To, string(c.Source().ID)+":"))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("below %q (-want +got):\n%s", base, diff)
		}
	}
}
