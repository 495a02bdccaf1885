package sourcehttp_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/boundedjson"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/footprint/footprinttest"
	"golang.org/x/sync/errgroup"
)

// issue is as large as what sources decode.
type issue struct {
	Title, Body, URL string
	Fields           map[string]json.RawMessage
	Labels           []struct{ Name, Color string }
	Numbers          [16]int
}

func TestDecodeRefusesBombs(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"elements":        "[" + strings.Repeat("{},", sourcehttp.MaxElements) + "{}]",
		"nested arrays":   strings.Repeat("[", 10_000),
		"nested objects":  strings.Repeat(`{"a":`, 10_000),
		"empty arrays":    `{"values":[` + strings.Repeat("[],", sourcehttp.MaxElements) + "[]]}",
		"fields":          "[{" + strings.Repeat(`"a":1,`, 2*sourcehttp.MaxElements) + `"b":2}]`,
		"marks in quotes": `["` + strings.Repeat(`\"[{,`, 10) + `"` + strings.Repeat(",[]", sourcehttp.MaxElements) + "]",
	} {
		var into []issue
		if err := sourcehttp.Decode(t.Context(), []byte(body), &into); !errors.Is(err, boundedjson.ErrLimit) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var page []issue
	if err := sourcehttp.Decode(t.Context(), []byte(`[`+strings.Repeat(`{"Title":"[{,","Fields":{"a":[1,2]},"Labels":[{"Name":"x"}]},`, 999)+`{}]`), &page); err != nil || len(page) != 1000 {
		t.Errorf("a page of a thousand issues: %d, error %v", len(page), err)
	}
	if err := sourcehttp.Decode(t.Context(), []byte(`{"a"`), &page); err == nil || errors.Is(err, boundedjson.ErrLimit) {
		t.Errorf("half an answer: %v", err)
	}
}

// Eight sources answer with 32 MB of empty elements, or as many as may be, at the same time.
func TestAnswersInLittleMemory(t *testing.T) {
	footprinttest.Limited(t, 768<<20, func(t *testing.T) {
		for _, unit := range []string{"{},", "[],", `{"Title":"","Fields":{"a":1}},`, `"a",`, "0,"} {
			for _, size := range []int{31 << 20, (sourcehttp.MaxElements / 2) * len(unit)} {
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "application/json")
					piece := bytes.Repeat([]byte(unit), 1000)
					_, err := io.WriteString(w, "[")
					for sent := 0; sent < size && err == nil; sent += len(piece) {
						_, err = w.Write(piece)
					}
					_, _ = io.WriteString(w, "{}]") // who has read enough is gone
				}))
				var group errgroup.Group
				for range 8 {
					group.Go(func() error {
						client, err := sourcehttp.New(sourcehttp.Config{Name: "Wiki", Base: server.URL + "/", AllowHosts: []string{"127.0.0.1"}})
						if err != nil {
							return err
						}
						answer, err := client.Do(t.Context(), sourcehttp.Request{Path: "list"})
						if err != nil {
							return err
						}
						var page []issue
						if err := sourcehttp.Decode(t.Context(), answer.Body, &page); err == nil && len(page) > sourcehttp.MaxElements {
							t.Errorf("%q: %d items", unit, len(page))
						}
						return nil
					})
				}
				if err := group.Wait(); err != nil {
					t.Errorf("%q: %v", unit, err)
				}
				server.Close()
			}
		}
	})
}
