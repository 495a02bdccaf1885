package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/footnotehq/footnote/adapters/opensearch"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
)

// engineQuestions is how many questions are asked of either side for each share and mode.
const engineQuestions = 100

// searchByEngine moves the index to the OpenSearch at OPENSEARCH_URL, where one is named, and asks both sides the same questions in turns.
func (b *bench) searchByEngine(ctx context.Context) (err error) {
	url := os.Getenv("OPENSEARCH_URL")
	if url == "" {
		b.printf("OPENSEARCH_URL names none\n")
		return nil
	}
	address, err := opensearch.ParseAddress(url)
	if err != nil {
		return err
	}
	address.Prefix += "-bench"
	client, err := opensearch.New(opensearch.Config{Address: address, Logger: b.logger})
	if err != nil {
		return err
	}
	moved, err := pgindex.New(b.db, pgindex.Config{Logger: b.logger, Engine: client})
	if err != nil {
		return err
	}
	began := time.Now()
	if err := moved.Rebuild(ctx, false, nil); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, moved.LeaveEngine(context.WithoutCancel(ctx))) }()
	b.printf("moved %d chunks in %.1f s: %.0f chunks/s\n", b.chunks, time.Since(began).Seconds(), float64(b.chunks)/time.Since(began).Seconds())
	state, err := moved.EngineState(ctx)
	if err != nil {
		return err
	}
	if err := b.printEngine(ctx, address.Hosts[0], state.Serving, "written"); err != nil {
		return err
	}
	if err := askNode(ctx, http.MethodPost, address.Hosts[0], state.Serving+"/_forcemerge?max_num_segments=1", nil); err != nil {
		return err
	}
	if err := client.Refresh(ctx, state.Serving); err != nil { // which lets go of what was merged
		return err
	}
	if err := b.printEngine(ctx, address.Hosts[0], state.Serving, "merged"); err != nil {
		return err
	}
	plain, err := pgindex.New(b.db, pgindex.Config{Logger: b.logger})
	if err != nil {
		return err
	}
	texts, err := b.questions(ctx, 900, warmUpEach+engineQuestions)
	if err != nil {
		return err
	}
	b.printf("%9s %-9s | PostgreSQL p50 ms   p95 ms | OpenSearch p50 ms   p95 ms | of it the engine p50\n", "chunks", "mode")
	for _, s := range shares {
		for _, m := range modes {
			b.printf("%9s %-9s", s.name, m.name)
			for _, x := range []*pgindex.Index{plain, moved} {
				h, err := b.searcher(x, m.alpha)
				if err != nil {
					return err
				}
				if _, err := ask(ctx, h, s.audience(), texts[:warmUpEach]); err != nil {
					return err
				}
				asked, err := ask(ctx, h, s.audience(), texts[warmUpEach:])
				if err != nil {
					return err
				}
				b.printf(" | %17.1f %8.1f", asked.percentile(50), asked.percentile(95))
				if took := asked.stages["engine"]; x == moved && len(took) > 0 {
					only := sample{took: took}
					b.printf(" | %17.1f", only.percentile(50))
				}
			}
			b.printf("\n")
		}
	}
	return nil
}

// printEngine says what the index takes on disk and the nodes in memory.
func (b *bench) printEngine(ctx context.Context, host, index, when string) error {
	var of struct {
		All struct {
			Primaries, Total struct {
				Store struct {
					Bytes float64 `json:"size_in_bytes"`
				}
				Segments struct{ Count int }
			}
		} `json:"_all"`
	}
	if err := askNode(ctx, http.MethodGet, host, index+"/_stats/store,segments", &of); err != nil {
		return err
	}
	var nodes struct {
		Nodes map[string]struct {
			JVM struct {
				Mem struct {
					Used float64 `json:"heap_used_in_bytes"`
					Max  float64 `json:"heap_max_in_bytes"`
				}
			}
		}
	}
	if err := askNode(ctx, http.MethodGet, host, "_nodes/stats/jvm", &nodes); err != nil {
		return err
	}
	var used, most float64
	for _, n := range nodes.Nodes {
		used, most = used+n.JVM.Mem.Used, most+n.JVM.Mem.Max
	}
	chunks := float64(b.chunks)
	b.printf("%s: %.0f bytes a chunk, with copies %.0f, in %d segments; heap of %d nodes %.0f of %.0f MB\n", when,
		of.All.Primaries.Store.Bytes/chunks, of.All.Total.Store.Bytes/chunks, of.All.Total.Segments.Count, len(nodes.Nodes), used/1e6, most/1e6)
	return nil
}

// askNode asks a node what the port of search engines has no words for, without TLS: the server of the tests has none.
func askNode(ctx context.Context, method, host, path string, out any) (err error) {
	request, err := http.NewRequestWithContext(ctx, method, "http://"+host+"/"+path, http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: status %d", method, path, response.StatusCode)
	}
	if out == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(out)
}
