package htmltext

import (
	"strings"

	"golang.org/x/net/html/atom"
)

type attributes struct {
	id, href, rel, role, lang, name, property, content string
	// its class or aria-hidden marks navigation
	navigational bool
	aside        bool // its class is that of a note
	classes      string
}

func (x *extractor) attributes(more bool) attributes {
	var a attributes
	var name string
	var generated bool
	for more {
		var key, value []byte
		key, value, more = x.tokens.TagAttr()
		switch string(key) {
		case "id":
			a.id = string(value)
		case "name":
			name = string(value)
		case "href":
			a.href = string(value)
		case "rel":
			a.rel = string(value)
		case "role":
			a.role = string(value)
		case "lang":
			a.lang = string(value)
		case "property":
			a.property = string(value)
		case "content":
			a.content = string(value)
		case "class":
			a.classes = string(value)
			for class := range strings.FieldsSeq(a.classes) {
				a.navigational = a.navigational || navigationClass(class)
				a.aside = a.aside || noteClass(class)
				generated = generated || class == "indexterm" // ids of index entries change with every build
			}
		case "aria-hidden":
			a.navigational = a.navigational || string(value) == "true"
		}
	}
	a.name = name
	if a.id == "" {
		a.id = name // old pages: <a name="install">
	}
	if generated || strings.ContainsAny(a.id, " \t\n\"<>") {
		a.id = ""
	}
	return a
}

func (a attributes) navigation(tag atom.Atom, inMain bool) bool {
	switch tag {
	case atom.Html, atom.Body, atom.Main, atom.Article:
		return false
	case atom.Nav:
		return true
	case atom.Header, atom.Footer, atom.Aside: // outside the main part they belong to the page
		if !inMain {
			return true
		}
	}
	switch a.role {
	case "navigation", "banner", "contentinfo", "search", "menu", "menubar", "toolbar":
		return true
	}
	return a.navigational || layout(tag) && navigationIDs[plainID(a.id)]
}

var navigationIDs = map[string]bool{
	"toc": true, "toctitle": true, "tableofcontents": true, "nav": true, "navbar": true, "navigation": true, "globalnav": true, "leftnav": true, "topnav": true,
	"menu": true, "mainmenu": true, "searchmenu": true, "searchbox": true, "searchform": true, "sidebar": true, "breadcrumb": true, "breadcrumbs": true,
	"footer": true, "pagefooter": true, "sitefooter": true, "siteheader": true, "skiplink": true,
}

func plainID(id string) string { return strings.ToLower(hyphens.Replace(id)) }

var hyphens = strings.NewReplacer("-", "", "_", "")

func layout(tag atom.Atom) bool {
	switch tag {
	case atom.Div, atom.Ul, atom.Ol, atom.Table, atom.Aside:
		return true
	}
	return false
}

func navigationClass(class string) bool {
	switch class {
	case "nav", "navbar", "navigation", "navheader", "navfooter", "breadcrumb", "breadcrumbs", "menu", "sidebar", "sphinxsidebar", "related",
		"toc", "table-of-contents", "indexdiv", "indextable", "genindextable",
		"headerlink", "header-anchor", "heading-anchor", "hash-link", "permalink", "anchorjs-link", "mw-editsection", "viewcode-link",
		"site-header", "site-footer", "page-footer", "skip-link", "noprint", "sr-only", "visually-hidden":
		return true
	}
	return false
}

// isFrame reports whether an element belongs to the page's layout, such as a footer. The ids of
// such elements are not used as anchors.
func isFrame(tag atom.Atom, a attributes) bool {
	switch tag {
	case atom.Header, atom.Footer, atom.Nav, atom.Form:
		return true
	}
	return layout(tag) && (navigationIDs[plainID(a.id)] || frame[plainID(a.id)])
}

var frame = map[string]bool{
	"header": true, "search": true, "banner": true, "masthead": true, "page": true, "wrapper": true, "container": true, "pageheader": true, "tocheader": true,
}

// noteClass reports whether a CSS class marks a box such as a note or a warning. The title of such
// a box is not a heading.
func noteClass(class string) bool {
	switch class {
	case "note", "tip", "warning", "caution", "important", "admonition", "callout", "alert", "example", "figure", "table", "informaltable",
		"blockquote", "footnotes":
		return true
	}
	return false
}

func isAside(tag atom.Atom) bool {
	switch tag {
	case atom.Aside, atom.Blockquote, atom.Figure, atom.Li, atom.Table, atom.Dialog:
		return true
	}
	return false
}

func unreadable(tag atom.Atom) bool {
	switch tag {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Iframe, atom.Object, atom.Canvas, atom.Audio, atom.Video,
		atom.Button, atom.Select, atom.Datalist, atom.Textarea, atom.Noembed, atom.Noframes:
		return true
	}
	return false
}

// formatting reports whether an element does not affect plain text. Pages often lack the end tags
// of such elements.
func formatting(tag atom.Atom) bool {
	switch tag {
	case atom.B, atom.I, atom.Em, atom.Strong, atom.U, atom.Font, atom.Big, atom.Small, atom.S, atom.Strike, atom.Abbr, atom.Acronym, atom.Cite,
		atom.Var, atom.Q, atom.Mark, atom.Nobr:
		return true
	}
	return false
}

func isHeading(tag atom.Atom) bool {
	switch tag {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	return false
}

// isContainer reports whether an element may contain whole tables. Its end tag also ends a table
// inside it that lacks an end tag.
func isContainer(tag atom.Atom) bool {
	switch tag {
	case atom.Html, atom.Body, atom.Main, atom.Article, atom.Section, atom.Div, atom.Form, atom.Center:
		return true
	}
	return false
}

func isBlock(tag atom.Atom) bool {
	switch tag {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Caption, atom.Center, atom.Dd, atom.Details, atom.Dialog, atom.Div,
		atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5,
		atom.H6, atom.Head, atom.Header, atom.Hgroup, atom.Hr, atom.Legend, atom.Li, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.P,
		atom.Plaintext, atom.Pre, atom.Section, atom.Summary, atom.Table, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Title,
		atom.Tr, atom.Ul, atom.Xmp:
		return true
	}
	return false
}
