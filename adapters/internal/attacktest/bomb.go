package attacktest

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
)

func readCloser(body []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(body)) }

// endless answers with a text that never ends.
func endless(_ *scene, w http.ResponseWriter, r *http.Request, _ http.HandlerFunc) bool {
	repeat(w, r, `{"results":["`, strings.Repeat("a", 64<<10), 1<<20, "")
	return true
}

// repeat writes a text so many times, as long as it is read.
func repeat(w io.Writer, r *http.Request, before, piece string, times int, after string) {
	_, err := io.WriteString(w, before)
	for range times {
		if err != nil || r.Context().Err() != nil {
			return // whoever asked has read enough
		}
		_, err = io.WriteString(w, piece)
	}
	_, _ = io.WriteString(w, after)
}

// packed answers with a gzipped text of many times its size.
func packed(before, piece string, times int, after string) func(*scene, http.ResponseWriter, *http.Request, http.HandlerFunc) bool {
	return func(_ *scene, w http.ResponseWriter, r *http.Request, _ http.HandlerFunc) bool {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(w)
		repeat(zip, r, before, piece, times, after)
		_ = zip.Close() // whoever asked may have gone away
		return true
	}
}
