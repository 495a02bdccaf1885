package attacktest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/footprint/footprinttest"
)

func readCloser(body []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(body)) }

func endless(_ *scene, w http.ResponseWriter, r *http.Request, _ http.HandlerFunc) bool {
	repeat(w, r, `{"results":["`, strings.Repeat("a", 64<<10), 1<<20, "")
	return true
}

func repeat(w io.Writer, r *http.Request, before, piece string, times int, after string) {
	_, err := io.WriteString(w, before)
	for range times {
		if err != nil || r.Context().Err() != nil {
			return // the client has disconnected
		}
		_, err = io.WriteString(w, piece)
	}
	_, _ = io.WriteString(w, after)
}

func packed(before, piece string, times int, after string) func(*scene, http.ResponseWriter, *http.Request, http.HandlerFunc) bool {
	return func(_ *scene, w http.ResponseWriter, r *http.Request, _ http.HandlerFunc) bool {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(w)
		repeat(zip, r, before, piece, times, after)
		_ = zip.Close() // the client may have disconnected
		return true
	}
}

func largePages(s *scene, w http.ResponseWriter, r *http.Request, fake http.HandlerFunc) bool {
	asked, answer := r.URL.Query(), httptest.NewRecorder()
	struck := pages(func(n int) string { return "endless" + strconv.Itoa(n) })(s, answer, r, func(w http.ResponseWriter, r *http.Request) {
		first := record(r, fake)
		more := (1 << 20) / max(1, bytes.Count(first.Body.Bytes(), []byte(`":"`)))
		padded := texts("", isTitle, func(_ *scene, text string) string { return text + strings.Repeat("a", more) })
		padded.answer(s, w, r, func(w http.ResponseWriter, _ *http.Request) { send(w, first, first.Body.Bytes()) })
	})
	send(w, answer, counted(answer.Body.Bytes(), asked))
	return struck
}

func counted(body []byte, asked url.Values) []byte {
	value, err := decode(body)
	page, is := value.(map[string]any)
	if err != nil || !is {
		return body
	}
	if page["startAt"] != nil {
		start, _ := strconv.Atoi(asked.Get("startAt")) // none is 0
		page["startAt"], page["total"], page["isLast"] = start, 1<<30, false
	}
	results, _ := page["results"].([]any)
	if links, is := page["_links"].(map[string]any); is && page["start"] != nil {
		start, _ := strconv.Atoi(asked.Get("start")) // none is 0
		links["next"] = "/?start=" + strconv.Itoa(start+max(1, len(results)))
	}
	if other, err := json.Marshal(page); err == nil {
		return other
	}
	return body
}

var bombs = []attack{
	{name: "32 MB of empty objects", answer: packed("[", strings.Repeat("{},", 10_000), 1100, "{}]")},
	{name: "as many empty objects as are read", answer: packed("[", strings.Repeat("{},", 1000), 120, "{}]")},
	{name: "a gzip bomb", answer: packed(`{"results":"`, strings.Repeat("a", 1<<20), 1024, `"}`)},
	{name: "an endless text", answer: endless},
	{name: "pages of megabytes without end", answer: largePages, most: 800},
}

// RunBombs answers every class of a connector's requests with responses that need much memory. It
// does so in a child process with a memory limit in bytes. The name of the calling test must
// contain "LittleMemory".
func RunBombs(t *testing.T, bytes int64, open func(testing.TB) Source) {
	footprinttest.Limited(t, bytes, func(t *testing.T) {
		s := newScene(t, open)
		targets, whole := s.targets()
		for _, a := range bombs {
			for _, on := range targets {
				s.Pass(day)
				s.attacked(a, on)
				s.checkDocuments(whole, a.name+" for "+string(on))
			}
		}
		if len(s.stolen) > 0 {
			t.Errorf("the credential reached another host: %q", s.stolen)
		}
	})
}
