package webconsole_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sources"
	"github.com/footnotehq/footnote/core/upload"
	"pgregory.net/rapid"
)

// Whatever is stored and whoever looks: no page holds a private question of another person, one of
// a channel that the viewer is not in, or a word of a document that the viewer may not read.
func TestNoPageHoldsWhatItsReaderMayNotRead(t *testing.T) {
	t.Parallel()
	lists := []access.ACL{{access.Public}, {access.Members}, {access.User("slack", "U1")}, {}}
	rapid.Check(t, func(r *rapid.T) {
		c := newConsole(t)
		for n := 1; n <= 4; n++ {
			c.acls[document.ID(fmt.Sprint("d", n))] = lists[rapid.IntRange(0, len(lists)-1).Draw(r, "acl")]
			c.texts[document.ChunkID(n)] = fmt.Sprintf("passageword%d.", n)
		}
		for n := range rapid.IntRange(0, 5).Draw(r, "questions") {
			rests := rapid.SliceOfNDistinct(rapid.IntRange(1, 4), 0, 3, rapid.ID).Draw(r, "rests")
			answer := ""
			for _, d := range rests {
				answer += fmt.Sprintf(" answerword%d.[[%d]](https://docs.example/%d)", d, d, d)
			}
			q := c.ask(fmt.Sprint("t", n), fmt.Sprintf("question%d.", n), answer, rests...)
			q.Direct, q.Ref.Channel = rapid.Bool().Draw(r, "direct"), rapid.SampledFrom([]string{"C1", "C2"}).Draw(r, "channel")
			q.Asker.ID = rapid.SampledFrom([]string{"U1", "U2"}).Draw(r, "asker")
			q.Outcome = rapid.SampledFrom([]session.Outcome{session.Answered, session.NoEvidence, session.Superseded}).Draw(r, "outcome")
		}
		c.sources = []review.Source{{ID: "s", Name: "s", Offers: sources.Acts()}}
		var files []review.ProjectFile
		for n := 1; n <= 4; n++ {
			readers := c.acls[document.ID(fmt.Sprint("d", n))]
			files = append(files, review.ProjectFile{Path: fmt.Sprintf("passageword%d.", n), Readers: readers})
			c.shelf.Put(upload.File{ID: upload.NewID(), Project: "launch", Name: fmt.Sprintf("passageword%d.", n), Readers: readers, Author: account("U1")})
		}
		c.set.Projects = []review.Project{{Name: "p", Files: files}}
		for _, p := range []access.Principal{access.Members, access.User("slack", "U1"), access.Channel("slack", "C1")} {
			if rapid.Bool().Draw(r, "held") {
				c.held["U1"] = append(c.held["U1"], p)
			}
		}
		cookie := c.signIn("U1", rapid.SampledFrom(review.Roles()).Draw(r, "role"))
		v, err := c.viewer(t.Context(), account("U1"))
		if err != nil {
			r.Fatal(err)
		}
		pages := []string{
			"/today", "/questions", "/questions?text=question", "/gaps", "/sources", "/sources/one?id=s", "/sources/readers?for=slack:U7&address=https://x.example",
			"/files", "/setup", "/setup/projects", "/setup/sets", "/setup/channels",
		}
		for _, q := range c.asked {
			for _, page := range []string{"", "/correct", "/remove"} {
				pages = append(pages, "/questions/"+string(q.Turn)+page)
			}
		}
		for _, page := range pages {
			body := c.do(http.MethodGet, page, cookie, nil).Body.String()
			for _, q := range c.asked {
				if !v.Scope().May(q) && strings.Contains(body, q.Text) {
					r.Fatalf("%s shows %+v:\n%s", page, q, body)
				}
			}
			for n := 1; n <= 4; n++ {
				if v.Audience.MayRead(c.acls[document.ID(fmt.Sprint("d", n))]) {
					continue
				}
				words := []string{fmt.Sprintf("passageword%d.", n), fmt.Sprintf("answerword%d.", n), fmt.Sprintf("Title%d<", n), fmt.Sprintf("docs.example/%d", n)}
				if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(body, w) }) {
					r.Fatalf("%s shows document %d:\n%s", page, n, body)
				}
			}
		}
	})
}
