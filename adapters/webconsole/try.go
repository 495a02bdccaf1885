package webconsole

import (
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/core/mcp"
	"github.com/footnotehq/footnote/core/review"
)

const (
	maxTries = 4 // questions that are answered at the same time
	maxSteps = 40
	maxAsked = 8_000 // characters of a question; pages/try.html has it too
	// maxTry is the maximum number of bytes of the form. A browser encodes a character as up to
	// twelve.
	maxTry = 12*maxAsked + maxForm
)

type tried struct {
	Question string
	Sentence string // why there is no answer
	mcp.Asked
}

func (s *server) offerTry(w http.ResponseWriter, _ *http.Request, in visitor) {
	s.show(w, http.StatusOK, "try", newView(in, review.PageTry, "Try it", tried{}))
}

// try answers a question from documents that the viewer may read. It sends the page in two parts:
// the progress, and then the answer.
func (s *server) try(w http.ResponseWriter, r *http.Request, in visitor) {
	r.Body = http.MaxBytesReader(w, r.Body, maxTry)
	question := strings.TrimSpace(r.PostFormValue("question"))
	if question == "" || utf8.RuneCountInString(question) > maxAsked {
		s.fail(w, http.StatusBadRequest, "Write a question of at most "+fmt.Sprint(maxAsked)+" characters.")
		return
	}
	data := tried{Question: question}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("X-Accel-Buffering", "no") // a proxy must not buffer the progress
	part := func(name string, v view) bool {
		text, err := render(name, v)
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			s.Logger.Debug("a page of the console was not read to its end", "error", err)
			return false
		}
		return http.NewResponseController(w).Flush() == nil
	}
	if !part("try-begin", newView(in, review.PageTry, "Try it", data)) {
		return
	}
	steps := 0
	asked, err := s.Ask(r.Context(), in.Person, question, func(doing string) {
		if steps++; steps <= maxSteps {
			// An error means that the viewer has disconnected.
			_, _ = io.WriteString(w, "<li>"+template.HTMLEscapeString(fit(answer.Line(doing), maxSentence))+"</li>\n")
			_ = http.NewResponseController(w).Flush()
		}
	})
	var refused *review.InputError
	switch {
	case errors.As(err, &refused):
		data.Sentence = refused.Sentence
	case err != nil:
		s.Logger.ErrorContext(r.Context(), "a question of the console was not answered", "error", err)
		data.Sentence = "Something went wrong. The log of the program has the cause. Try again."
	}
	data.Asked = fitAsked(asked)
	part("try-end", view{Data: data})
}

func fitAsked(a mcp.Asked) mcp.Asked {
	a.Answer = fit(a.Answer, maxAnswer)
	cut := func(all []mcp.AskedSource) []mcp.AskedSource {
		all = all[:min(len(all), maxItems)]
		for i := range all {
			all[i].Title, all[i].Section = fit(all[i].Title, maxTitle), fit(all[i].Section, maxTitle)
		}
		return all
	}
	a.Sources, a.Closest = cut(a.Sources), cut(a.Closest)
	a.Notes = a.Notes[:min(len(a.Notes), maxItems)]
	for i := range a.Notes {
		a.Notes[i] = fit(a.Notes[i], maxSentence)
	}
	return a
}
