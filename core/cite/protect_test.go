package cite_test

import (
	"strings"
	"testing"
)

func TestCodeIsUnchanged(t *testing.T) {
	t.Parallel()
	check(t, []example{
		{"fence", "```\na[1]\n```\nb[1]", "```\na[1]\n```\nb[[1]](http://a)"},
		{"fence with language", "```python\na[1]\n```\n[1]", "```python\na[1]\n```\n[[1]](http://a)"},
		{"citation in an info string", "``` [1]\n[1]\n```\n[1]", "``` [1]\n[1]\n```\n[[1]](http://a)"},
		{"tildes", "~~~\na[1]\n```\n[1]\n~~~\n[1]", "~~~\na[1]\n```\n[1]\n~~~\n[[1]](http://a)"},
		{"longer fence", "````\n```\n[1]\n```\n````\n[1]", "````\n```\n[1]\n```\n````\n[[1]](http://a)"},
		{"longer closing fence", "```\n[1]\n`````\n[1]", "```\n[1]\n`````\n[[1]](http://a)"},
		{"closing fence with blanks", "```\n[1]\n```  \n[1]", "```\n[1]\n```  \n[[1]](http://a)"},
		same("text after the closing fence", "```\n[1]\n``` [1]\n[1]"),
		same("indented closing fence", "```\n[1]\n    ```\n[1]"),
		{"blank lines in a fence", "```\n\n[1]\n\n[1]\n```\n[1]", "```\n\n[1]\n\n[1]\n```\n[[1]](http://a)"},
		same("fence never closed", "text\n```\na[1]\n\nb[1]"),
		{"indented fence", "   ```\n[1]\n   ```\n[1]", "   ```\n[1]\n   ```\n[[1]](http://a)"},
		{"fence in a list", "1. do\n   ```\n   a[1]\n   ```\n2. then [1]", "1. do\n   ```\n   a[1]\n   ```\n2. then [[1]](http://a)"},
		{"sloppy fence in a list", "1. do\n   ```\na[1]\n   ```\n2. then [1]", "1. do\n   ```\na[1]\n   ```\n2. then [[1]](http://a)"},
		{"fence after a marker", "- ```\n  a[1]\n  ```\n- b[1]", "- ```\n  a[1]\n  ```\n- b[[1]](http://a)"},
		{"deep fence in a list", "- a\n  - b\n      ```\n      [1]\n      ```\n[1]", "- a\n  - b\n      ```\n      [1]\n      ```\n[[1]](http://a)"},
		{"fence in a quote", "> ```\n> a[1]\n> ```\n> b[1]", "> ```\n> a[1]\n> ```\n> b[[1]](http://a)"},
		{"inline in a quote that goes on without its marker", "> `a\nb[1]` [1]", "> `a\nb[1]` [[1]](http://a)"},
		{"fence ends with its quote", "> ```\n> a[1]\nb[1]", "> ```\n> a[1]\nb[[1]](http://a)"},
		{"deeper quote in a fence", "> ```\n> > ```\n> a[1]\n> ```\n> b[1]", "> ```\n> > ```\n> a[1]\n> ```\n> b[[1]](http://a)"},
		{"quote again after its fence", "> ```\n> a[1]\nb\n> c[1]", "> ```\n> a[1]\nb\n> c[[1]](http://a)"},
		{"quote marker in a fence", "```\n> a[1]\n```\n[1]", "```\n> a[1]\n```\n[[1]](http://a)"},
		{"fence ends a paragraph", "a `b\n```\n[1]\n```\n[1]", "a `b\n```\n[1]\n```\n[[1]](http://a)"},
		{"fence in the middle of a line", "So: ```js\na[1]\n```\nb[1]", "So: ```js\na[1]\n```\nb[[1]](http://a)"},
		{"run with a backtick in its info", "```a[1]``` [1]", "```a[1]``` [[1]](http://a)"},
		{"two backticks are no fence", "``\n[1]``\n[1]", "``\n[1]``\n[[1]](http://a)"},
		{"two tildes are no fence", "~~\n[1]", "~~\n[[1]](http://a)"},

		{"indented", "text\n\n    a[1]\n\n    b[1]\n\nc[1]", "text\n\n    a[1]\n\n    b[1]\n\nc[[1]](http://a)"},
		{"indented by a tab", "text\n\n\ta[1]\nb[1]", "text\n\n\ta[1]\nb[[1]](http://a)"},
		same("indented at the start", "    a[1]"),
		{"indented without a blank line", "text\n    a[1]", "text\n    a[[1]](http://a)"},
		{"indented in a list", "- item\n\n    more [1]", "- item\n\n    more [[1]](http://a)"},
		{"indented in an ordered list", "1. item\n\n    more [1]", "1. item\n\n    more [[1]](http://a)"},
		{"indented less than a wide item", "   - item\n\n    a[1]\nb[1]", "   - item\n\n    a[1]\nb[[1]](http://a)"},
		{"indented after a list", "- item\n\ntext\n\n    a[1]\nb[1]", "- item\n\ntext\n\n    a[1]\nb[[1]](http://a)"},
		{"indented after a rule", "- item\n\n---\n\n    a[1]\nb[1]", "- item\n\n---\n\n    a[1]\nb[[1]](http://a)"},
		same("indented after a spaced rule", "* * *\n\n    a[1]"),
		{"indented after a list and a heading", "- item\n# h\n\n    a[1]\nb[1]", "- item\n# h\n\n    a[1]\nb[[1]](http://a)"},
		{"indented after a list and a fence", "- item\n```\n```\n\n    a[1]\nb[1]", "- item\n```\n```\n\n    a[1]\nb[[1]](http://a)"},
		same("indented after a number that is no marker", "1a b\n\n    c[1]"),
		{"indented without a blank line after a fence", "```\n```\n    a[1]", "```\n```\n    a[[1]](http://a)"},
		{"indented by three", "text\n\n   a[1]", "text\n\n   a[[1]](http://a)"},
		same("indented in a quote", "> text\n>\n>     a[1]"),

		{"inline", "`a[1]` b[1]", "`a[1]` b[[1]](http://a)"},
		{"inline by two", "``a[1] ` b[1]`` c[1]", "``a[1] ` b[1]`` c[[1]](http://a)"},
		same("inline never closed", "`a[1] and [2]"),
		{"inline never closed ends with the paragraph", "`a[1]\n\nb[1]", "`a[1]\n\nb[[1]](http://a)"},
		{"inline never closed ends with the item", "- `a[1]\n- b[1]", "- `a[1]\n- b[[1]](http://a)"},
		{"inline never closed ends with the row", "| `a[1] |\n| [1] |", "| `a[1] |\n| [[1]](http://a) |"},
		{"inline never closed ends with the heading", "# `a[1]\nb[1]", "# `a[1]\nb[[1]](http://a)"},
		{"inline over lines", "`a[1]\nb[1]` c[1]", "`a[1]\nb[1]` c[[1]](http://a)"},
		{"seven hashes are no heading", "####### `a\nb[1]` c[1]", "####### `a\nb[1]` c[[1]](http://a)"},
		{"hash without a blank is no heading", "#x `a\nb[1]` c[1]", "#x `a\nb[1]` c[[1]](http://a)"},
		{"inline closed at a line's start", "`a[1]\n` c[1]", "`a[1]\n` c[[1]](http://a)"},
		{"escaped backtick", "\\`a[1]\\`", "\\`a[[1]](http://a)\\`"},
		{"backslash in code", "`\\` [1]", "`\\` [[1]](http://a)"},
		{"citation of code", "`code`[1]", "`code`[[1]](http://a)"},
	})
}

func TestLinksAreUnchanged(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200)
	check(t, []example{
		same("number as label", "[1](https://x)"),
		same("list as label", "[1, 2](https://x)"),
		same("unknown number as label", "[2020](https://x/[1])"),
		same("label", "[see [1] here](https://x)"),
		same("label that ends with a number", "[see [1]](https://x)"),
		same("two numbers in a label", "[a [1] b [2] c](https://x)"),
		same("list in a label", "[a [1, 2] c](https://x)"),
		same("nested brackets in a label", "[a [b [1] c] d](https://x)"),
		same("code in a label", "[a [1] `]` c](https://x)"),
		same("image", "![1](https://x/i.png)"),
		same("image text", "![plot [1]](https://x/i.png)"),
		same("image in a link", "[![a [1]](http://i) [2]](http://x)"),
		same("target", "[a](https://x/[1])"),
		same("target with parentheses", "[a](https://x/(y)[1])"),
		same("target in angles", "[a](<https://x/ [1]>)"),
		same("title", `[a](https://x "see [1]")`),
		same("title in parentheses", "[a](https://x (see [1]))"),
		same("definition", "[1]: https://x"),
		same("definition with a title", `[1]: https://x "see [1]"`),
		same("definition in angles", "[1]: <https://x/[1]>"),
		same("indented definition", "text\n\n  [1]: https://x/[2]"),
		same("deeply indented definition", "text\n     [1]: https://x"),
		same("definition of a word", "[docs]: https://x/[1]"),
		same("list as definition", "[1, 2]: https://x"),
		same("autolink", "<https://x/[1]>"),
		same("bare address", "https://x/a[1]?b[2]=3"),
		same("bare address with www", "www.x.org/a[1]"),
		same("bare address of a host in brackets", "http://[1]/x"),
		same("other scheme", "git+ssh://x/a[1]"),
		{"not a definition", "text [1]: more", "text [[1]](http://a): more"},
		{"definition of text", "[1]: one [2]", "[1]: one [[1]](http://b)"},
		{"reference", "[docs][1]", "[docs][[1]](http://a)"},
		{"brackets are no label", "[a [1] b] c", "[a [[1]](http://a) b] c"},
		{"brackets never closed", "[a [1] b", "[a [[1]](http://a) b"},
		{"brackets over paragraphs", "[a [1] b\n\nc](http://x)", "[a [[1]](http://a) b\n\nc](http://x)"},
		{"brackets around a link", "[a [1] [b](http://y) c](http://x)", "[a [[1]](http://a) [b](http://y) c](http://x)"},
		{"label too long to wait for", "[a [1] " + long + "](http://x)", "[a [[1]](http://a) " + long + "](http://x)"},
		{"after a link", "[a](http://x)[1]", "[a](http://x)[[1]](http://a)"},
		{"after an unfinished target", "[a](see b [1]", "[a](see b [[1]](http://a)"},
		{"after an autolink", "<https://x>[1]", "<https://x>[[1]](http://a)"},
		{"after a bare address", "https://x/a [1]", "https://x/a [[1]](http://a)"},
		{"directly after a host", "https://x.org[1]", "https://x.org[[1]](http://a)"},
		{"after the end of a sentence", "https://x/a.[1]", "https://x/a.[[1]](http://a)"},
		{"after an address in parentheses", "(https://x/a)[1]", "(https://x/a)[[1]](http://a)"},
		{"full-width after an address", "https://x/a【1】", "https://x/a[[1]](http://a)"},
		{"address in brackets", "[https://x/a] [1]", "[https://x/a] [[1]](http://a)"},
		{"no address", "and/or[1] a//b[1]", "and/or[[1]](http://a) a//b[[1]](http://a)"},
		{"full-width brackets are no label", "【1】(see)", "[[1]](http://a)(see)"},
	})
}

func TestModelLinks(t *testing.T) {
	t.Parallel()
	long := "https://x/" + strings.Repeat("y", 500)
	check(t, []example{
		{"own link", "x [[1]](https://evil) y", "x [[1]](http://a) y"},
		{"old number", "[[3]](https://x)", "[[1]](http://c)"},
		{"list", "[[1, 2]](https://x)", "[[1]](http://a)[[2]](http://b)"},
		{"parentheses in it", "[[1]](https://x/(a)b) y", "[[1]](http://a) y"},
		{"escapes in it", `[[1]](https://x/\)b) y`, "[[1]](http://a) y"},
		{"angles", "[[1]](<https://x y>) z", "[[1]](http://a) z"},
		{"title", `[[1]](https://x "t") y`, "[[1]](http://a) y"},
		{"empty", "[[1]]() y", "[[1]](http://a) y"},
		{"long", "[[1]](" + long + ") y", "[[1]](http://a) y"},
		{"long with title", "[[1]](" + long + ` "t") y`, "[[1]](http://a) y"},
		{"long in angles", "[[1]](<" + long + ">) y", "[[1]](http://a) y"},
		{"no target after all", "[[1]](see also [2])", "[[1]](http://a)(see also [[2]](http://b))"},
		{"no target in code", "[[1]](`a [2]` b)", "[[1]](http://a)(`a [2]` b)"},
		{"target never finished", "[[1]](https://x", "[[1]](http://a)(https://x"},
		{"target over lines", "[[1]](https://x\ny [2]", "[[1]](http://a)(https://x\ny [[2]](http://b)"},
		{"in brackets", "[see [[1]](https://x)]", "[see [[1]](http://a)]"},
		{"document without address", "[[6]](https://evil)", "[1]"},
		{"document without address twice linked", "[[6]](https://x)(https://evil)", `[1]\(https://evil)`},
		{"full-width without address", "【6】(https://evil)", `[1]\(https://evil)`},
		{"definition without address", "【6】: https://evil", `[1]\: https://evil`},
		{"double definition without address", "a\n[[6]]: https://evil", "a\n[1]\\: https://evil"},
		{"indented definition without address", "a\n 【6】: https://evil", "a\n [1]\\: https://evil"},
		{"colon without address", "see 【6】: yes", "see [1]: yes"},
		same("unknown number", "[[99]](https://x/[1])"),
	})
}

func TestEscapesAndMath(t *testing.T) {
	t.Parallel()
	check(t, []example{
		same("escaped", `\[1]`),
		same("escaped on both sides", `\[1\]`),
		same("escaped double", `\[[1]]`),
		same("escaped full-width", `\【1】`),
		{"escape before a citation", `\[1] [2]`, `\[1] [[1]](http://b)`},
		{"escaped backslash", `\\[1]`, `\\[[1]](http://a)`},
		{"escaped inside", `[1\]`, `[1\]`},
		{"display math", "$$a[1]$$ [1]", "$$a[1]$$ [[1]](http://a)"},
		{"display math over lines", "$$\na[1]\n- b[2]\n$$\n[1]", "$$\na[1]\n- b[2]\n$$\n[[1]](http://a)"},
		{"brackets", `\[ x[1] + y_{[2]} \] [1]`, `\[ x[1] + y_{[2]} \] [[1]](http://a)`},
		{"brackets over lines", "\\[\nx[1]\n> 0\n\\]\n[1]", "\\[\nx[1]\n> 0\n\\]\n[[1]](http://a)"},
		{"parentheses", `\( f(x[1]) \) [1]`, `\( f(x[1]) \) [[1]](http://a)`},
		{"escapes in math", `\( \\[2pt] a[1] \\\) [1]`, `\( \\[2pt] a[1] \\\) [[1]](http://a)`},
		{"single dollar", "costs $5 [1] or $6 [2]", "costs $5 [[1]](http://a) or $6 [[2]](http://b)"},
		{"escaped dollars", `\$$ [1]`, `\$$ [[1]](http://a)`},
		{"math never closed", "$$ a [1]\n\nb [1]", "$$ a [1]\n\nb [[1]](http://a)"},
	})
}

func TestHTML(t *testing.T) {
	t.Parallel()
	check(t, []example{
		{"code", "<code>a[1]</code> [1]", "<code>a[1]</code> [[1]](http://a)"},
		{"upper case", "<CODE>a[1]</Code > [1]", "<CODE>a[1]</Code > [[1]](http://a)"},
		{"closing tag with a tab", "<code>a[1]</code\t> [1]", "<code>a[1]</code\t> [[1]](http://a)"},
		same("closing tag of another name", "<code>a[1]</codex> [1]"),
		same("closing tag with more", "<code>a[1]</code x> [1]"),
		{"anchor", `<a href="x">see [1]</a> [1]`, `<a href="x">see [1]</a> [[1]](http://a)`},
		{"pre over paragraphs", "<pre>\na[1]\n\nb[1]\n</pre>\n[1]", "<pre>\na[1]\n\nb[1]\n</pre>\n[[1]](http://a)"},
		{"code block", "<code>\na[1]\n\nb[1]\n</code>\n[1]", "<code>\na[1]\n\nb[1]\n</code>\n[[1]](http://a)"},
		{"pre and code", "<pre><code>a[1]</code>[1]</pre> [1]", "<pre><code>a[1]</code>[1]</pre> [[1]](http://a)"},
		{"code over lines", "<code>a[1]\nb[1]</code> [1]", "<code>a[1]\nb[1]</code> [[1]](http://a)"},
		{"never closed", "the <a> tag [1]\n\nand [1]", "the <a> tag [1]\n\nand [[1]](http://a)"},
		{"other element", "<b>x[1]</b>", "<b>x[[1]](http://a)</b>"},
		{"element with that beginning", "<abbr>x[1]</abbr>", "<abbr>x[[1]](http://a)</abbr>"},
		{"attribute", `<img alt="[1]" src=x[1]>[1]`, `<img alt="[1]" src=x[1]>[[1]](http://a)`},
		{"empty element", "<a/>[1]<br/>[1]", "<a/>[[1]](http://a)<br/>[[1]](http://a)"},
		{"comment", "<!-- [1]\n[1] --> [1]", "<!-- [1]\n[1] --> [[1]](http://a)"},
		{"comment closed at a line's start", "x <!-- [1]\n--> [1]", "x <!-- [1]\n--> [[1]](http://a)"},
		{"less than", "if x <y and z [1] <5 [2]", "if x <y and z [[1]](http://a) <5 [[2]](http://b)"},
	})
}
